"""Which meetings of a CPU tensor are certain: functions of the program show where both tensors are."""

from __future__ import annotations

import ast
from enum import Enum

from devlint.analysis.places.values import (
    ANY,
    CHOSEN,
    OTHER_MODULE,
    PERHAPS_COPY,
    Kind,
    Places,
    Site,
    Tensor,
    TensorPlace,
    UnknownPart,
    Value,
    site_of,
)
from devlint.analysis.places.written.definitions import FunctionDefinition
from devlint.analysis.places.written.moves import moved_to, moves
from devlint.analysis.project.default_devices import is_named_as_test
from devlint.core.lazy_regex import regex
from devlint.syntax.python_tree.nodes import dotted_text, last_name, nodes_below
from devlint.torch_api.tensor_makers import CPU_CONSTRUCTORS, MAKERS
from devlint.torch_api.tensor_places import CHANGES, EQUAL, JOINS, OF_TENSORS, TRITON_KERNEL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from devlint.analysis.places.meetings import MeetingRecorder
    from devlint.analysis.project.project import Project

_TESTS = regex(r"^[Tt]ests?(?:_|[A-Z]|$)|(?:_|[a-z])[Tt]ests?$|TestCase")
_OF_CPU = regex(r"(?:^|_)cpu(?:_|$)")
_IN_TESTS = regex(r"(?:^|[/\\])tests?[/\\].*\.py$")
_OF_SAMPLES = regex(r"^__(?:getitem|iter|next)__$|collate")
_OF_DATA = CPU_CONSTRUCTORS | {"tensor", "as_tensor", "asarray"}
"""Makers that are given the numbers that a tensor holds, and not its sizes."""
_EXPORTS = ("onnx.export", "onnx.dynamo_export", "jit.trace", "jit.trace_module", "export.export")
"""How functions are called that put a model in another form, which is done on the CPU."""
_WRITTEN_AT = frozenset({Kind.CPU, Kind.ARGUMENT, Kind.DEVICE, Kind.MODULE, Kind.ANYWHERE})
"""Where a tensor may be that is made on the CPU on some path, and is what the function has on the others."""

_WITH_NUMBERS = CHANGES | {EQUAL}
"""Operations in which a tensor with one element must be where the other is, and nothing takes its place before."""


class Evidence(Enum):
    """How much of a meeting a function shows."""

    NONE = "perhaps the two tensors are on one device"
    OPEN = "all but where an argument is, which its callers know"
    WHOLE = "it makes the one on the CPU, and has the other on a device"


def is_test_path(project: Project) -> bool:
    """Whether a file holds tests, by its path in the project."""
    path = project.path.removeprefix(project.root or "")
    return is_named_as_test(path) or _IN_TESTS.search(path) is not None


def _is_test(function: FunctionDefinition) -> bool:
    """Whether a function tests, by its name or that of its class: only a device that it is given shows something."""
    owner = function.owner.node.name if function.owner is not None else ""
    return _TESTS.search(function.node.name) is not None or _TESTS.search(owner) is not None


def may_be_certain(function: FunctionDefinition) -> bool:
    """Whether a function may show where its tensors are: not if it exports, or makes samples, on the CPU."""
    name = function.node.name
    owner = function.owner.node.name if function.owner is not None else ""
    if _OF_CPU.search(name) or _OF_CPU.search(owner) or _OF_SAMPLES.search(name):
        return False
    return not any(dotted_text(one.func).endswith(_EXPORTS) for one in function.uses.calls)


def is_in_pipeline(function: FunctionDefinition) -> bool:
    """Whether a function is a method of a class whose modules are given to it: ``register_modules(unet=unet)``."""
    return function.owner is not None and "register_modules(" in function.owner.home.text


def evidence_of(recorder: MeetingRecorder, sites: frozenset[Site], one: Tensor, other: Tensor, kind: str) -> Evidence:
    """What the function shows of a tensor that is made on the CPU, and meets another."""
    if kind == TRITON_KERNEL:
        return Evidence.WHOLE  # which runs on a device, whatever it is given
    if kind == OTHER_MODULE or (kind == "index" and other.rank == ANY):
        return Evidence.NONE
    is_number = one.is_placeholder and kind not in _WITH_NUMBERS and not _is_joined(recorder, sites, kind)
    if is_number or any(place.name == PERHAPS_COPY for place in one.places):
        return Evidence.NONE
    if one.rank == ANY or other.is_output:
        return Evidence.NONE
    if kind.startswith("Tensor.") and kind.removeprefix("Tensor.").rstrip("_") not in OF_TENSORS:
        return Evidence.NONE
    if not _is_at_named(one) or _is_of_generator(recorder, sites, other.places):
        return Evidence.NONE
    return evidence_of_places(recorder, other.places)


