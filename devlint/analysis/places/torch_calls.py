"""What functions of torch and modules of torch.nn give, and which of their tensors must be on one device."""

from __future__ import annotations

from devlint.analysis.places.device_names import named_by_call
from devlint.analysis.places.joins import element_of
from devlint.analysis.places.makers import made_tensor, tensor_on_cpu
from devlint.analysis.places.meetings import MeetingRecorder
from devlint.analysis.places.operations import result_of, shown_tensor
from devlint.analysis.places.tensor_methods import Given, less, pair_of, squeezed
from devlint.analysis.places.values import (
    ANY,
    ANYWHERE,
    AT_MODULE,
    ELSEWHERE,
    NOWHERE_KNOWN,
    OTHER_MODULE,
    PLAIN,
    SOME,
    UNKNOWN,
    Alternatives,
    Device,
    Items,
    Many,
    Module,
    Tensor,
    UnknownArgument,
    UnknownValue,
    Value,
    tensors_in,
)
from devlint.torch_api import tensor_places as table
from devlint.torch_api.layers import RECURRENT_LAYERS, WEIGHTED_LAYERS
from devlint.torch_api.tensor_makers import CPU_CONSTRUCTORS, MAKE_LIKE, MAKERS


def torch_call(recorder: MeetingRecorder, name: str, given: Given) -> Value:
    """``torch.….function(...)`` with its full name."""
    module, _, function = name.rpartition(".")
    if module == "torch" and function in MAKERS:
        return made_tensor(function, given)
    if name == "torch.device":
        return _device(given, recorder.names_devices)
    first = given.arguments[0] if given.arguments else UNKNOWN
    if name == "torch.autograd.Variable":
        return first
    if module == "torch" and function in MAKE_LIKE:
        device = given.keywords.get("device")
        if device is not None:
            return Tensor(device.places if isinstance(device, (Device, Tensor)) else NOWHERE_KNOWN)
        return first.at(SOME) if isinstance(first, Tensor) else UNKNOWN
    is_function = module in ("torch", "torch.nn.functional", "torch.nn.utils.rnn")
    if is_function and function in table.INDEPENDENT_FUNCTIONS:
        return Items(given.arguments) if function == "broadcast_tensors" else UNKNOWN
    if name.startswith(table.OTHER_MODULES):
        return Tensor([ELSEWHERE]) if module == "torch.cuda" and function in CPU_CONSTRUCTORS else UNKNOWN
    if module.startswith("torch.nn") and function[:1].isupper():
        return _of_nn(recorder, function, first)
    if function.endswith("Tensor"):
        is_made = module == "torch" and function in CPU_CONSTRUCTORS and not isinstance(first, Tensor)
        is_made = is_made and "device" not in given.keywords
        return tensor_on_cpu(given.node) if is_made and given.arguments else UNKNOWN
    if function.startswith("pack") and module == "torch.nn.utils.rnn":
        return UNKNOWN
    prefix = "F" if module == "torch.nn.functional" else module
    return _operation(recorder, f"{prefix}.{function}", function, given)


def _of_nn(recorder: MeetingRecorder, name: str, first: Value) -> Value:
    """A parameter, or a module of torch.nn; before the module is moved, its parameters are where it is."""
    if name in ("Parameter", "Buffer"):
        return Tensor(AT_MODULE) if recorder.is_silent else first
    if name == "ParameterList":
        return Many(Tensor(AT_MODULE))
    if name == "ModuleList":
        element = element_of(first) if isinstance(first, (Items, Many)) else UNKNOWN
        return Many(element if isinstance(element, (Module, Alternatives)) else Module())
    is_new = not recorder.is_silent and (name == "Sequential" or name.startswith(WEIGHTED_LAYERS))
    return Module(kind=name, is_new=is_new)


def _device(given: Given, names_devices: bool) -> Value:
    """``torch.device(...)``."""
    if names_devices:
        return named_by_call(given.node, given.arguments[0] if given.arguments else UNKNOWN)
    named = given.node.args[0] if given.node.args else None
    text = getattr(named, "value", None)
    if isinstance(text, str):
        return PLAIN if text == "cpu" else Device([ELSEWHERE])
    first = given.arguments[0] if given.arguments else UNKNOWN
    return first if isinstance(first, Device) else Device([ANYWHERE])


