"""The values of expressions."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from devlint.analysis.places.certain.evidence import asked_of
from devlint.analysis.places.joins import is_made_from, is_moved_away, joined, moved_value
from devlint.analysis.places.meetings import MeetingRecorder, Summaries
from devlint.analysis.places.operations import (
    asks_for_device,
    constant,
    indexed,
    iterated,
    narrowed,
    operation,
    result_of,
    sign_of,
)
from devlint.analysis.places.statements.lists import item_of, listed, spread_values
from devlint.analysis.places.tensor_methods import attribute_of_tensor, attribute_of_unknown
from devlint.analysis.places.together import MadeTogether
from devlint.analysis.places.values import (
    AT_MODULE,
    PLAIN,
    UNKNOWN,
    Device,
    Function,
    InlineFunction,
    Instance,
    Items,
    Kind,
    Many,
    Mapping,
    Module,
    Names,
    Tensor,
    TensorPlace,
    UnknownArgument,
    UnknownPart,
    UnknownValue,
    Value,
)
from devlint.analysis.places.written.definitions import FunctionDefinition
from devlint.syntax.python_tree.nodes import dotted_text, root_name
from devlint.torch_api.device_naming import EXECUTION_DEVICE

_DEVICE_ATTRIBUTES = frozenset({"device", EXECUTION_DEVICE})
_NO_COMPARISON = (ast.Is, ast.IsNot, ast.In, ast.NotIn)


class Expressions:
    """Works out the values of the expressions of one function."""

    has_default_device = False
    """Whether what is around chooses where tensors are made: a ``with``, or a test for the kind of the device."""

    def __init__(self, summaries: Summaries, recorder: MeetingRecorder) -> None:
        self.summaries = summaries
        self.program = summaries.program
        self.recorder = recorder
        self.together = MadeTogether(recorder)
        self.imports = self.program.imports
        self.missed: set[str] = set()
        """The names that were asked for when the function had given them no value."""

    def call(self, node: ast.Call, names: Names) -> Value:
        """The value of a call."""
        raise NotImplementedError

    def property_of(self, module: Module | Instance, name: str, node: ast.expr) -> Value | None:
        """The value of a property of an instance of the file's own class; None where it has no such property."""
        raise NotImplementedError

    def bind(self, target: ast.expr, value: Value, names: Names) -> None:
        """Give a target a value."""
        raise NotImplementedError

    def value(self, node: ast.expr, names: Names) -> Value:
        """The value of an expression."""
        evaluate = _EVALUATE.get(type(node))
        if evaluate is not None:
            return evaluate(self, node, names)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child, names)
        return UNKNOWN

    def dotted(self, node: ast.expr, names: Names) -> str | None:
        """What an expression refers to by the imports of the file, where no local name is in the way."""
        first = root_name(node)
        if first in names or first not in self.imports:
            return None
        return f"{self.imports[first]}{dotted_text(node)[len(first) :]}"

    def _name(self, node: ast.Name, names: Names) -> Value:
        if node.id in names:
            return names[node.id]
        self.missed.add(node.id)
        if self.program.devices.get(node.id):
            return Device([TensorPlace(Kind.ELSEWHERE, node.id)])
        found = self.program.definition(node.id)
        return Function(found) if isinstance(found, FunctionDefinition) else UNKNOWN

    def _list(self, node: ast.Tuple | ast.List, names: Names) -> Value:
        elements, is_open = spread_values(node.elts, lambda each: self.value(each, names))
        self.together.given(elements, node)
        return listed(node, elements) if is_open else Items(elements)

    def index(self, node: ast.expr, names: Names) -> Value:
        """What stands in the brackets of a subscript; each tensor there may be on the CPU, whatever the others are."""
        elements = node.elts if isinstance(node, ast.Tuple) else []
        return Items(self.value(each, names) for each in elements) if elements else self.value(node, names)

    def _mapping(self, node: ast.Dict, names: Names) -> Value:
        items: dict[object, Value] = {}
        for key, each in zip(node.keys, node.values, strict=True):
            value = self.value(each, names)
            if isinstance(key, ast.Constant):
                items[key.value] = value
            elif key is None and isinstance(value, Mapping):
                items.update(value.items)
        self.together.given(items.values(), node)
        return Mapping(items)

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp, names: Names) -> Value:
        (first, *others) = node.generators
        listed = self.value(first.iter, names)
        if not others and not first.ifs and isinstance(listed, Items) and 0 < len(listed.elements) <= 8:
            elements = []
            for each in listed.elements:
                inner = dict(names)
                self.bind(first.target, each, inner)
                elements.append(self.value(node.elt, inner))
            return Items(elements)
        return Many(self.value(node.elt, self._names_of_comprehension(node, names)))

    def _names_of_comprehension(
        self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp, names: Names
    ) -> Names:
        names = dict(names)
        for each in node.generators:
            self.bind(each.target, iterated(self.value(each.iter, names)), names)
            for test in each.ifs:
                self.value(test, names)
        return names

    def _other_comprehension(self, node: ast.SetComp | ast.DictComp, names: Names) -> Value:
        inner = self._names_of_comprehension(node, names)
        self.value(node.elt if isinstance(node, ast.SetComp) else node.value, inner)
        return UNKNOWN

    def _choice(self, node: ast.IfExp, names: Names) -> Value:
        self.value(node.test, names)
        outer = self.has_default_device
        self.has_default_device = outer or asks_for_device(node.test)
        yes, no = (
            self.recorder.on_branch(node.test, holds, self.value, side, narrowed(node.test, dict(names), holds))
            for side, holds in ((node.body, True), (node.orelse, False))
        )
        self.has_default_device = outer
        pairs = ((node.body, node.orelse), (node.orelse, node.body))
        names_itself = any(is_made_from(one, dotted_text(other)) for one, other in pairs)
        value = joined(yes, no)
        return moved_value(value) if names_itself and is_moved_away(yes, no) else value

    def _either(self, node: ast.BoolOp, names: Names) -> Value:
        found: Value | None = None
        for each in node.values:
            found = joined(found, self.value(each, names))
        return found or PLAIN

    def _unary(self, node: ast.UnaryOp, names: Names) -> Value:
        value = self.value(node.operand, names)
        return PLAIN if isinstance(node.op, ast.Not) else value

    def _binary(self, node: ast.BinOp, names: Names) -> Value:
        left, right = self.value(node.left, names), self.value(node.right, names)
        return operation(self.recorder, left, right, node, sign_of(node.op))

    def _comparison(self, node: ast.Compare, names: Names) -> Value:
        values = [self.value(one, names) for one in (node.left, *node.comparators)]
        if len(values) > 2 or any(isinstance(one, _NO_COMPARISON) for one in node.ops):
            return PLAIN
        tensors = [one for one in values if isinstance(one, Tensor)]
        for one, other in (values, values[::-1]):
            if isinstance(one, UnknownArgument) and isinstance(other, Tensor):
                self.recorder.argument_meets(one.name, other, node, "comparison")
        if len(tensors) == 2:
            self.recorder.meet(tensors[0], tensors[1], node, "comparison")
        return result_of(tensors, any(isinstance(one, UnknownValue) for one in values)) if tensors else PLAIN

    def _assigned(self, node: ast.NamedExpr, names: Names) -> Value:
        value = self.value(node.value, names)
        self.bind(node.target, value, names)
        return value

    def _attribute(self, node: ast.Attribute, names: Names) -> Value:
        if isinstance(node.value, ast.Name):
            known = names.get(f"{node.value.id}.{node.attr}")
            if known is not None:
                return known
        full = self.dotted(node, names)
        if full is not None:
            return PLAIN if full.startswith("torch.") else UNKNOWN
        value = asked_of(self.recorder, node, self.value(node.value, names))
        if isinstance(value, Tensor):
            return attribute_of_tensor(value, node.attr, node)
        if isinstance(value, Module):
            return self._of_module(value, node)
        if isinstance(value, Instance):
            found = self.summaries.attributes(value.definition).get(node.attr)
            if found is None and node.attr not in _DEVICE_ATTRIBUTES:
                found = self.property_of(value, node.attr, node)
            if found is not None and not isinstance(found, UnknownValue):
                return found
        elif not isinstance(value, UnknownValue):
            return UNKNOWN
        elif isinstance(value, UnknownPart) and node.attr not in _DEVICE_ATTRIBUTES:
            return attribute_of_unknown(value, node.attr)
        return Device([TensorPlace(Kind.ELSEWHERE, ast.unparse(node))]) if node.attr in _DEVICE_ATTRIBUTES else UNKNOWN

    def _of_module(self, module: Module, node: ast.Attribute) -> Value:
        """An attribute of a module."""
        if module.is_new or node.attr in ("training", "dtype"):
            return UNKNOWN if module.is_new else PLAIN
        if node.attr in _DEVICE_ATTRIBUTES:
            return Device(AT_MODULE)
        found = self.summaries.attributes(module.definition).get(node.attr) if module.definition is not None else None
        if found is None and node.attr in ("weight", "bias"):
            return Tensor(AT_MODULE)
        return found or self.property_of(module, node.attr, node) or UNKNOWN

    def _subscript(self, node: ast.Subscript, names: Names) -> Value:
        value, index = self.value(node.value, names), self.index(node.slice, names)
        if isinstance(value, Tensor):
            is_output = value.is_output
            return Tensor(value.places, value.rank, True) if is_output else indexed(self.recorder, value, node, index)
        is_table = isinstance(node.value, ast.Name) and node.value.id in self.imports and self.recorder.is_silent
        if isinstance(value, UnknownValue) and is_table and self.recorder.is_in_module:
            return Module(kind="Activation")  # ACT2FN[name]
        return item_of(value, node.slice)