def _is_at_named(tensor: Tensor) -> bool:
    """Whether a tensor is at places that the function names: where it makes it, or what it is given, or the module."""
    kinds = {place.kind for place in tensor.places}
    return kinds <= _WRITTEN_AT or (Kind.DEVICE in kinds and kinds <= _WRITTEN_AT | {Kind.ELSEWHERE})


def evidence_beside(recorder: MeetingRecorder, sites: frozenset[Site], partner: Places) -> Evidence:
    """What it shows of one that goes with another: both are made there, and the one is more than a number."""
    function = recorder.function.node
    is_made_here = all(function.lineno <= site.row <= (function.end_lineno or 0) for site in sites)
    if not is_made_here or _is_test(recorder.function):
        return Evidence.NONE
    made = [one for one in recorder.function.uses.calls if _stands_at(one, sites)]
    if any(_is_list_of_one(one) for one in made) or _is_of_generator(recorder, sites, partner):
        return Evidence.NONE
    return evidence_of_places(recorder, partner)


def evidence_of_places(recorder: MeetingRecorder, places: Places) -> Evidence:
    """Whether a function shows that places are those of a device, of its module, or of tensors on a device."""
    if not recorder.may_be_certain:
        return Evidence.NONE
    if any(one.kind is not Kind.DEVICE for one in places) and _is_test(recorder.function):
        return Evidence.NONE
    every = [_evidence(recorder, place) for place in places]
    return next((one for one in (Evidence.NONE, Evidence.OPEN) if one in every), Evidence.WHOLE)


def _evidence(recorder: MeetingRecorder, place: TensorPlace) -> Evidence:
    if place.kind is Kind.ARGUMENT:
        return Evidence.WHOLE if _is_on_device(recorder, place.name) else Evidence.OPEN
    return Evidence.WHOLE if _is_shown(recorder, place) else Evidence.NONE


def _is_shown(recorder: MeetingRecorder, place: TensorPlace) -> bool:
    function = recorder.function
    if place.kind is Kind.DEVICE:
        return True
    if place.kind is Kind.ELSEWHERE:
        return bool(place.name) and _is_more_than_compared(function, place.name)
    if place.kind is not Kind.MODULE:
        return False
    if not recorder.is_in_module:
        return place.name in recorder.asked or (is_in_pipeline(function) and function.uses.knows_devices)
    return _is_forward(function) or function.uses.knows_devices or bool(recorder.shown_tensors)


def _is_forward(function: FunctionDefinition) -> bool:
    """Whether a method of a module is its ``forward``, is called there, or calls it with what it is given itself."""
    forward = function.owner.members.get("forward") if function.owner is not None else None
    name = function.node.name
    if name == "forward" or (forward is not None and f"{function.instance}.{name}(" in forward.text):
        return True
    called = [one for one in function.uses.calls if dotted_text(one.func) == f"{function.instance}.forward"]
    given = {getattr(each, "id", "") for one in called for each in one.args}
    return any(one.arg in given for one in function.parameters)


def _is_on_device(recorder: MeetingRecorder, name: str) -> bool:
    """Whether a function shows that an argument is a tensor on a device."""
    is_backward = recorder.is_in_autograd and recorder.function.node.name == "backward"
    if name in recorder.asked or (is_backward and not _is_step_on_cpu(recorder.function)):
        return True
    if name not in recorder.shown_tensors and name not in recorder.handed:
        return False
    if name in recorder.placed:
        return True
    function = recorder.function
    is_forward = recorder.is_in_module and function.node.name == "forward"
    is_own = recorder.is_in_module and not recorder.program.is_called(function) and not _fills_parameters(function)
    is_aware = function.uses.knows_devices and not moves(function)
    return is_forward or is_own or is_aware or _is_asked(function, name)


def _is_step_on_cpu(backward: FunctionDefinition) -> bool:
    """Whether a step forward gives only what it makes on the CPU, where the gradient of that is, too."""
    owner = backward.owner
    nodes = nodes_below(owner.method("forward").node) if owner is not None and "forward" in owner.members else []
    given = {dotted_text(one.value) for one in nodes if isinstance(one, ast.Return) and one.value is not None}
    assigns = [one for one in nodes if isinstance(one, ast.Assign) and dotted_text(one.targets[0]) in given]
    made = (one.value for one in assigns)
    on_cpu = (isinstance(one, ast.Call) and last_name(one.func) in MAKERS and not one.keywords for one in made)
    return bool(given) and {dotted_text(one.targets[0]) for one in assigns} == given and all(on_cpu)


