"""What methods and attributes of a tensor give, and where that lives."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import NamedTuple

from devlint.analysis.places.device_names import named_by_method, noted
from devlint.analysis.places.meetings import MeetingRecorder
from devlint.analysis.places.operations import result_of
from devlint.analysis.places.statements.lists import spread_values
from devlint.analysis.places.values import (
    ANY,
    ELSEWHERE,
    LEFT_ON_CPU,
    NOWHERE_KNOWN,
    NUMBERS,
    PLAIN,
    SOME,
    UNKNOWN,
    Device,
    Items,
    Kind,
    Many,
    Mapping,
    Tensor,
    TensorPlace,
    UnknownPart,
    UnknownValue,
    Value,
    tensors_in,
)
from devlint.analysis.places.written.moves import only_converts
from devlint.torch_api import tensor_places as table
from devlint.torch_api.moves import PARTS, PLAIN_WORDS
from devlint.torch_api.tensor_makers import NEW_METHODS

_OUTPUT_METHODS = frozenset("mode sample to_tuple get".split())
"""Methods of what a module gives that give tensors."""


class Given(NamedTuple):
    """A call with the values of its arguments."""

    node: ast.Call
    arguments: list[Value]
    keywords: dict[str, Value]
    is_open: bool = False
    """Whether it may be given more, by ``*`` or ``**``."""

    @property
    def values(self) -> list[Value]:
        """All that it is given."""
        return [*self.arguments, *self.keywords.values()]

    @property
    def tensors(self) -> list[Tensor]:
        """The tensors that it is given, or that are in lists which it is given."""
        return [one for each in self.values for one in tensors_in(each)]

    @property
    def has_cpu_tensor(self) -> bool:
        """Whether it is given a tensor that was made on the CPU."""
        return any(one.is_on_cpu for one in self.tensors)


def given_by(node: ast.Call, value_of: Callable[[ast.expr], Value]) -> Given:
    """A call with the values of its arguments, each of which is worked out."""
    arguments, is_open = spread_values(node.args, value_of, 2)
    keywords: dict[str, Value] = {}
    for keyword in node.keywords:
        value = value_of(keyword.value)
        if keyword.arg is not None:
            keywords[keyword.arg] = value
        elif isinstance(value, Mapping):
            keywords = {**{str(key): one for key, one in value.items.items()}, **keywords}
        else:
            is_open = True
    return Given(node, arguments, keywords, is_open)


def attribute_of_tensor(tensor: Tensor, name: str, node: ast.expr) -> Value:
    """``tensor.name``, where that is no method; ``node`` is the whole expression."""
    if name == "device":
        if tensor.is_placeholder:
            return Device(NOWHERE_KNOWN)  # torch.empty(0).device, where tensors are made by default
        return Device(tensor.places - NOWHERE_KNOWN or {TensorPlace(Kind.ELSEWHERE, ast.unparse(node))})
    if name in table.PLAIN_ATTRIBUTES:
        return Many(PLAIN) if name == "shape" else PLAIN
    if name in PARTS:
        return tensor
    if tensor.is_output and name in table.OUTPUT_ATTRIBUTES:
        return Tensor(tensor.places, SOME, True)
    return UNKNOWN


def attribute_of_unknown(value: UnknownPart, name: str) -> Value:
    """``value.name`` of a value that may be a tensor, or may hold some."""
    if name == "shape":
        return Many(PLAIN)
    return PLAIN if name in table.PLAIN_ATTRIBUTES else UnknownPart(value.places)


def moved(value: Value, given: Given, names_devices: bool = False) -> Tensor:
    """``value.to(...)``: where it is told to go, where that is known."""
    rank = value.rank if isinstance(value, Tensor) else ANY
    target = given.keywords.get("device")
    if target is None:
        target = next((one for one in given.arguments if isinstance(one, (Device, Tensor))), None)
    if isinstance(target, (Device, Tensor)):
        return Tensor(noted(target.places, given.node) if names_devices else target.places, rank)
    if isinstance(value, Tensor) and target is None and only_converts(given.node):
        return value
    return Tensor(NOWHERE_KNOWN, rank)


def moved_unknown(recorder: MeetingRecorder, value: Value, name: str, given: Given) -> Value:
    """``value.to(...)``, ``value.cuda()`` of something that may be a tensor."""
    if name == "to":
        if isinstance(value, Device) or (only_converts(given.node) and not recorder.names_devices):
            return UNKNOWN
        return moved(UNKNOWN, given, recorder.names_devices)
    if recorder.names_devices:
        return Tensor(named_by_method(name, given.node), ANY if name == "cpu" else SOME)
    return Tensor(LEFT_ON_CPU, ANY) if name == "cpu" else Tensor([ELSEWHERE])


def method_of_tensor(recorder: MeetingRecorder, tensor: Tensor, name: str, given: Given) -> Value:
    """``tensor.name(...)``; what is made, and given another shape or type at once, counts as made like this."""
    value = _result_of_method(recorder, tensor, name, given)
    if tensor.is_made and name in table.RESHAPE_METHODS and isinstance(value, Tensor) and value.places == tensor.places:
        return Tensor(value.places, value.rank, is_made=True)
    return value


def _result_of_method(recorder: MeetingRecorder, tensor: Tensor, name: str, given: Given) -> Value:
    """What a method gives."""
    simple = _simple_method(recorder, tensor, name, given)
    if simple is not None:
        return simple
    if name in table.TAKE_NO_TENSOR_METHODS:
        operands: list[Value] = [tensor]
        has_arguments = False
    else:
        operands = [tensor, *given.values]
        has_arguments = bool(given.arguments or given.keywords)
    tensors = recorder.meet_all(operands, given.node, f"Tensor.{name}")
    if name in table.PARTS_METHODS:
        return Many(tensor.at(less(tensor.rank) if name == "unbind" else SOME))
    if name in ("max", "min", "median") and has_arguments and len(tensors) == 1:
        return Tensor(tensor.places, less(tensor.rank), True)
    if name in table.ALWAYS_PAIRS:
        return pair_of(tensor, name)
    if name == "nonzero" and given.keywords:
        return Many(tensor.at(1))
    if name == "squeeze" or (name.endswith("_") and not name.startswith("__")):
        return tensor if name != "squeeze" else tensor.at(squeezed(tensor))
    if name == "matmul" and all(one.rank == 1 for one in tensors):
        return result_of(tensors, rank=0)
    rank = _rank_after(tensor, name, given, has_arguments)
    is_fixed = len(tensors) == 1 or name in table.GIVE_ONE_NUMBER or name in table.MAY_GIVE_ONE_NUMBER
    has_unknown = any(isinstance(one, UnknownValue) for one in operands)
    return result_of(tensors, has_unknown, rank if is_fixed else None)


def _simple_method(recorder: MeetingRecorder, tensor: Tensor, name: str, given: Given) -> Value | None:
    """Methods that compute nothing from several tensors; None for all others."""
    if name == "to":
        return moved(tensor, given, recorder.names_devices)
    if name in ("cuda", "cpu") and recorder.names_devices:
        return Tensor(named_by_method(name, given.node), tensor.rank)
    if name == "cuda":
        return Tensor([ELSEWHERE], tensor.rank)
    if name == "cpu":
        return Tensor(LEFT_ON_CPU, tensor.rank)
    if name in table.NUMBER_METHODS:
        if name == "numpy" and not tensor.places & LEFT_ON_CPU:
            recorder.arrays |= {one for one in tensor.places if one.kind is not Kind.DEVICE}
        return NUMBERS
    if name == "size" and not given.arguments and not given.keywords:
        return Many(PLAIN)
    if name in table.PLAIN_METHODS:
        return PLAIN
    if name in NEW_METHODS:
        device = given.keywords.get("device")
        if device is not None:
            return Tensor(device.places if isinstance(device, (Device, Tensor)) else NOWHERE_KNOWN)
        return tensor.at(SOME)
    if name == "type_as":
        like = given.arguments[0] if given.arguments else UNKNOWN
        return Tensor(like.places, tensor.rank) if isinstance(like, Tensor) else UNKNOWN
    if name in table.TAKE_ANY_DEVICE_METHODS:
        return tensor
    if name == "type":
        return _converted(tensor, given, recorder) if given.arguments else PLAIN
    if name.startswith("__"):
        return UNKNOWN
    if tensor.is_output and name in _OUTPUT_METHODS:
        return Tensor(tensor.places, SOME, name == "to_tuple")
    return None


def _converted(tensor: Tensor, given: Given, recorder: MeetingRecorder) -> Tensor:
    """``tensor.type(...)``, which moves it where it is told a type of tensors on another device.

    A name may stand for such a type where the file asks a tensor for its own: ``x.type()``, or is given one.
    """
    word = ast.unparse(given.node.args[0]).strip("'\"") if given.node.args else ""
    is_cpu_type = word.startswith("torch.") and word.endswith("Tensor") and "cuda" not in word
    if "type" in word.rpartition(".")[2] and "(" not in word:
        is_given = any(one.arg == word and one.annotation is None for one in recorder.function.parameters)
        may_move = is_given or (".type()" in recorder.program.text and "." not in word)
        return Tensor(NOWHERE_KNOWN, tensor.rank) if may_move else tensor
    if word in PLAIN_WORDS or (word.startswith("torch.") and not word.endswith("Tensor")):
        return tensor
    return tensor if is_cpu_type and tensor.is_on_cpu else Tensor(NOWHERE_KNOWN, tensor.rank)


def _rank_after(tensor: Tensor, name: str, given: Given, has_arguments: bool) -> int:
    """The number of dimensions that a method of one tensor leaves."""
    rank = tensor.rank
    if name in table.GIVE_ONE_NUMBER:
        return 0
    if name in table.MAY_GIVE_ONE_NUMBER:
        return ANY
    if name in table.REDUCTIONS:
        if not _has_dimension(name, given):
            return 0
        return rank if "keepdim" in given.keywords else less(rank)
    if name == "select":
        return less(rank)
    if name == "unsqueeze" and rank >= 0:
        return rank + 1
    if name in ("view", "reshape") and len(given.arguments) == 1:
        (size,) = given.arguments
        return 0 if isinstance(size, Items) and not size.elements else SOME
    return SOME if name in table.HAS_DIMENSIONS_AFTER else rank


def _has_dimension(name: str, given: Given) -> bool:
    """Whether a reduction is told the dimension, which ``norm`` takes after the order, ``std`` after a truth value."""
    if given.keywords.keys() & {"dim", "axis"} or given.is_open:
        return True
    first = given.node.args[0] if given.node.args else None
    is_other = name == "norm" or (isinstance(first, ast.Constant) and isinstance(first.value, bool))
    return len(given.arguments) > (1 if is_other else 0)


def pair_of(tensor: Tensor, name: str) -> Items:
    """Values and indices, of which most functions leave one dimension out."""
    rank = SOME if name in table.PAIRS_WITH_DIMENSIONS else less(tensor.rank)
    if name in ("var_mean", "std_mean", "aminmax", "slogdet"):
        rank = ANY
    return Items([tensor.at(rank), tensor.at(rank)])


def less(rank: int) -> int:
    """One dimension less."""
    return rank - 1 if rank > 0 else ANY


def squeezed(tensor: Tensor) -> int:
    """The number of dimensions after ``squeeze``; one of many sizes is seldom a single number."""
    if tensor.rank < 0:
        return SOME if tensor.is_on_cpu else tensor.rank
    return SOME if tensor.rank > 1 else ANY
