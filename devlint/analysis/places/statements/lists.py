"""Lists, tuples and dictionaries of a program: what is taken out of them, and put into them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from devlint.analysis.places.joins import by_length, element_of, is_moved_away, joined, moved_value, same
from devlint.analysis.places.values import (
    ANY,
    NUMBERS,
    PLAIN,
    SOME,
    UNKNOWN,
    Items,
    Many,
    Mapping,
    Tensor,
    UnknownPart,
    Value,
)


def item_of(value: Value, index: ast.expr) -> Value:
    """``value[index]`` of what is no tensor."""
    constant = constant_of(index)
    if isinstance(value, Items):
        if isinstance(constant, int) and -len(value.elements) <= constant < len(value.elements):
            return value.elements[constant]
        return _sliced(value, index) if isinstance(index, ast.Slice) else element_of(value)
    if isinstance(value, Many):
        if value.by_length and (isinstance(constant, int) or isinstance(index, ast.Slice)):
            return _item_of_either(value, index)
        return value if isinstance(index, ast.Slice) else value.element
    if isinstance(value, Mapping):
        return value.items.get(constant, UNKNOWN) if isinstance(index, ast.Constant) else UNKNOWN
    if isinstance(value, UnknownPart):
        return UnknownPart(value.places)
    return value if value is NUMBERS or value is PLAIN else UNKNOWN


def _item_of_either(value: Many, index: ast.expr) -> Value:
    """An element or a part of a list of one of several lengths, of those that are long enough."""
    found: Value | None = None
    place = constant_of(index)
    for length, each in value.by_length.items():
        if isinstance(each, Items) and (not isinstance(place, int) or -length <= place < length):
            found = joined(found, item_of(each, index))
    return found if found is not None else value.element


def _sliced(value: Items, index: ast.Slice) -> Items | Many:
    """A part of a list; the part that it is where constants say it."""
    bounds = [constant_of(one) if one is not None else None for one in (index.lower, index.upper)]
    is_known = all(one is None or isinstance(bound, int) for one, bound in zip((index.lower, index.upper), bounds))
    if not is_known or index.step is not None:
        return Many(element_of(value))
    return Items(value.elements[slice(*bounds)])  # type: ignore[arg-type]  # whole numbers


def changed(value: Many, change: Callable[[Value], Value]) -> Many:
    """A list of which each element is another."""
    return Many(change(value.element), by_length={length: change(one) for length, one in value.by_length.items()})


def listed(node: ast.Tuple | ast.List, elements: list[Value]) -> Many:
    """A list with the elements of others, of which nobody knows how many; one of each stands for them."""
    starred = [isinstance(one, ast.Starred) for one in node.elts]
    is_at_start = starred[0] and not any(starred[1:])
    return Many(element_of(Items(elements)), ends=elements if is_at_start else None)


def unpacked(value: Value, count: int) -> list[Value]:
    """What some names get that a value is unpacked into."""
    if isinstance(value, Many) and value.ends is not None and len(value.ends) <= count:
        first, *others = value.ends
        return [first] * (count - len(others)) + others
    exact = by_length(value).get(count) if isinstance(value, (Items, Many)) else None
    if isinstance(exact, Items):
        return exact.elements
    if isinstance(value, (Items, Many)):
        return [element_of(value)] * count
    if isinstance(value, Tensor):
        one_less = value.rank - 1 if value.rank > 0 else ANY if value.is_on_cpu else SOME
        return [Tensor(value.places, value.rank if value.is_output else one_less, value.is_output)] * count
    if isinstance(value, UnknownPart):  # the rows of a tensor may have no dimension, and meet any other
        return [UnknownPart(value.places)] * count
    return [value if value is PLAIN else UNKNOWN] * count


def with_stored(
    values: Items | Many | Mapping, value: Value, target: ast.Subscript, assigned: ast.expr | None
) -> Value:
    """A list of which an element was given another value; one that is that element, moved, stands for all of them.

    Of a dictionary in which any key may have been given a value, nothing is known.
    """
    if isinstance(values, Mapping):
        return UNKNOWN if values.items else values
    before = element_of(values)
    if assigned is not None and is_moved_away(before, value) and ast.unparse(target) in ast.unparse(assigned):
        return Many(moved_value(before))
    return Many(joined(before, value))


def with_added(current: Items | Many, value: Value, method: str) -> Many:
    """A list with one element more, or with those of another."""
    if method == "extend":
        value = element_of(value) if isinstance(value, (Items, Many)) else UNKNOWN
    is_empty = isinstance(current, Items) and not current.elements
    before = None if is_empty else element_of(current)
    mixed = [*current.mixed] if isinstance(current, Many) else []
    others: list[Tensor] = [*current.added] if isinstance(current, Many) else []
    if isinstance(before, Tensor) and not others:
        others.append(before)
    if not isinstance(value, Tensor):
        return Many(joined(before, value), mixed, others)
    for each in others:
        for one, other in ((each, value), (value, each)):
            if one.is_certainly_on_cpu and one.rank not in (0, ANY) and not one.is_placeholder and other.is_known:
                mixed.append((one, other))
    is_new = not any(same(value, one) for one in others)
    return Many(joined(before, value), mixed, [*others, value] if is_new else others)


def spread_values(
    nodes: Iterable[ast.expr], value_of: Callable[[ast.expr], Value], of_many: int = 1
) -> tuple[list[Value], bool]:
    """The values of elements or arguments, some of which are unpacked by ``*``, and whether nobody knows how many.

    Of a list of unknown length so many are taken.
    """
    values: list[Value] = []
    is_open = False
    for each in nodes:
        value = value_of(each)
        if not isinstance(each, ast.Starred):
            values.append(value)
        elif isinstance(value, Items):
            values += value.elements
        else:
            is_open = True
            values += [value.element] * of_many if isinstance(value, Many) else [UNKNOWN]
    return values, is_open


def constant_of(node: ast.expr) -> object:
    """The value of a constant or a negative number; None for anything else."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        return -node.operand.value if isinstance(node.operand.value, int) else None
    return node.value if isinstance(node, ast.Constant) else None
