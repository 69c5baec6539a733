"""Operators, indices and tests: which tensors meet there, and what they give."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from devlint.analysis.places.device_names import device_of_text
from devlint.analysis.places.joins import LISTS, element_of, joined, shown_as
from devlint.analysis.places.meetings import MeetingRecorder
from devlint.analysis.places.statements.device_tests import kind_named
from devlint.analysis.places.statements.lists import constant_of
from devlint.analysis.places.values import (
    ANY,
    ANYWHERE,
    LEFT_ON_CPU,
    NUMBERS,
    PLAIN,
    SOME,
    UNKNOWN,
    Device,
    Items,
    Kind,
    Many,
    Names,
    Plain,
    Tensor,
    TensorPlace,
    UnknownArgument,
    UnknownPart,
    UnknownValue,
    Value,
)
from devlint.core.lazy_regex import regex
from devlint.syntax.python_tree.nodes import last_name, nodes_below

_ASK_FOR_DEVICE = frozenset("type is_cuda is_cpu is_available".split())
_NUMBERS = ("int", "float", "bool", "str")
_NAMES_KIND = regex(r"(?:^|_)(?:cuda|gpu|cpu|onnx_trace)$")  # a flag: no_cuda, use_gpu, self.onnx_trace
_EXPORTS = regex(r"(?:is|in)_(?:\w+_)?(?:tracing|exporting|onnx_export|fx_proxy)$|^_?is_tracing$")
"""How functions are called that say whether a model is traced or exported, which is done on the CPU."""
_SIGNS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.MatMult: "@",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.LShift: "<<",
    ast.RShift: ">>",
}


def operation(recorder: MeetingRecorder, left: Value, right: Value, node: ast.expr | ast.stmt, sign: str) -> Value:
    """``left + right`` and the like."""
    rank = None
    for one, other in ((left, right), (right, left)):
        if isinstance(one, UnknownArgument) and isinstance(other, Tensor):
            recorder.argument_meets(one.name, other, node, sign)
        elif isinstance(one, UnknownArgument) and isinstance(other, UnknownArgument):
            recorder.argument_meets(one.name, Tensor([TensorPlace(Kind.ARGUMENT, other.name)]), node, sign)
    if sign == "@":
        left, right = shown_tensor(left), shown_tensor(right)
        rank = 0 if isinstance(left, Tensor) and isinstance(right, Tensor) and left.rank == right.rank == 1 else None
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        if isinstance(left, (Items, Many)) or isinstance(right, (Items, Many)):
            return UNKNOWN
        if isinstance(left, Tensor) and isinstance(right, Tensor):
            recorder.meet(left, right, node, sign)
        tensors = [one for one in (left, right) if isinstance(one, Tensor)]
        return result_of(tensors, isinstance(left, UnknownValue) or isinstance(right, UnknownValue), rank)
    if isinstance(left, (Items, Many)) and isinstance(right, (Items, Many)):
        if isinstance(left, Items) and isinstance(right, Items):
            return Items(left.elements + right.elements)
        return Many(joined(element_of(left), element_of(right)))
    if isinstance(left, (Items, Many)) and sign == "*":
        return Many(element_of(left))
    if NUMBERS in (left, right):
        return NUMBERS
    parts = [one.places for one in (left, right) if type(one) is UnknownPart]
    if parts and all(isinstance(one, Plain) or type(one) is UnknownPart for one in (left, right)):
        return UnknownPart(frozenset().union(*parts))
    return PLAIN if left is PLAIN and right is PLAIN else UNKNOWN


def shown_tensor(value: Value) -> Value:
    """A value that is used as only tensors are."""
    if isinstance(value, Items):
        return Items(map(shown_tensor, value.elements))
    return Tensor(value.places) if isinstance(value, UnknownPart) else value


def indexed(recorder: MeetingRecorder, tensor: Tensor, node: ast.Subscript, index: Value) -> Tensor:
    """``tensor[index]``."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    is_split = isinstance(index, Items) and len(index.elements) == len(parts) and isinstance(node.slice, ast.Tuple)
    values = index.elements if isinstance(index, Items) and is_split else [index] * len(parts)
    rank = tensor.rank
    for part, value in zip(parts, values, strict=True):
        if isinstance(part, ast.Slice) or constant_of(part) is Ellipsis:
            rank = SOME if rank == ANY else rank
        elif isinstance(part, ast.Constant) and (part.value is None or isinstance(part.value, bool)):
            rank = rank + 1 if rank >= 0 else SOME
        elif isinstance(value, Tensor) and value.rank != 0:
            recorder.is_indexed(tensor, value, node)
            rank = SOME if value.rank != ANY or rank > 1 else ANY
        elif isinstance(value, (Items, Many)) or value is NUMBERS:
            continue
        elif rank > 0:
            rank -= 1
        else:
            is_alone = not any(isinstance(one, ast.Slice) for one in parts)
            rank = ANY if is_alone else SOME
    return tensor.at(rank)


