"""What the attributes of an instance hold once it is ready, as ``__init__`` leaves them."""

from __future__ import annotations

from collections.abc import Iterable

from devlint.analysis.places.values import (
    ANYWHERE,
    AT_MODULE,
    PLAIN,
    UNKNOWN,
    Alternatives,
    Device,
    Instance,
    Items,
    Kind,
    Many,
    Module,
    Tensor,
    TensorPlace,
    Value,
)
from devlint.core.lazy_regex import regex

_MOVED_BY_NAME = regex(r"\bself\.(\w+)[ \t]*=[ \t]*self\.\1\.(?:to|cuda|cpu|type|float|half)\(")
_SET_BY_NAME = regex(r"\bsetattr\(\s*self\s*,\s*(?:[\"'](\w+)[\"']\s*,)?")
_MOVED_SOMEHOW = regex(r"\b(?:setattr|getattr|vars)\(|__dict__|\bfor\b")


def moves_by_name(method: str) -> bool:
    """Whether the text of a method that moves a module names what it moves: ``self.kept = self.kept.to(device)``."""
    return _MOVED_BY_NAME.search(method) is not None and _MOVED_SOMEHOW.search(method) is None


def may_be_set_by_name(attribute: str, methods: Iterable[str]) -> bool:
    """Whether one of some methods may give an attribute a value by its name: ``setattr(self, name, value)``."""
    every = (one for text in methods if "setattr(" in text for one in _SET_BY_NAME.finditer(text))
    return any(one[1] in (None, attribute) for one in every)


def stays(value: Value) -> bool:
    """Whether the value of an attribute is a tensor that stays on the CPU when the module is moved."""
    return isinstance(value, Tensor) and value.is_certainly_on_cpu and not value.is_placeholder


def kept(value: Value, devices: dict[str, str]) -> Value:
    """The value of an attribute of an instance that is no module, as ``__init__`` leaves it: it stays where it is."""
    if isinstance(value, Tensor) and not value.is_placeholder:
        return Tensor((_kept_place(one, devices) for one in value.places), value.rank)
    if isinstance(value, Device):
        return Device(_kept_place(one, devices) for one in value.places)
    return UNKNOWN


def _kept_place(place: TensorPlace, devices: dict[str, str]) -> TensorPlace:
    """A place as ``__init__`` knows it, as other methods know it, which have ``devices`` for its arguments."""
    if place.kind is Kind.DEVICE:
        return TensorPlace(Kind.ELSEWHERE, devices.get(place.name, place.name))
    return ANYWHERE if place.kind is Kind.ARGUMENT else place


def settled(value: Value) -> Value:
    """The value of an attribute after ``__init__``: tensors that are no parameters are not known then."""
    if isinstance(value, Tensor) and value.places == AT_MODULE:
        return value
    if isinstance(value, Module) and value.is_new:
        return Module(value.definition, value.kind)
    if isinstance(value, (Module, Alternatives, Instance)) or value is PLAIN:
        return value
    if isinstance(value, Many) and isinstance(value.element, (Module, Alternatives, Tensor)):
        return value
    if isinstance(value, Items) and all(isinstance(one, Module) for one in value.elements):
        return value
    return UNKNOWN