def _fills_parameters(function: FunctionDefinition) -> bool:
    """Whether a method gives parameters their values, before the module is moved: ``x.weight.data = y``."""
    targets = (one.targets[0] for one in nodes_below(function.node) if isinstance(one, ast.Assign))
    filled = (one.value if isinstance(one, ast.Subscript) else one for one in targets)
    return any(dotted_text(one).endswith(".data") for one in filled)


def _is_asked(function: FunctionDefinition, name: str) -> bool:
    """Whether a name is asked for its device, and not only to move others there: ``model.to(x.device)``."""
    if "device" not in function.uses.of(name):
        return False
    asked, followed = (
        sum(_is_written(one, f"{name}.device") for one in nodes)
        for nodes in (nodes_below(function.node), moved_to(function))
    )
    return asked > followed


def asked_of(recorder: MeetingRecorder, node: ast.Attribute, value: Value) -> Value:
    """A value that an attribute is asked of; notes which arguments, or parts of them, are asked for their device."""
    if node.attr == "device" and isinstance(value, (Tensor, UnknownPart)):
        names = {one.name for one in value.places if one.kind in (Kind.ARGUMENT, Kind.MODULE)}
        if not names <= recorder.asked and all(one is not node for one in moved_to(recorder.function)):
            recorder.asked |= names
    return value


def note_place(recorder: MeetingRecorder, one: Tensor, other: Tensor) -> None:
    """Note an argument that is computed with what the program puts on a device: it is there, too."""
    if len(one.places) != 1 or one.rank in (0, ANY) or recorder.depth:
        return
    (place,) = one.places
    if place.kind is Kind.ARGUMENT and other.places and all(map(_is_chosen, other.places)):
        recorder.placed.add(place.name)


def _is_chosen(place: TensorPlace) -> bool:
    return place.kind is Kind.DEVICE or (place.kind is Kind.ELSEWHERE and bool(place.name))


def _is_more_than_compared(function: FunctionDefinition, device: str) -> bool:
    """Whether a function does more with a device than to ask which it is: ``if x.device != torch.device("cpu")``.

    One that it does not name is what another function gave, or an attribute was given.
    """
    every = nodes_below(function.node)
    compared = [below for one in every if isinstance(one, ast.Compare) for below in nodes_below(one)]
    counts = [sum(_is_written(one, device) for one in nodes) for nodes in (every, compared)]
    return counts[0] != counts[1] or not counts[0]


def _is_written(node: ast.AST, device: str) -> bool:
    return isinstance(node, ast.Attribute) and device.endswith(node.attr) and ast.unparse(node) == device


def _is_of_generator(recorder: MeetingRecorder, sites: frozenset[Site], partner: Places) -> bool:
    """Whether numbers are drawn by a generator that is on the device of what they meet: torch allows no other."""
    devices = {f"{one.name}.device" if one.kind is Kind.ARGUMENT else one.name for one in partner}
    calls = [one for one in recorder.function.uses.calls if _stands_at(one, sites)] if devices else []
    given = [one.value for call in calls for one in call.keywords if one.arg == "generator"]
    return any(f"{ast.unparse(one)}.device" in devices for one in given)


def _stands_at(call: ast.Call, sites: frozenset[Site]) -> bool:
    return site_of(call) in sites


def _is_list_of_one(call: ast.Call) -> bool:
    """``torch.tensor([n])``, which holds a number."""
    data = call.args[0] if call.args and last_name(call.func) in _OF_DATA else None
    return isinstance(data, (ast.List, ast.Tuple)) and len(data.elts) == 1


def _is_joined(recorder: MeetingRecorder, sites: frozenset[Site], kind: str) -> bool:
    """Whether a tensor with one element is joined with others: ``torch.cat([torch.tensor([0]), x])``."""
    made = [one for one in recorder.function.uses.calls if _stands_at(one, sites)]
    sizes = [
        each for one in made for each in (*one.args[:1], *(more.value for more in one.keywords if more.arg == "size"))
    ]
    is_empty = any(getattr(one, "value", None) == 0 or not getattr(one, "elts", [0]) for one in sizes)
    return kind.rpartition(".")[2] in JOINS and bool(made) and not is_empty


def may_be_elsewhere(recorder: MeetingRecorder, place: TensorPlace) -> bool:
    """Whether the program shows that a place may be another device than the CPU."""
    if place.kind in CHOSEN:
        return True
    function, program = recorder.function, recorder.program
    is_aware = recorder.is_in_module or recorder.is_in_autograd or function.uses.knows_devices
    if place.kind is Kind.MODULE:
        return is_aware or function.owner is not None or program.says_where
    if place.kind is not Kind.ARGUMENT:
        return False
    return is_aware or program.is_aware and not program.is_called(function)
