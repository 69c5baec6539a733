"""A cheap look at a function: may a tensor that it makes on the CPU meet one that it has on a device?"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from functools import reduce
from operator import or_
from typing import Any

from devlint.analysis.places.certain.evidence import is_in_pipeline
from devlint.analysis.places.written.definitions import FunctionDefinition
from devlint.core.lazy_regex import regex
from devlint.core.regex_fragments import at_word
from devlint.syntax.python_tree.nodes import dotted_text, last_name, nodes_below, root_name
from devlint.torch_api.tensor_makers import CPU_CONSTRUCTORS, MAKERS
from devlint.torch_api.tensor_places import (
    JOINS,
    LAUNCH,
    OF_TENSORS,
    PLAIN_ATTRIBUTES,
    PLAIN_METHODS,
    STRICT_FUNCTIONS,
    TAKE_SIZES_METHODS,
)

_NOTHING, _MADE, _HELD, _PLACED, _NUMBER = 0, 1, 2, 4, 8
"""What a value may carry: nothing, a tensor made on the CPU, one on a device, one that is made there, a CPU number."""
_STRICT = [one | _MADE if one & _NUMBER else one for one in range(16)]
"""What it carries for operations to which a number matters as well."""
_BOTH = _MADE | _HELD
_MAKERS = MAKERS | CPU_CONSTRUCTORS
_MOVES = frozenset("to type_as".split())
_NO_COMPARISON = (ast.Is, ast.IsNot, ast.In, ast.NotIn)
_NUMBERS = frozenset("int float bool str Optional Union list tuple List Tuple Sequence typing".split())
_ADD = frozenset("append extend insert add".split())
"""Methods that put something in a list."""
_PLAIN = PLAIN_ATTRIBUTES | {"config"}
_PLAIN_METHODS = PLAIN_METHODS - STRICT_FUNCTIONS
_NO_TENSORS = ("math.", "numpy.")
"""Modules whose functions give no tensors."""
_GIVE_NUMBERS = frozenset("len range int float str isinstance hasattr round".split())
_KEPT = regex(rf"{at_word('self')}\.(\w+)[ \t]*(?::[^=\n]*)?=[ \t]*(?:[\w.]+|-[\d.]+)[ \t]*(?=[\n#])")
"""An attribute that is a number, or what ``__init__`` is given: ``self.size = config.size``."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def flow_in(function: FunctionDefinition, rows: Iterable[int], is_in_module: bool) -> Flow:
    """What may become of what is made in some rows of a function, as far as names say it."""
    flow = Flow(function, frozenset(rows), is_in_module)
    flow.run_whole(lambda: flow.is_met)
    return flow


def gives_held(caller: FunctionDefinition, name: str, is_in_module: bool) -> bool:
    """Whether a function gives another one, which it calls by a name, something that may be on a device."""
    flow = Flow(caller, frozenset(), is_in_module, name)
    flow.run_whole(lambda: flow.is_held_given)
    return flow.is_held_given