def constant(recorder: MeetingRecorder, node: ast.Constant | ast.JoinedStr) -> Value:
    """A constant, or a text with values in it; a device where it names one, and names are followed."""
    return (device_of_text(node) if recorder.names_devices else None) or PLAIN


def sign_of(operator: ast.operator) -> str:
    """How an operator is written."""
    return _SIGNS[type(operator)]


def iterated(value: Value) -> Value:
    """What a loop over a value gives."""
    if isinstance(value, (Items, Many)):
        return element_of(value)
    if isinstance(value, Tensor):
        return Tensor(value.places, value.rank - 1 if value.rank > 0 else ANY, value.is_output)
    if isinstance(value, UnknownPart):
        return UnknownPart(value.places)
    return PLAIN if value is NUMBERS else UNKNOWN


def asks_for_device(test: ast.expr) -> bool:
    """Whether a test tells the kind of a device, ``device.type == "cuda"``, or whether a model is exported there."""
    return _NAMES_KIND.search(last_name(getattr(test, "operand", test))) is not None or any(
        (isinstance(one, ast.Compare) and any(map(kind_named, one.comparators)))
        or (isinstance(one, ast.Call) and _EXPORTS.search(last_name(one.func)))
        or (isinstance(one, ast.Attribute) and one.attr in _ASK_FOR_DEVICE)
        for one in nodes_below(test)
    )


def devices_in(test: ast.expr, names: Names) -> list[str]:
    """The names in a test that stand for devices."""
    return [one.id for one in nodes_below(test) if isinstance(one, ast.Name) and isinstance(names.get(one.id), Device)]


def narrowed(test: ast.expr, names: Names, truth: bool) -> Names:
    """The values of names where a test is true, or false: those that are None there are plain."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return narrowed(test.operand, names, not truth)
    if isinstance(test, ast.BoolOp):
        if isinstance(test.op, ast.And) == truth:
            for each in test.values:
                narrowed(each, names, truth)
    elif truth and (number := shown_as(test, _NUMBERS)) in names:
        names[number] = PLAIN
    elif truth and (listed := shown_as(test, LISTS)) in names:
        value = names[listed]
        may_be_list = isinstance(value, Tensor) and (value.may_be_list or ANYWHERE in value.places)
        if may_be_list or isinstance(value, UnknownValue):
            names[listed] = NUMBERS
    elif isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and len(test.ops) == 1:
        is_none = isinstance(test.comparators[0], ast.Constant) and test.comparators[0].value is None
        if is_none and isinstance(test.ops[0], ast.Is if truth else ast.IsNot):
            names[test.left.id] = PLAIN
    return names


def result_of(tensors: Sequence[Tensor], has_unknown: bool = False, rank: int | None = None) -> Value:
    """What an operation on some tensors gives."""
    if not tensors:
        return UNKNOWN
    rank = _highest([one.rank for one in tensors]) if rank is None else rank
    elsewhere = [one for one in tensors if not one.is_on_cpu]
    known = [one for one in elsewhere if ANYWHERE not in one.places]
    is_certain = any(one.rank not in (0, ANY) and one.is_certainly_on_cpu and not one.is_placeholder for one in tensors)
    is_left = any(one.places == LEFT_ON_CPU for one in elsewhere)
    is_given = all(place.kind is Kind.ARGUMENT for one in known for place in one.places)
    if known and is_given and (left := next((one for one in elsewhere if _is_left_with_dimensions(one)), None)):
        return left.at(rank)  # what a caller gives is on the CPU as well, or this fails
    if known or is_left or (elsewhere and not is_certain):
        return (known or elsewhere)[0].at(rank)
    # What is computed from a CPU tensor with dimensions and one of which nothing is known is on the CPU, or fails.
    tensors = [one for one in tensors if one.is_on_cpu]
    with_dimensions = [one for one in tensors if one.rank != 0]
    if not with_dimensions and has_unknown:
        return UNKNOWN
    first, *others = with_dimensions or tensors
    if not others:
        return first.at(rank)
    on_cpu = [place for one in (first, *others) for place in one.places if place.kind is Kind.CPU]
    sites = frozenset(site for place in on_cpu for site in place.sites)
    makers = {place.name for place in on_cpu}
    maker = makers.pop() if len(makers) == 1 else ""
    rest = {place for place in first.places if place.kind is not Kind.CPU}
    for one in others:
        rest &= one.places
    return Tensor({TensorPlace(Kind.CPU, maker, sites), *rest}, rank)


def _is_left_with_dimensions(tensor: Tensor) -> bool:
    """Whether a tensor was taken to the CPU and has dimensions, so that nothing on a device is computed with it."""
    return tensor.places == LEFT_ON_CPU and tensor.rank not in (0, ANY)


def _highest(ranks: list[int]) -> int:
    """The number of dimensions of the result of an operation element by element."""
    if SOME in ranks:
        return SOME
    return ANY if ANY in ranks else max(ranks)
