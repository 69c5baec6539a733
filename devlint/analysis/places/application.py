"""A call of a function of the file: its summary, with the arguments of the call in place of its parameters."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from devlint.analysis.places.call_flags import CallFlags
from devlint.analysis.places.function_summary import FunctionSummary
from devlint.analysis.places.joins import element_of
from devlint.analysis.places.meetings import MeetingRecorder
from devlint.analysis.places.objects_on_devices.placed import Placed
from devlint.analysis.places.parameters import is_annotated_tensor
from devlint.analysis.places.statements.lists import changed
from devlint.analysis.places.tensor_methods import Given
from devlint.analysis.places.values import (
    ANY,
    ANYWHERE,
    CHOSEN,
    NOWHERE_KNOWN,
    PLAIN,
    UNKNOWN,
    Device,
    Items,
    Kind,
    Many,
    Mapping,
    Names,
    Places,
    Tensor,
    TensorPlace,
    UnknownArgument,
    UnknownPart,
    Value,
    tensors_in,
)
from devlint.analysis.places.written.definitions import FunctionDefinition
from devlint.syntax.python_tree.nodes import parameters_with_defaults

_OF_CALLER = (Kind.ARGUMENT, Kind.DEVICE)
_NOT_KNOWN = (Kind.CPU, Kind.ANYWHERE)


def apply(
    recorder: MeetingRecorder,
    function: FunctionDefinition,
    summary: FunctionSummary,
    given: Given,
    instance: Value | None,
) -> Value:
    """What a call gives, and what meets in it, from the summary of the function."""
    bound = bound_to(function, given, instance)
    known: dict[Places, Places] = {}

    def places_of(partner: Places) -> Places:
        """Where a partner is for this call; nothing where nobody knows."""
        if partner not in known:
            found = _with_arguments(partner, bound)
            known[partner] = frozenset() if any(one.kind in _NOT_KNOWN for one in found) else found
        return known[partner]

    flags = CallFlags(recorder.function, function, summary.flags, given, instance, bound)
    for (name, partner), (kind, recorder.called) in summary.arguments.items():
        places = frozenset() if flags.never_meets((name, partner)) else places_of(partner)
        value = bound.get(name, UNKNOWN)
        if places and isinstance(value, UnknownArgument):
            recorder.argument_meets(value.name, Tensor(places, 0), given.node, kind)
        for tensor in tensors_in(value) if places else ():
            if tensor.rank not in (0, ANY):
                recorder.where(flags.of((name, partner)), recorder.meet, tensor, Tensor(places, 0), given.node, kind)
    for notes, found_by in ((summary.conditions, recorder.found), (summary.open, recorder.found_by_call)):
        for (sites, partner), (kind, recorder.called) in notes.items():
            places = frozenset() if flags.never_meets((sites, partner)) else places_of(partner)
            if places:
                recorder.handed |= _handed(function, partner, bound)
                recorder.where(flags.of((sites, partner)), found_by, sites, places, given.node, kind)
    recorder.called = None
    skipped = flags.skipped_sites
    return _instantiated(without_sites(summary.result, skipped) if skipped else summary.result, bound)


def _handed(function: FunctionDefinition, partner: Places, bound: Names) -> set[str]:
    """The arguments of the caller that are certainly tensors, as what is called says of them."""
    given = {one.name: bound.get(one.name, UNKNOWN) for one in partner if one.kind is Kind.ARGUMENT}
    shown = {one.arg for one in function.parameters if one.arg in given and is_annotated_tensor(one)}
    return {value.name for name, value in given.items() if name in shown and isinstance(value, UnknownArgument)}


def bound_to(function: FunctionDefinition, given: Given, instance: Value | None) -> Names:
    """The values of the parameters."""
    names = [one.arg for one in function.positional]
    arguments = [*given.arguments]
    if function.is_method and instance is not None:
        arguments.insert(0, instance)
    bound = defaults(function, given)
    bound.update(zip(names, arguments))
    bound.update(given.keywords)
    return bound


def is_left_on_cpu(start: FunctionDefinition, given: Given) -> bool:
    """Whether a call of a class, which ``start`` makes ready, gives it the CPU for its device, or nothing."""
    if given.is_open or all(one.arg != "device" for one in start.parameters):
        return False
    names = [one.arg for one in start.positional[1:]]
    nodes: dict[str | None, ast.expr] = {**dict(zip(names, given.node.args))}
    nodes.update((one.arg, one.value) for one in given.node.keywords)
    if isinstance(node := nodes.get("device"), ast.Constant) and node.value is None:
        return False
    return {**dict(zip(names, given.arguments)), **given.keywords}.get("device", PLAIN) is PLAIN


def defaults(function: FunctionDefinition, given: Given) -> Names:
    """The values of the parameters that a call does not give."""
    return {
        one.arg: UNKNOWN if given.is_open or isinstance(default, (ast.Name, ast.Attribute, ast.Call)) else PLAIN
        for one, default in parameters_with_defaults(function.node.args)
    }


def _with_arguments(places: Places, bound: Names) -> Places:
    """Places of a summary, those of its arguments replaced by where these are."""
    found: set[TensorPlace] = set()
    for place in places:
        if place.kind not in _OF_CALLER:
            found.add(place)
            continue
        value = bound.get(place.name, UNKNOWN)
        if isinstance(value, Tensor) and value.rank == 0 and value.is_on_cpu:
            found.add(ANYWHERE)  # what is computed from it is where its other operands are
        elif isinstance(value, (Tensor, Device)):
            found |= value.places
        elif isinstance(value, UnknownPart):
            found |= value.places
        elif isinstance(value, (Items, Many, Mapping)):
            tensors = [*tensors_in(value)]
            found |= frozenset().union(*(one.places for one in tensors)) if tensors else NOWHERE_KNOWN
        elif value is not PLAIN or place.kind is Kind.DEVICE:
            found.add(ANYWHERE)
    return frozenset(found)


def without_sites(value: Value, skipped: set[object]) -> Value:
    """A value of which tensors are not made where a call never comes."""
    if isinstance(value, Tensor) and value.is_on_cpu:
        kept = (one._replace(sites=one.sites - skipped) if one.kind is Kind.CPU else one for one in value.places)
        places = [one for one in kept if one.kind is not Kind.CPU or one.sites]
        return Tensor(places, value.rank, value.is_output) if places else UNKNOWN
    if isinstance(value, Items):
        return Items(without_sites(one, skipped) for one in value.elements)
    if isinstance(value, Many):
        return changed(value, lambda one: without_sites(one, skipped))
    return value


def _instantiated(value: Value, bound: Names) -> Value:
    """The result of a summary for these arguments."""
    if isinstance(value, Tensor):
        places = _with_arguments(value.places, bound)
        if _is_moved_cpu(value.places, places):
            return Tensor(NOWHERE_KNOWN, value.rank, value.is_output)
        if places:
            return Tensor(places, value.rank, value.is_output)
        return PLAIN if all(one.kind is Kind.ARGUMENT for one in value.places) else UNKNOWN
    if isinstance(value, UnknownArgument):
        return bound.get(value.name, UNKNOWN)
    if isinstance(value, Placed):
        places = _with_arguments(value.places, bound)
        return Placed(places, value.definition) if places and ANYWHERE not in places else UNKNOWN
    if isinstance(value, UnknownPart):
        places = _with_arguments(value.places, bound)
        return UnknownPart(places) if places and ANYWHERE not in places else UNKNOWN
    if isinstance(value, Device):
        return Device(_with_arguments(value.places, bound) or NOWHERE_KNOWN)
    if isinstance(value, Items):
        return Items(_instantiated(one, bound) for one in value.elements)
    if isinstance(value, Many):
        return changed(value, lambda one: _instantiated(one, bound))
    if isinstance(value, Mapping):
        return Mapping({key: _instantiated(one, bound) for key, one in value.items.items()})
    return value


def _is_moved_cpu(written: Places, places: Places) -> bool:
    """Whether an argument on the CPU is what a function gives, unless the function puts it on a device."""
    return any(one.kind in CHOSEN for one in written) and any(one.kind is Kind.CPU for one in places - written)


def left_on_cpu(summary: FunctionSummary | None, instance: str) -> Names:
    """The attributes that a method leaves on the CPU, which it has made there: ``self.cache``."""
    left = summary.attributes.items() if summary is not None else ()
    return {f"{instance}.{name}": value for name, value in left if _is_left(value)}


def _is_left(value: Value) -> bool:
    return isinstance(value, Tensor) and value.is_certainly_on_cpu and not value.is_placeholder


def made_of(given: Given) -> Value:
    """What an unknown function gives: if it is a tensor, then where those are that the function is given."""
    tensors = [one for each in given.values for one in tensors_in(each)]
    parts = [one.places for one in given.values if isinstance(one, UnknownPart)]
    if not tensors and any(isinstance(one, UnknownArgument) for one in given.values):
        return UNKNOWN
    if not (tensors or parts) or not all(one.is_known for one in tensors):
        return UNKNOWN
    return UnknownPart(frozenset().union(*parts, *(one.places for one in tensors)))


def of_any(values: Iterable[Value]) -> Value:
    """What one of several modules gives; what only some of them make on the CPU, the program may not use here."""
    every = [*values]
    are_on_cpu = [any(one.is_on_cpu for one in tensors_in(value)) for value in every]
    return element_of(Items(every)) if all(are_on_cpu) or not any(are_on_cpu) else UNKNOWN
