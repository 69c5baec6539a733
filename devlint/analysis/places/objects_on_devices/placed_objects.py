"""Objects that are made on a device: ``Net(device=device)``, ``Net().to(device)``, and what is made of such objects."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from devlint.analysis.places.application import bound_to
from devlint.analysis.places.objects_on_devices.placed import Placed
from devlint.analysis.places.parameters import is_annotated_tensor
from devlint.analysis.places.tensor_methods import Given
from devlint.analysis.places.values import (
    ANY,
    NOWHERE,
    PLAIN,
    UNKNOWN,
    Device,
    Items,
    Kind,
    Many,
    Mapping,
    Places,
    Tensor,
    UnknownPart,
    Value,
)
from devlint.analysis.places.written.definitions import FunctionDefinition
from devlint.core.lazy_regex import regex
from devlint.syntax.python_tree.nodes import last_name
from devlint.torch_api.tensor_places import COUNTING_MAKERS

_MAY_MOVE = regex(r"device|cuda|gpu|to_|_to|prepare|move|place|put|send|distribute|shard", re.IGNORECASE)
_NOT_KNOWN = (Kind.CPU, Kind.ANYWHERE)


def device_given(start: FunctionDefinition | None, given: Given) -> Places:
    """The device that a call gives a class for its instance, which ``start`` makes ready."""
    names = [one.arg for one in start.positional[1:]] if start is not None else []
    device = {**dict(zip(names, given.arguments)), **given.keywords}.get("device")
    return _known(device.places) if isinstance(device, Device) else NOWHERE


def held_places(values: Iterable[Value]) -> Places:
    """Where the objects are that some values are or hold, all of which are on a device."""
    return _known(frozenset().union(*(one.places for one in _objects(values))))


def _objects(values: Iterable[Value]) -> Iterator[Placed]:
    for one in values:
        if isinstance(one, Placed):
            yield one
        elif isinstance(one, Items):
            yield from _objects(one.elements)
        elif isinstance(one, Many):
            yield from _objects([one.element])
        elif isinstance(one, Mapping):
            yield from _objects(one.items.values())


def _known(places: Places) -> Places:
    return NOWHERE if any(one.kind in _NOT_KNOWN for one in places) else places


def first_given(method: FunctionDefinition | None, given: Given) -> Iterator[Tensor]:
    """The tensors made on the CPU that a method computes with as they are; of an unknown one the first argument."""
    if method is None:
        every = given.arguments[:1] or [*given.keywords.values()]
    else:
        bound = bound_to(method, given, UNKNOWN)
        shown = {one.arg for one in method.parameters if is_annotated_tensor(one)}
        first = [one.arg for one in method.positional[1:2]]
        every = [value for name, value in bound.items() if name in (*shown, *first) and not may_move(method, name)]
    for one in every:
        if isinstance(one, Tensor) and one.is_certainly_on_cpu:
            if not all(place.name in COUNTING_MAKERS for place in one.places):
                yield one


def may_move(method: FunctionDefinition, name: str) -> bool:
    """Whether a method may move an argument itself, or make another of it."""
    return name in method.uses.moved or name in method.uses.converted or "to" in method.uses.of(name)


def made_on_cpu(given: Given) -> Value:
    """What a function of which nothing is known is likely to make of tensors on the CPU alone: another there."""
    is_known = all(isinstance(one, Tensor) or one is PLAIN for one in given.values)
    tensors = [one for one in given.values if isinstance(one, Tensor)]
    are_left = all(one.is_certainly_on_cpu and not one.is_placeholder and one.rank not in (0, ANY) for one in tensors)
    if not (tensors and is_known and are_left) or _MAY_MOVE.search(last_name(given.node.func)):
        return UNKNOWN
    return UnknownPart(frozenset().union(*(one.places for one in tensors)))
