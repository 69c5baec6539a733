"""What is known of functions and classes of another file, in terms that the file which uses them understands."""

from __future__ import annotations

from devlint.analysis.places.function_summary import FunctionSummary
from devlint.analysis.places.statements.lists import changed
from devlint.analysis.places.values import (
    NOWHERE_KNOWN,
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
    Places,
    Tensor,
    TensorPlace,
    Value,
    tensors_in,
)
from devlint.analysis.places.written.definitions import FunctionDefinition


def from_outside(
    function: FunctionDefinition, summary: FunctionSummary | None, is_lent: bool = False
) -> FunctionSummary | None:
    """What a call of a function of another file does.

    Nothing is said of tensors that are made there on the CPU, but for a file that is lent to this one.
    """
    if summary is None:
        return None
    names = {function.instance, *(function.home.devices if function.home is not None else ())}
    seen = FunctionSummary()
    seen.flags = summary.flags
    seen.arguments = {
        (name, partner): operation._replace(place=None)
        for (name, partner), operation in summary.arguments.items()
        if _is_understood(partner, names)
    }
    if not summary.may_give_number or not any(tensors_in(summary.result)):
        seen.result = lent_value(summary.result) if is_lent else value_from_outside(summary.result, names)
    return seen


def lent_value(value: Value) -> Value:
    """A value of a file that is lent: where it makes tensors on the CPU, told by rows below zero."""
    if isinstance(value, Tensor):
        return Tensor(map(_lent_place, value.places), value.rank, value.is_output)
    if isinstance(value, Items):
        return Items(map(lent_value, value.elements))
    return UNKNOWN


def _lent_place(place: TensorPlace) -> TensorPlace:
    return place._replace(sites=frozenset(one._replace(row=-one.row) for one in place.sites))


def is_lent(value: Value) -> bool:
    """Whether a value holds a tensor that was made in a file that is lent."""
    sites = (site for one in tensors_in(value) for place in one.places for site in place.sites)
    return any(one.row < 0 for one in sites)


def value_from_outside(value: Value, names: set[str]) -> Value:
    """A value of another file; ``names`` are those whose devices are the same for whoever asks."""
    if isinstance(value, Tensor):
        is_understood = not value.is_on_cpu and _is_understood(value.places, names)
        return Tensor(value.places if is_understood else NOWHERE_KNOWN, value.rank, value.is_output)
    if isinstance(value, Device):
        return value if _is_understood(value.places, names) else Device(NOWHERE_KNOWN)
    if isinstance(value, Items):
        return Items(value_from_outside(one, names) for one in value.elements)
    if isinstance(value, Many):
        return changed(value, lambda one: value_from_outside(one, names))
    if isinstance(value, Mapping):
        return Mapping({key: value_from_outside(one, names) for key, one in value.items.items()})
    if isinstance(value, InlineFunction) or (isinstance(value, Function) and value.names is not None):
        return UNKNOWN
    return value


def is_certain(value: Value) -> bool:
    """Whether a function of another file certainly gives this: more is known of it than of what it is given."""
    tensors = [*tensors_in(value)]
    is_object = isinstance(value, (Device, Module, Instance))
    return is_object or (bool(tensors) and all(one.is_known for one in tensors))


def _is_understood(places: Places, names: set[str]) -> bool:
    """Whether places are no devices of what only another function knows: ``x.device`` there is another here."""
    starts = [one.name.partition(".")[0] for one in places if one.kind is Kind.ELSEWHERE and one.name]
    return all(one in names for one in starts)