class Flow:
    """What the names of one function may carry, whatever the order of its statements."""

    def __init__(
        self, function: FunctionDefinition, rows: frozenset[int], is_in_module: bool, called: str = ""
    ) -> None:
        self._function = function
        self._rows = rows
        self._called = called
        self.is_held_given = False
        """Whether a function of this name may be given what is on a device."""
        self._program = function.home
        self._instance = function.instance
        self._is_in_module = is_in_module
        self._members = function.owner.members if function.owner is not None else {}
        start = self._members.get("__init__")
        self._kept = frozenset(_KEPT.findall(start.text)) if start is not None else frozenset()
        self._makes_generators = any(last_name(one.func) == "Generator" for one in function.uses.calls)
        self._is_in_pipeline = not is_in_module and is_in_pipeline(function)
        self.is_met = False
        """Whether what is made may meet there what is on a device, or go with it."""
        self._groups: dict[str, int] = {}
        self.gives = False  # back, or to an attribute of its own
        held = [one.arg for one in function.parameters if not _is_of_numbers(one.annotation)]
        self.names = {name: _HELD for name in held if name != self._instance or is_in_module}

    def run_whole(self, is_known: Callable[[], bool]) -> None:
        """Run the function until names carry no more, or until that is known which is asked."""
        for _ in range(3):
            before = dict(self.names)
            for statement in self._function.node.body:
                self.run(statement)
            if is_known() or self.names == before:
                break

    def run(self, node: ast.AST) -> None:
        """Run a statement."""
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            carried = self.of(node.value) if node.value is not None else _NOTHING
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                self._bind(target, carried)
        elif isinstance(node, ast.AugAssign):
            self._meet([_STRICT[self.of(node.target)], carried := self.of(node.value)])
            self._bind(node.target, carried)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            self._bind(node.target, self.of(node.iter))
            self._run_all((*node.body, *node.orelse))
        elif isinstance(node, ast.Return):
            carried = self.of(node.value)
            self.gives |= bool(carried & _MADE)
            self._group("", carried)
        elif not isinstance(node, _FUNCTIONS):
            self._run_all(ast.iter_child_nodes(node))

    def _run_all(self, nodes: Iterable[ast.AST]) -> None:
        for one in nodes:
            if isinstance(one, ast.expr):
                self.of(one)
            else:
                self.run(one)

    def _bind(self, target: ast.expr, carried: int) -> None:
        """Give a target what it may carry besides what it carried before."""
        if isinstance(target, (ast.Tuple, ast.List)):
            for one in target.elts:
                self._bind(one, carried)
        elif isinstance(target, ast.Starred):
            self._bind(target.value, carried)
        elif isinstance(target, ast.Subscript):
            self._meet([self.of(target), carried])
            self._bind(target.value, carried)
            self._group(dotted_text(target.value), carried)
        elif carried:
            name = dotted_text(target)
            if isinstance(target, ast.Attribute):
                self._group(dotted_text(target.value), carried)
                self.gives |= name.startswith(f"{self._instance}.") and bool(carried & _MADE)
            self.names[name] = self.names.get(name, _NOTHING) | carried

    def _meet(self, operands: list[int]) -> None:
        """Note whether some values may be operands of one operation, one made on the CPU and one on a device."""
        made, held = (sum(bool(one & kind) for one in operands) for kind in (_MADE, _HELD))
        self.is_met |= bool(made and held) and (made + held > 2 or all(one & _BOTH != _BOTH for one in operands))

    def _keep(self, values: list[int]) -> None:
        """Note whether some values that go together are made, one on the CPU and one on a device."""
        self.is_met |= any(one & _MADE for one in values) and any(one & _PLACED for one in values)

    def _group(self, owner: str, carried: int) -> None:
        """Note what goes to one object, dictionary or caller."""
        self._groups[owner] = together = self._groups.get(owner, _NOTHING) | carried
        self._keep([together])

    def of(self, node: ast.AST | None) -> int:
        """What an expression may carry."""
        evaluate = _EVALUATE.get(type(node))
        if evaluate is not None:
            return evaluate(self, node)
        return self._all(ast.iter_child_nodes(node)) if node is not None else _NOTHING

    def _all(self, nodes: Iterable[ast.AST]) -> int:
        found = _NOTHING
        for one in nodes:
            found |= self.of(one)
        return found

    def _several(self, node: ast.List | ast.Tuple | ast.Dict) -> int:
        values = [*map(self.of, node.values if isinstance(node, ast.Dict) else node.elts)]
        self._keep(values)
        return reduce(or_, values, _NOTHING)

    def _name(self, node: ast.Name) -> int:
        return self.names.get(node.id, _NOTHING) if "dtype" not in node.id else _NOTHING

    def _attribute(self, node: ast.Attribute) -> int:
        if node.attr in _PLAIN:
            return _NOTHING
        if node.attr in self._kept and isinstance(node.value, ast.Name) and node.value.id == self._instance:
            return self.names.get(dotted_text(node), _NOTHING)
        return self.of(node.value) | self.names.get(dotted_text(node), _NOTHING)

    def _operation(self, node: ast.BinOp) -> int:
        left, right = self.of(node.left), self.of(node.right)
        if not isinstance(node.left, ast.List):
            self._meet([left, right])
        return (left | right) & ~_NUMBER

    def _comparison(self, node: ast.Compare) -> int:
        operands = [self.of(one) for one in (node.left, *node.comparators)]
        if any(isinstance(one, _NO_COMPARISON) for one in node.ops):
            return _NOTHING
        self._meet(operands)
        return reduce(or_, operands)

    def _subscript(self, node: ast.Subscript) -> int:
        carried = self.of(node.value)
        index = self.of(node.slice)
        if carried & _MADE:
            self._meet([carried, index])
        return carried

    def _call(self, node: ast.Call) -> int:
        name = last_name(node.func)
        operands = [self.of(each) for one in node.args for each in (one.elts if isinstance(one, ast.List) else [one])]
        operands += [self.of(one.value) for one in node.keywords if one.arg != "device"]
        is_placed = any(one.arg == "device" for one in node.keywords)
        if name in _MAKERS and node.lineno in self._rows and not is_placed:
            self.is_met |= self._makes_generators and any(one.arg == "generator" for one in node.keywords)
            return _NUMBER if node.args and isinstance(node.args[0], ast.Constant) and name == "tensor" else _MADE
        full = self._program.dotted(node.func) if self._program is not None else None
        owner = self.of(node.func.value) if isinstance(node.func, ast.Attribute) else self.of(node.func)
        plain = _PLAIN_METHODS if isinstance(node.func, ast.Attribute) else _GIVE_NUMBERS
        if name in plain or (full or "").startswith(_NO_TENSORS):
            return _NOTHING
        if name in STRICT_FUNCTIONS:
            owner, *operands = (_STRICT[one] for one in (owner, *operands))
        is_own = self._is_own(node.func)
        carried = reduce(or_, operands, owner) & ~_NUMBER
        self.is_held_given |= name == self._called and bool(carried & _HELD)
        if is_placed and is_own:
            self._meet([owner, *operands])
        is_moved = name in _MOVES and any(one or "device" in last_name(to) for to, one in zip(node.args, operands))
        if is_placed or is_moved or name == "cuda" or (name == "super" and self._is_in_module):
            return _HELD | _PLACED if is_placed and name in _MAKERS else _HELD
        if name in TAKE_SIZES_METHODS and isinstance(node.func, ast.Attribute) and full is None:
            return owner
        if name in _ADD and isinstance(node.func, ast.Attribute):
            self._bind(node.func.value, reduce(or_, operands, _NOTHING))
            return _NOTHING
        if is_own and self._is_in_pipeline and name not in self._members:
            owner = _HELD
        is_operation = is_own or self._is_operation(node.func, name, full)
        if is_operation:
            self._meet([owner, *operands])
        else:
            self._keep(operands)
        carried |= owner
        self.is_met |= (name in JOINS or full == LAUNCH) and carried & _BOTH == _BOTH
        # A function of another library gives nothing that it is given, as far as the file shows.
        is_known = is_operation or isinstance(node.func, ast.Name) or (full or "").startswith("einops.")
        return carried if is_known else carried & _HELD

    def _is_own(self, function: ast.expr) -> bool:
        """Whether a method of the instance is called, or a module that it has."""
        depth = dotted_text(function).count(".") if root_name(function) == self._instance else 0
        return depth == 1 or (depth > 1 and self._is_in_module)

    def _is_operation(self, function: ast.expr, name: str, full: str | None) -> bool:
        """Whether a call may be one of an operation of torch, or of a layer."""
        if isinstance(function, ast.Attribute) and (name in OF_TENSORS or name.rstrip("_") in OF_TENSORS):
            return True
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Call):
            return self._is_in_module and last_name(function.value.func) == "super"
        return full.startswith("torch.") if full is not None else not isinstance(function, ast.Attribute)


def _is_of_numbers(annotation: ast.expr | None) -> bool:
    """Whether an annotation allows numbers and texts only."""
    named = [one for one in nodes_below(annotation) if isinstance(one, (ast.Name, ast.Attribute))] if annotation else []
    return bool(named) and all(last_name(one) in _NUMBERS for one in named)


_EVALUATE: dict[type[Any], Callable[[Flow, Any], int]] = {
    ast.Attribute: Flow._attribute,
    ast.BinOp: Flow._operation,
    ast.Call: Flow._call,
    ast.Compare: Flow._comparison,
    ast.Constant: lambda of, node: _NOTHING,
    ast.Dict: Flow._several,
    ast.List: Flow._several,
    ast.Name: Flow._name,
    ast.Slice: lambda of, node: _NOTHING,
    ast.Subscript: Flow._subscript,
    ast.Tuple: Flow._several,
}
"""How the expressions of each kind are evaluated."""
