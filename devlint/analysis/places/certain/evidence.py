"""Which meetings of a CPU tensor are certain: the function that makes it shows where both tensors are."""

from __future__ import annotations

import ast

from devlint.analysis.places.parameters import shown_tensors
from devlint.analysis.places.values import ANY, Kind, Places, Site, Tensor, TensorPlace
from devlint.analysis.places.written.definitions import FunctionDefinition
from devlint.core.lazy_regex import regex
from devlint.syntax.python_tree.nodes import dotted_text, nodes_below
from devlint.torch_api.tensor_places import OF_TENSORS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from devlint.analysis.places.meetings import MeetingRecorder

_TESTS = regex(r"^[Tt]ests?(?:_|[A-Z]|$)|(?:_|[a-z])[Tt]ests?$|TestCase")
_OF_SAMPLES = regex(r"^__(?:getitem|iter|next)__$|collate")
_UNKNOWN_MODULE = "module"
"""The kind of a call of a module of which nothing is known: it may move what it is given."""
_WRITTEN_AT = (Kind.CPU, Kind.ARGUMENT, Kind.MODULE)
"""Where a tensor may be that is made on the CPU on some path, and is what the function has on the others."""


def may_be_certain(function: FunctionDefinition) -> bool:
    """Whether a function may show where its tensors are: not if it is a test, or makes samples, on the CPU."""
    name = function.node.name
    owner = function.owner.node.name if function.owner is not None else ""
    return not (_TESTS.search(name) or _TESTS.search(owner) or _OF_SAMPLES.search(name))


def is_evident(recorder: MeetingRecorder, sites: frozenset[Site], one: Tensor, other: Tensor, kind: str) -> bool:
    """Whether the function shows that a tensor is made on the CPU there, and that what it meets is on a device."""
    node = recorder.function.node
    if recorder.depth or kind == _UNKNOWN_MODULE or (kind == "index" and other.rank == ANY):
        return False
    if one.is_placeholder or one.rank == ANY or other.is_output:
        return False
    if kind.startswith("Tensor.") and kind.removeprefix("Tensor.").rstrip("_") not in OF_TENSORS:
        return False
    if any(place.kind not in _WRITTEN_AT for place in one.places):
        return False
    if not all(node.lineno <= site.row <= (node.end_lineno or 0) for site in sites):
        return False
    return may_be_certain(recorder.function) and _are_shown(recorder, other.places)


def _are_shown(recorder: MeetingRecorder, places: Places) -> bool:
    """Whether a function shows that places are those of a device, of its module, or of tensors on a device."""
    shown = shown_tensors(recorder.program, recorder.function, recorder.is_in_module)
    return all(_is_shown(recorder, place, shown) for place in places)


def _is_shown(recorder: MeetingRecorder, place: TensorPlace, shown: frozenset[str]) -> bool:
    if place.kind is Kind.DEVICE:
        return True
    if place.kind is Kind.ELSEWHERE:
        return bool(place.name) and _is_more_than_compared(recorder.function, place.name)
    function = recorder.function
    knows = function.uses.knows_devices
    is_forward = recorder.is_in_module and function.node.name == "forward"
    if place.kind is Kind.MODULE:
        return is_forward or (recorder.is_in_module and (knows or bool(shown)))
    if place.kind is not Kind.ARGUMENT or place.name not in shown:
        return False
    is_own = recorder.is_in_module and not recorder.program.is_called(function)
    return is_forward or is_own or "device" in function.uses.of(place.name) or (knows and not _moves(function))


def _is_more_than_compared(function: FunctionDefinition, device: str) -> bool:
    """Whether a function does more with a device than to ask which it is: ``if x.device != torch.device("cpu")``."""
    every = nodes_below(function.node)
    compared = [below for one in every if isinstance(one, ast.Compare) for below in nodes_below(one)]
    counts = [sum(dotted_text(one) == device for one in nodes) for nodes in (every, compared)]
    return counts[0] > counts[1] or "." not in device


def _moves(function: FunctionDefinition) -> bool:
    """Whether a function is given a device, or moves something: its arguments may be on the CPU until then."""
    return any(one.arg == "device" for one in function.parameters) or any(
        isinstance(one.func, ast.Attribute) and one.func.attr in ("to", "cuda") for one in function.uses.calls
    )
