"""What is known of a value that is one of two."""

from __future__ import annotations

import ast
from collections.abc import Collection

from devlint.analysis.places.objects_on_devices.placed import Placed
from devlint.analysis.places.values import (
    ANY,
    NOWHERE_KNOWN,
    PLAIN,
    SOME,
    UNKNOWN,
    Alternatives,
    Device,
    Function,
    Instance,
    Items,
    Kind,
    Many,
    Mapping,
    Module,
    Names,
    Tensor,
    UnknownArgument,
    UnknownPart,
    UnknownValue,
    Value,
    tensors_in,
)
from devlint.syntax.python_tree.nodes import dotted_text, nodes_below
from devlint.torch_api.tensor_makers import MAKERS

_MOST_MODULES, LISTS = 6, ("list", "tuple")


def joined_rank(one: int, other: int) -> int:
    """The number of dimensions of one of two tensors."""
    if one == other:
        return one
    return ANY if ANY in (one, other) or 0 in (one, other) else SOME


def same(one: Value, other: Value) -> bool:
    """Whether the same is known of two values."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        return (one.places, one.rank, one.is_output) == (other.places, other.rank, other.is_output)
    if isinstance(one, (Device, UnknownPart)) and isinstance(other, (Device, UnknownPart)):
        return one.places == other.places
    if isinstance(one, Items) and isinstance(other, Items):
        return len(one.elements) == len(other.elements) and all(map(same, one.elements, other.elements))
    if isinstance(one, Many) and isinstance(other, Many):
        lengths = one.by_length, other.by_length
        return same(one.element, other.element) and same(*map(Mapping, lengths))  # type: ignore[arg-type]
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.items.keys() == other.items.keys() and all(
            same(one.items[key], other.items[key]) for key in one.items
        )
    if isinstance(one, Module) and isinstance(other, Module):
        return (one.definition, one.kind, one.is_new) == (other.definition, other.kind, other.is_new)
    if isinstance(one, Alternatives) and isinstance(other, Alternatives):
        return len(one.modules) == len(other.modules) and all(map(same, one.modules, other.modules))
    if isinstance(one, (Instance, Function)) and isinstance(other, (Instance, Function)):
        return one.definition is other.definition
    return False


def joined(one: Value | None, other: Value | None) -> Value:
    """What is known of a value that is one of two; a plain one is taken for None, which nobody computes with."""
    if one is None or other is None:
        return other or one or PLAIN
    if one is PLAIN or same(one, other):
        return other
    if other is PLAIN:
        return one
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        if one.is_placeholder != other.is_placeholder:
            return other if one.is_placeholder else one
        rank = _rank_of_either(one, other)
        if _is_put_somewhere(one, other) or _is_put_somewhere(other, one):
            return Tensor(NOWHERE_KNOWN, rank)
        return Tensor(one.places | other.places, rank, one.is_output and other.is_output)
    if isinstance(one, Device) and isinstance(other, Device):
        return Device(one.places | other.places)
    if (isinstance(one, Placed) or isinstance(other, Placed)) and _are_objects(one, other):
        return _either_object(one, other)
    if isinstance(one, UnknownPart) and isinstance(other, UnknownPart):
        return UnknownPart(one.places | other.places)
    if isinstance(one, (Items, Many)) and isinstance(other, (Items, Many)):
        return _joined_lists(one, other)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        keys = {**one.items, **other.items}
        return Mapping({key: joined(one.items.get(key, PLAIN), other.items.get(key, PLAIN)) for key in keys})
    if isinstance(one, (Module, Alternatives)) and isinstance(other, (Module, Alternatives)):
        return _either_module(one, other)
    return _joined_with_unknown(one, other)


def _rank_of_either(one: Tensor, other: Tensor) -> int:
    """The number of dimensions of one of two tensors; what is made of a list has some, whatever it is made for."""
    for made, given in ((one, other), (other, one)):
        if made.is_certainly_on_cpu and made.rank not in (0, ANY) and given.rank == ANY and not given.is_on_cpu:
            return SOME
    return joined_rank(one.rank, other.rank)


def _is_put_somewhere(one: Tensor, other: Tensor) -> bool:
    """Whether one is on the CPU only where the program does not put it on a device of its choice (no argument)."""
    kinds = {place.kind for place in other.places}
    is_put = other.places == NOWHERE_KNOWN or (Kind.ELSEWHERE in kinds and Kind.DEVICE not in kinds)
    return is_put and one.is_on_cpu and not other.is_on_cpu


def _joined_lists(one: Items | Many, other: Items | Many) -> Value:
    if isinstance(one, Items) and isinstance(other, Items):
        if len(one.elements) == len(other.elements):
            return Items(map(joined, one.elements, other.elements))
        if not one.elements or not other.elements:
            return one if one.elements else other
    mixed = [pair for each in (one, other) if isinstance(each, Many) for pair in each.mixed]
    added = [tensor for each in (one, other) if isinstance(each, Many) for tensor in each.added]
    different = [each for index, each in enumerate(added) if not any(same(each, before) for before in added[:index])]
    return Many(joined(element_of(one), element_of(other)), mixed, different, by_length=_either_length(one, other))


def _either_length(one: Items | Many, other: Items | Many) -> dict[int, Value]:
    """What is in one of two lists, for each length that it may have; nothing where nobody knows one of them."""
    of_one, of_other = (by_length(each) for each in (one, other))
    lengths = {**of_one, **of_other} if of_one and of_other else {}
    return {length: joined(of_one.get(length), of_other.get(length)) for length in lengths}


def by_length(value: Items | Many) -> dict[int, Value]:
    """A list for each length that it may have, where these are known."""
    return {len(value.elements): value} if isinstance(value, Items) else value.by_length


def _are_objects(*values: Value) -> bool:
    """Whether values may be objects that hold tensors."""
    return all(isinstance(one, (UnknownValue, Module, Alternatives, Instance)) for one in values)


def _either_object(one: Value, other: Value) -> Value:
    """One of two objects; where nothing is known of one, it is likely to be where the other is."""
    places = [each.places for each in (one, other) if isinstance(each, Placed)]
    is_same = isinstance(one, Placed) and isinstance(other, Placed) and one.definition is other.definition
    return Placed(frozenset().union(*places), one.definition if is_same and isinstance(one, Placed) else None)


def _joined_with_unknown(one: Value, other: Value) -> Value:
    """What is known where the one value says nothing of the other."""
    for known, unknown in ((one, other), (other, one)):
        if isinstance(known, Tensor):
            if known.is_placeholder:
                return unknown
            if isinstance(unknown, UnknownPart) and unknown.places <= known.places:
                return Tensor(known.places, ANY)
            is_vague = isinstance(unknown, UnknownValue) and not known.is_on_cpu
            given = unknown.places if isinstance(unknown, UnknownArgument) else frozenset()
            return Tensor(known.places | given | NOWHERE_KNOWN, ANY if is_vague else known.rank)
        if isinstance(known, Device):
            return Device(known.places | NOWHERE_KNOWN)
    return UNKNOWN


def _either_module(one: Module | Alternatives, other: Module | Alternatives) -> Value:
    """One of some modules, each of which may be called."""
    modules = [
        each for value in (one, other) for each in (value.modules if isinstance(value, Alternatives) else [value])
    ]
    different = [
        each for index, each in enumerate(modules) if not any(same(each, before) for before in modules[:index])
    ]
    return Alternatives(different) if len(different) <= _MOST_MODULES else Module()


def element_of(value: Items | Many) -> Value:
    """What is known of any element of a list."""
    if isinstance(value, Many):
        return value.element
    found: Value | None = None
    for each in value.elements:
        found = joined(found, each)
    return found or PLAIN


def merged(one: Names | None, other: Names | None) -> Names | None:
    """The values of names after one of two branches."""
    if one is None or other is None:
        return other if one is None else one
    found = dict(one)
    for name, value in other.items():
        before = found.get(name)
        if before is not value:
            found[name] = value if before is None else joined(before, value)
    return found


def merged_choice(node: ast.If, yes: Names | None, no: Names | None) -> Names | None:
    """The values of names after an ``if``; what one branch moves, ``x = x.to(y.device)``, is where it is needed."""
    after = merged(yes, no)
    if after is None or yes is None or no is None:
        return after
    changed = (name for name, value in yes.items() if no.get(name, value) is not value)
    moved = {name for name in changed if is_moved_away(yes[name], no[name])}
    given: dict[str, list[ast.expr]] = {}
    for one in nodes_below(node) if moved else ():
        if isinstance(one, ast.Assign):
            for name in moved & {dotted_text(part) for target in one.targets for part in nodes_below(target)}:
                given.setdefault(name, []).append(one.value)
    for name, values in given.items():
        if name != shown_as(node.test, LISTS) and all(is_made_from(value, name) for value in values):
            after[name] = moved_value(after[name])
    return after


def shown_as(test: ast.expr, wanted: Collection[str]) -> str:
    """The name that a test shows to stand for one of some types: ``isinstance(x, list)``; empty for another test."""
    if not isinstance(test, ast.Call) or dotted_text(test.func) != "isinstance" or len(test.args) != 2:
        return ""
    name, kind = test.args
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return dotted_text(name) if all(dotted_text(one) in wanted for one in kinds) else ""


def is_moved_away(one: Value, other: Value) -> bool:
    """Whether one of two values holds tensors on the CPU, and the other has them elsewhere."""
    sides = [[tensor.is_on_cpu for tensor in tensors_in(each)] for each in (one, other)]
    return all(sides) and any(sides[0]) != any(sides[1])


def moved_value(value: Value) -> Value:
    """What is known of a value that the program moves where it has to."""
    return Tensor(NOWHERE_KNOWN, value.rank) if isinstance(value, Tensor) else UNKNOWN


def is_made_from(node: ast.expr, name: str) -> bool:
    """Whether an expression may be the tensor of this name at another place; ``torch.tensor([name])`` is a new one."""
    if isinstance(node, ast.Call) and (dotted_text(node.func) or "").rpartition(".")[2] in MAKERS:
        return bool(name and node.args) and dotted_text(node.args[0]) == name
    return bool(name) and any(dotted_text(one) == name for one in nodes_below(node))
