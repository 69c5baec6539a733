"""Where a value goes: into the device slot of a call, to a name like that of a device, to a default."""

from __future__ import annotations

import _ast as ast

from devlint.rules.triggers.devices import is_made
from devlint.syntax.python_tree.nodes import last_name, text_of
from devlint.torch_api.device_naming import (
    FIELD_CALLS,
    LOADS,
    OPTION_CALLS,
    SLOTS,
    TAKE_DEVICE,
    URL_LOADS,
    holds_device,
    holds_placement,
    looks_like_device,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from devlint.rules.triggers.syntax_tree import SyntaxTree

_POSITIONAL = frozenset({"to", *URL_LOADS, *(name.rpartition(".")[2] for name in LOADS | TAKE_DEVICE)})
_DECLARE = FIELD_CALLS | OPTION_CALLS | {"set_defaults", "get", "getattr", "getenv", "pop"}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def is_slot(tree: SyntaxTree, node: ast.AST) -> bool:
    """Whether ``node`` may stand in the device slot of a call of torch's."""
    return _is_slot(tree, node, _POSITIONAL, frozenset())


def is_slot_or_argument(tree: SyntaxTree, node: ast.AST) -> bool:
    """Whether ``node`` may stand in the device slot of a call of torch's, or of a function of the project."""
    return is_slot(tree, node) or isinstance(tree.parent(node), (ast.Call, ast.keyword))


def is_device(tree: SyntaxTree, node: ast.AST) -> bool:
    """Whether ``node`` is meant as a device: in a slot, or as the value or result of what is called like a device."""
    parent = tree.parent(node)
    if isinstance(parent, ast.Assign):
        return looks_like_device(last_name(parent.targets[0]))
    if isinstance(parent, ast.AnnAssign):
        return looks_like_device(last_name(parent.target))
    if isinstance(parent, ast.Return):
        return any(looks_like_device(one.name) for one in tree.around(parent) if isinstance(one, _FUNCTIONS))
    return _is_slot(tree, node, _POSITIONAL | {"device", "cuda"}, frozenset({"device", "cuda"}))


def is_named_device(tree: SyntaxTree, node: ast.AST) -> bool:
    """Whether ``node`` is given to what holds a device, or is a torch.device that is used."""
    return _assignment(tree, node) is not None or (is_made(tree, node) and _is_used(tree, node))


def is_default(tree: SyntaxTree, node: ast.AST) -> bool:
    """Whether ``node`` is the default of a parameter, of an option or of a field."""
    parent = tree.parent(node)
    if isinstance(parent, ast.arguments):
        return is_made(tree, node) or holds_device(tree.fact(_parameters)[node].arg)
    call = tree.parent(parent) if isinstance(parent, ast.keyword) else parent
    if isinstance(call, ast.Call):
        return last_name(call.func) in _DECLARE
    return isinstance(_assignment(tree, node), ast.AnnAssign)


def is_slot_or_name(tree: SyntaxTree, node: ast.AST) -> bool:
    """Whether ``node`` stands where torch takes a device, or is given to what holds one."""
    return is_slot_or_argument(tree, node) or is_named_device(tree, node)


def _is_slot(tree: SyntaxTree, node: ast.AST, positional: frozenset[str], others: frozenset[str]) -> bool:
    parent = tree.parent(node)
    if isinstance(parent, ast.withitem):
        return True
    if isinstance(parent, ast.Dict):  # f(**{"device": node})
        return any(text_of(key) == "device" and value is node for key, value in zip(parent.keys, parent.values))
    if isinstance(parent, ast.keyword):
        return parent.arg in SLOTS or _is_one_of(tree, tree.parent(parent), others)
    return _is_one_of(tree, parent, positional)


def _is_one_of(tree: SyntaxTree, call: object, functions: frozenset[str]) -> bool:
    """Whether a call is of a function or method of one of these names, whatever it is imported as."""
    if not isinstance(call, ast.Call):
        return False
    if last_name(call.func) in functions:
        return True
    return any(one.rpartition(".")[2] in functions for one in tree.called(call.func))


def _parameters(tree: SyntaxTree) -> dict[ast.AST, ast.arg]:
    """The parameters by their defaults."""
    return {default: parameter for parameter, default in tree.parameters if default is not None}


def _is_used(tree: SyntaxTree, node: ast.AST) -> bool:
    """Whether a torch.device is no default of a parameter, and more than compared or looked into."""
    if isinstance(tree.parent(node), ast.arguments):
        return False
    for parent in tree.around(node):
        if isinstance(parent, (ast.Compare, ast.Attribute, ast.Expr)):
            return False
        if isinstance(parent, (ast.Call, ast.stmt, ast.Lambda)):
            break
    return True


def _assignment(tree: SyntaxTree, node: ast.AST) -> ast.AST | None:
    """The assignment that gives ``node`` to a name, attribute or key that holds a device."""
    child, is_kept = node, False
    for parent in tree.around(node):
        if isinstance(parent, (ast.Assign, ast.AnnAssign, ast.NamedExpr)):
            targets = parent.targets if isinstance(parent, ast.Assign) else [parent.target]
            is_device = is_kept or any(map(_holds_device, targets)) or any(_is_placed(tree, one) for one in targets)
            return parent if is_device else None
        if not is_kept and isinstance(parent, (ast.Dict, ast.keyword)):
            if not holds_device(_key(parent, child)):
                return None
            is_kept = True
        elif not isinstance(parent, (ast.Dict, ast.keyword, ast.Call) if is_kept else (ast.BoolOp, ast.Tuple)):
            return None
        child = parent
    return None


def _is_placed(tree: SyntaxTree, target: ast.expr) -> bool:
    """Whether something is put where a name says, whatever that is called."""
    return isinstance(target, ast.Name) and target.id in tree.fact(_placed_names)


def _placed_names(tree: SyntaxTree) -> frozenset[str]:
    """The names that stand where torch takes a device."""
    places = _POSITIONAL | {"device"}
    return frozenset(one.id for one in tree.of_type(ast.Name) if _is_slot(tree, one, places, frozenset()))


def _key(parent: ast.Dict | ast.keyword, value: ast.AST) -> str:
    """The key of ``value`` in a dictionary, or in a call of ``dict``."""
    if isinstance(parent, ast.keyword):
        return parent.arg or ""
    return next((text_of(key) or "" for key, one in zip(parent.keys, parent.values) if key and one is value), "")


def _holds_device(target: ast.expr) -> bool:
    """Whether a target is called like a device, or one of several is."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return any(map(_holds_device, target.elts))
    name = text_of(target.slice) if isinstance(target, ast.Subscript) else last_name(target)
    return holds_placement(name or "")
