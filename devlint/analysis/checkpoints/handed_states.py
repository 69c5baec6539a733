"""Methods that load a state in a way of their own, and give it, or copy it, to what torch's own would."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devlint.analysis.project.classes import instance_of
from devlint.analysis.project.module import Function
from devlint.syntax.python_tree.nodes import dotted_text, last_name, nodes_below
from devlint.torch_api.checkpoint_naming import names_number

_SAME_ANYWHERE = frozenset({"dtype", "keys", "shape", "size"})
"""What is asked of a state or a tensor that is the same on every device."""


def hands_on(method: Function) -> bool:
    """Whether a method gives its state to another that loads it, as it is, in another dictionary or by its entries.

    It may ask which entries there are, drop some, give others a new name, or copy them into the instance's tensors.
    """
    given_by = method.args.args[1:2] or [one for one in (method.args.vararg, method.args.kwarg) if one is not None]
    names, own = {one.arg for one in given_by}, _own_states(method)
    loads = method.name if method.name.startswith("_") else "load_state_dict"
    given: set[int] = set()
    for node in nodes_below(method):
        if (
            isinstance(node, ast.For)
            and isinstance(node.iter, ast.Call)
            and dotted_text(node.iter.func) in {f"{one}.items" for one in names}
        ):
            entries = node.target.elts[1:] if isinstance(node.target, ast.Tuple) else []
            names |= {one.id for one in entries if isinstance(one, ast.Name)}
            given |= {id(one) for one in (*nodes_below(node.iter), *nodes_below(node.target))}
        if _copies_into(node, own):
            given |= {id(one) for one in nodes_below(node)}
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == loads:
            if not any(one.arg == "assign" and getattr(one.value, "value", False) for one in node.keywords):
                given |= {id(one) for arg in (*node.args, *node.keywords) for one in nodes_below(arg)}
    if not given:
        return False
    asked = {id(one) for node in nodes_below(method) for one in _only_asked(node)}
    uses = [one for one in nodes_below(method) if isinstance(one, ast.Name) and one.id in names]
    return all(id(one) in given or id(one) in asked for one in uses)


def _own_states(method: Function) -> frozenset[str]:
    """The names that only have ``self.state_dict()`` in a method."""
    own = f"{instance_of(method)}.state_dict"
    assigns = [
        one for one in nodes_below(method) if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name)
    ]
    made = [one for one in assigns if isinstance(one.value, ast.Call) and dotted_text(one.value.func) == own]
    others = {dotted_text(one.targets[0]) for one in assigns if one not in made}
    return frozenset(dotted_text(one.targets[0]) for one in made) - others


def _copies_into(node: ast.AST, own: frozenset[str]) -> bool:
    """Whether a call copies a tensor into one of the instance's: ``own_state[name].copy_(tensor)``."""
    into = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
    is_copy = isinstance(node, ast.Call) and last_name(node.func) == "copy_" and len(node.args) == 1
    return is_copy and isinstance(into, ast.Subscript) and dotted_text(into.value) in own


def _only_asked(node: ast.AST) -> Iterator[ast.AST]:
    """The state where a node asks it for numbers or keys, drops an entry, or gives an entry a new name."""
    if isinstance(node, ast.Subscript) and _is_number(node.slice):
        yield node.value
    elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
        yield node.comparators[0]
    elif isinstance(node, ast.Attribute) and node.attr in _SAME_ANYWHERE:
        yield node.value
    elif isinstance(node, ast.Call) and dotted_text(node.func) == "isinstance":
        yield from node.args[:1]
    elif isinstance(node, ast.Delete):
        yield from (one.value for one in node.targets if isinstance(one, ast.Subscript))
    elif isinstance(node, ast.Expr):
        yield from _entry_of(node.value)
    elif isinstance(node, ast.Assign) and _is_own_data(node):
        yield from (node.targets[0], getattr(node.value, "value", node.value))
    elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Subscript):
        moved = [*_entry_of(node.value)]
        if dotted_text(node.targets[0].value) in map(dotted_text, moved):
            yield from (node.targets[0].value, *moved)


def _is_own_data(assign: ast.Assign) -> bool:
    """Whether an assignment is ``tensor = tensor.data``."""
    named = dotted_text(assign.targets[0])
    return len(assign.targets) == 1 and named.isidentifier() and dotted_text(assign.value) == f"{named}.data"


def _entry_of(value: ast.expr) -> Iterator[ast.expr]:
    """``state`` of ``state[key]`` and ``state.pop(key)``."""
    if isinstance(value, ast.Subscript):
        yield value.value
    elif isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "pop":
        yield value.func.value


def _is_number(key: ast.expr) -> bool:
    """Whether the entry of a key is a number by its name."""
    return isinstance(key, ast.Constant) and names_number(key.value)