_EVALUATE: dict[type[ast.expr], Callable[[Expressions, Any, Names], Value]] = {
    ast.Attribute: Expressions._attribute,
    ast.Await: lambda of, node, names: of.value(node.value, names),
    ast.BinOp: Expressions._binary,
    ast.BoolOp: Expressions._either,
    ast.Call: lambda of, node, names: of.call(node, names),
    ast.Compare: Expressions._comparison,
    ast.Constant: lambda of, node, names: constant(of.recorder, node),
    ast.Dict: Expressions._mapping,
    ast.DictComp: Expressions._other_comprehension,
    ast.GeneratorExp: Expressions._comprehension,
    ast.IfExp: Expressions._choice,
    ast.JoinedStr: lambda of, node, names: constant(of.recorder, node),
    ast.Lambda: lambda of, node, names: InlineFunction(node, names),
    ast.List: Expressions._list,
    ast.ListComp: Expressions._comprehension,
    ast.Name: Expressions._name,
    ast.NamedExpr: Expressions._assigned,
    ast.SetComp: Expressions._other_comprehension,
    ast.Starred: lambda of, node, names: of.value(node.value, names),
    ast.Subscript: Expressions._subscript,
    ast.Tuple: Expressions._list,
    ast.UnaryOp: Expressions._unary,
}
"""How the expressions of each kind are evaluated."""