def _operation(recorder: MeetingRecorder, kind: str, function: str, given: Given) -> Value:
    """A function that computes something from tensors, all of which must be on one device."""
    if function in table.NUMBERS_AFTER_FIRST:
        given = given._replace(arguments=given.arguments[:1], keywords={})
    if kind.startswith("torch.linalg.") or function in table.ONLY_TENSORS:
        given = given._replace(arguments=[shown_tensor(one) for one in given.arguments])
    if isinstance(device := given.keywords.get("device"), (Device, Tensor)):
        return Tensor(device.places)  # as torch.sparse_coo_tensor, which moves what it is given
    used = [*(value for name, value in given.keywords.items() if name != "generator"), *given.arguments]
    tensors = recorder.meet_all(used, given.node, kind)
    first = given.arguments[0] if given.arguments else given.keywords.get("tensors", UNKNOWN)
    if function in table.JOINS:
        return _joined(recorder, first, given, kind)
    if function == "where" and len(used) == 1:
        return Many(used[0]) if isinstance(used[0], Tensor) else UNKNOWN
    if function == "meshgrid":
        lists = first if len(given.arguments) == 1 and isinstance(first, (Items, Many)) else Items(given.arguments)
        if isinstance(lists, Many):
            return lists
        return Items(one.at(SOME) if isinstance(one, Tensor) else one for one in lists.elements)
    if not tensors:
        return UNKNOWN
    if function in table.PARTS_METHODS:
        return Many(tensors[0].at(less(tensors[0].rank) if function == "unbind" else SOME))
    if len(tensors) == 1:
        has_dimension = len(given.arguments) > 1 or bool(given.keywords)
        if function in table.ALWAYS_PAIRS or (function in table.PAIR_FUNCTIONS and has_dimension):
            return pair_of(tensors[0], function)
    if function in ("equal", "allclose"):
        return PLAIN
    rank = _rank_after(function, tensors, given)
    return result_of(tensors, any(isinstance(one, UnknownValue) for one in given.arguments), rank)


def _rank_after(function: str, tensors: list[Tensor], given: Given) -> int | None:
    """The number of dimensions that a function leaves; None for the highest of what it is given."""
    if function in table.GIVE_ONE_NUMBER:
        return 0
    if function in table.REDUCTIONS:
        return 0 if len(given.arguments) == 1 and not given.keywords else ANY
    if table.is_loss(function):
        return ANY if "reduction" in given.keywords else 0
    if function in table.MAY_GIVE_ONE_NUMBER:
        return ANY
    if function in ("squeeze", "select"):
        return squeezed(tensors[0]) if function == "squeeze" else less(tensors[0].rank)
    if function == "matmul" and all(one.rank == 1 for one in tensors):
        return 0
    if function == "einsum" and _is_summed_up(given):
        return 0
    return SOME if function in table.HAS_DIMENSIONS_AFTER | table.ALWAYS_DIMENSIONS else None


def _is_summed_up(given: Given) -> bool:
    """Whether the equation of ``einsum`` leaves no dimension: ``i,i->``."""
    equation = getattr(given.node.args[0], "value", None) if given.node.args else None
    return isinstance(equation, str) and equation.rstrip().endswith("->")


def _joined(recorder: MeetingRecorder, first: Value, given: Given, kind: str) -> Value:
    """``torch.cat`` and the like of a list."""
    if isinstance(first, Many):
        for one, other in first.mixed:
            recorder.meet(one, other, given.node, kind)
        return first.element.at(SOME) if isinstance(first.element, Tensor) else UNKNOWN
    if isinstance(first, Items):
        tensors = [one for one in first.elements if isinstance(one, Tensor)]
        return result_of(tensors, len(tensors) < len(first.elements), SOME)
    return first.at(SOME) if isinstance(first, Tensor) else UNKNOWN


def einops_call(recorder: MeetingRecorder, name: str, given: Given) -> Value:
    """``einops.rearrange`` and the like."""
    if name == "einops.einsum":
        tensors = recorder.meet_all(given.arguments, given.node, "einsum")
        return tensors[0].at(SOME) if tensors else UNKNOWN
    first = given.arguments[0]
    return first.at(SOME) if isinstance(first, Tensor) else UNKNOWN


def layer_call(recorder: MeetingRecorder, kind: str, given: Given) -> Value:
    """A call of a module of torch.nn, or of one of which nothing is known where ``kind`` is empty."""
    layer = Tensor(AT_MODULE)
    is_foreign = kind in ("", table.COMPONENT)
    if is_foreign or kind == "Sequential" or kind.startswith(WEIGHTED_LAYERS):
        name = {"": OTHER_MODULE, table.COMPONENT: "module"}.get(kind, f"nn.{kind}")
        # What else a module of another file is given, it may move itself.
        for each in given.arguments[:1] if kind == "" or kind.startswith("ConvTranspose") else given.values:
            for one in tensors_in(each):
                is_index = all(place.name in table.COUNTING_MAKERS for place in one.places)
                if not is_foreign or not is_index:
                    recorder.meet(one, layer, given.node, name)
            if isinstance(each, UnknownArgument) and not is_foreign:
                recorder.argument_meets(each.name, layer, given.node, name)
        if kind in RECURRENT_LAYERS:
            return Items([layer, layer])
        return Tensor(AT_MODULE, SOME, is_foreign)
    if kind == "CTCLoss":
        return UNKNOWN
    tensors = recorder.meet_all(given.values, given.node, f"nn.{kind}")
    return result_of(tensors, rank=ANY if "Loss" in kind or kind in ("CosineSimilarity", "PairwiseDistance") else None)
