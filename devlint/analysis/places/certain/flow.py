"""A cheap look at a function: may a tensor that it makes on the CPU meet one that it has on a device?"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from devlint.analysis.places.written.definitions import FunctionDefinition
from devlint.syntax.python_tree.nodes import dotted_text, last_name, nodes_below
from devlint.torch_api.tensor_places import (
    CPU_CONSTRUCTORS,
    JOINS,
    MAKERS,
    OF_TENSORS,
    PLAIN_ATTRIBUTES,
    PLAIN_METHODS,
    TAKE_SIZES_METHODS,
)

_NOTHING, _MADE, _HELD = 0, 1, 2
"""What a value may carry: nothing, a tensor that is made on the CPU here, one that is on a device."""
_BOTH = _MADE | _HELD
_MAKERS = MAKERS | CPU_CONSTRUCTORS
_MOVES = frozenset("to type_as".split())
_NO_COMPARISON = (ast.Is, ast.IsNot, ast.In, ast.NotIn)
_NUMBERS = frozenset("int float bool str Optional Union list tuple List Tuple Sequence typing".split())
_ADD = frozenset("append extend insert add".split())
"""Methods that put something in a list."""
_GIVE_NUMBERS = frozenset("len range int float str isinstance hasattr round".split())
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def may_meet(function: FunctionDefinition, rows: Iterable[int], is_in_module: bool) -> bool:
    """Whether what is made in some rows of a function may meet there what is on a device, as far as names say it."""
    if not (is_in_module or function.uses.knows_devices or (function.home is not None and function.home.devices)):
        return False
    flow = _Flow(function, frozenset(rows), is_in_module)
    for _ in range(3):
        before = dict(flow.names)
        for statement in function.node.body:
            flow.run(statement)
        if flow.is_met or flow.names == before:
            break
    return flow.is_met


class _Flow:
    """What the names of one function may carry, whatever the order of its statements."""

    def __init__(self, function: FunctionDefinition, rows: frozenset[int], is_in_module: bool) -> None:
        self._rows = rows
        self._program = function.home
        self._instance = function.instance
        self._is_in_module = is_in_module
        self._methods = function.owner.members if function.owner is not None else {}
        self.is_met = False
        held = [one.arg for one in function.parameters if not _is_of_numbers(one.annotation)]
        self.names = {name: _HELD for name in held if name != self._instance or is_in_module}

    def run(self, node: ast.AST) -> None:
        """Run a statement."""
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            carried = self.of(node.value) if node.value is not None else _NOTHING
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                self._bind(target, carried)
        elif isinstance(node, ast.AugAssign):
            self._meet([self.of(node.target), carried := self.of(node.value)])
            self._bind(node.target, carried)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            self._bind(node.target, self.of(node.iter))
            self._run_all((*node.body, *node.orelse))
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
        elif carried:
            name = dotted_text(target)
            self.names[name] = self.names.get(name, _NOTHING) | carried

    def _meet(self, operands: list[int]) -> None:
        """Note whether some values may be operands of one operation, one made on the CPU and one on a device."""
        made, held = (sum(bool(one & kind) for one in operands) for kind in (_MADE, _HELD))
        self.is_met |= bool(made and held) and (made + held > 2 or _BOTH not in operands)

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

    def _name(self, node: ast.Name) -> int:
        return self.names.get(node.id, _NOTHING) if "dtype" not in node.id else _NOTHING

    def _attribute(self, node: ast.Attribute) -> int:
        if node.attr in PLAIN_ATTRIBUTES:
            return _NOTHING
        return self.of(node.value) | self.names.get(dotted_text(node), _NOTHING)

    def _operation(self, node: ast.BinOp) -> int:
        left, right = self.of(node.left), self.of(node.right)
        self._meet([left, right])
        return left | right

    def _comparison(self, node: ast.Compare) -> int:
        operands = [self.of(one) for one in (node.left, *node.comparators)]
        if any(isinstance(one, _NO_COMPARISON) for one in node.ops):
            return _NOTHING
        self._meet(operands)
        return _BOTH if _BOTH in operands else max(operands)

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
            return _MADE
        if name == "super" and self._is_in_module:
            return _HELD
        owner = self.of(node.func.value) if isinstance(node.func, ast.Attribute) else self.of(node.func)
        if name in (PLAIN_METHODS if isinstance(node.func, ast.Attribute) else _GIVE_NUMBERS):
            return _NOTHING
        if is_placed or name == "cuda" or (name in _MOVES and any(map(_is_placed, node.args, operands))):
            return _HELD
        if name in TAKE_SIZES_METHODS and isinstance(node.func, ast.Attribute) and self._torch(node.func) is None:
            return owner
        if name in _ADD and isinstance(node.func, ast.Attribute):
            for one in operands:
                self._bind(node.func.value, one)
            return _NOTHING
        is_operation = self._is_operation(node.func, name)
        if is_operation:
            self._meet([owner, *operands])
        carried = owner
        for one in operands:
            carried |= one
        self.is_met |= name in JOINS and carried == _BOTH
        return carried if is_operation or self._is_known(node.func, name) else carried & _HELD

    def _is_known(self, function: ast.expr, name: str) -> bool:
        """Whether a function may give what it is given, as far as the file shows: none of other libraries does."""
        return isinstance(function, ast.Name) or name in self._methods or (self._torch(function) or "")[:7] == "einops."

    def _torch(self, function: ast.expr) -> str | None:
        """What is called, by the imports of the file."""
        return self._program.dotted(function) if self._program is not None else None

    def _is_operation(self, function: ast.expr, name: str) -> bool:
        """Whether a call may be one of an operation of torch, or of a layer."""
        if isinstance(function, ast.Attribute) and name.rstrip("_") in OF_TENSORS:
            return True
        root = dotted_text(function).partition(".")[0]
        if root and root == self._instance:
            return self._is_in_module and name not in self._methods
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Call):
            return self._is_in_module and last_name(function.value.func) == "super"
        full = self._torch(function)
        return full.startswith("torch.") if full is not None else not isinstance(function, ast.Attribute)


def _is_placed(argument: ast.expr, carried: int) -> bool:
    """Whether an argument of ``to`` is a device, or a tensor on one."""
    return carried != _NOTHING or "device" in last_name(argument)


def _is_of_numbers(annotation: ast.expr | None) -> bool:
    """Whether an annotation allows numbers and texts only."""
    named = [one for one in nodes_below(annotation) if isinstance(one, (ast.Name, ast.Attribute))] if annotation else []
    return bool(named) and all(last_name(one) in _NUMBERS for one in named)


_EVALUATE: dict[type[Any], Callable[[_Flow, Any], int]] = {
    ast.Attribute: _Flow._attribute,
    ast.BinOp: _Flow._operation,
    ast.Call: _Flow._call,
    ast.Compare: _Flow._comparison,
    ast.Constant: lambda of, node: _NOTHING,
    ast.Name: _Flow._name,
    ast.Slice: lambda of, node: _NOTHING,
    ast.Subscript: _Flow._subscript,
}
"""How the expressions of each kind are evaluated."""
