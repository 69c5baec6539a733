"""Notes what moves between host and device, what moves nothing, and where the host waits for the device."""

from __future__ import annotations

import os
from types import FrameType
from typing import Any

import torch

from devlint.verify.expression_place import ExpressionPlace
from devlint.verify.watch.notes import Notes
from devlint.verify.watch.origins import Tensor, origin_of, tensors_among
from devlint.verify.watch.places import UserCode, discards_result

_MOVES = frozenset("to cuda cpu".split())
_SIMULATOR = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "sim", "")
_WAITS = {
    "item": "item()",
    "tolist": "tolist()",
    "__bool__": "a condition",
    "__int__": "int()",
    "__float__": "float()",
    "__index__": "an index",
    "__format__": "formatting",
    "__repr__": "printing",
    "nonzero": "nonzero()",
    "masked_select": "masked_select()",
    "unique": "unique()",
    "equal": "equal()",
    "allclose": "allclose()",
}
_DEVICES = (str, int, torch.device, Tensor)
TRANSFERS = _MOVES | _WAITS.keys() | {"copy_"}
"""The functions of torch that are looked at."""


class Transfers:
    """Notes moves and waits by the expression of the user's code that causes them."""

    def __init__(self, code: UserCode, notes: Notes) -> None:
        self._code = code
        self._notes = notes

    def seen(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any, frame: FrameType) -> None:
        """Look at one call."""
        tensor = args[0] if args else None
        if not isinstance(tensor, Tensor):
            return
        self._notes.counted()
        if name in _WAITS:
            if not all(one.is_cpu for one in tensors_among(args)):
                self._count_wait(_WAITS[name], frame)
        elif name in _MOVES:
            if isinstance(result, Tensor) and (name != "to" or _names_device(args, kwargs)):
                self._moved(tensor, result, frame)
        elif len(args) > 1 and isinstance(args[1], Tensor):  # copy_
            self._copied(args[1], tensor, self._code.place(frame))

    def _count_wait(self, how: str, frame: FrameType) -> None:
        place = self._code.place(frame)
        if place is not None:
            self._notes.waits[how, place] += 1

    def _moved(self, tensor: Any, result: Any, frame: FrameType) -> None:
        user = self._code.frame(frame)
        place = self._code.place(user)
        if user is None or place is None:
            return
        between = _libraries_between(frame, user)
        if between and "/torch/autograd/" in between[0].f_code.co_filename:  # such as gradcheck, for itself
            return
        if not between or between[-1].f_code.co_name in _MOVES:  # it is the user who moves: a tensor, or a module
            calls = self._notes.moves.setdefault(place, [0, 0])
            calls[0] += 1
            calls[1] += result is tensor or result.device == tensor.device
        if result is tensor or result.device == tensor.device:
            return
        if not between and discards_result(user):
            self._notes.discarded[place] += 1
        self._copied(tensor, result, place)
        if result.is_cpu:
            self._count_wait("a copy to the host", frame)
        elif not any("/nn/modules/" in one.f_code.co_filename for one in between[:1]):
            self._trace_back(tensor, place)

    def _trace_back(self, tensor: Any, place: ExpressionPlace) -> None:
        """Note a tensor that is moved as soon as it is made, or that came from the device a moment ago."""
        origin = origin_of(tensor)
        if origin is None or len(origin.births) != 1:
            return
        birth = origin.births[0]
        if birth.place is None:
            return
        self._notes.moved_from.add(birth.place)
        if birth.kind == "factory" and place.holds(birth.place):
            self._notes.moved_at_once[birth.place, place] += 1
        elif birth.kind == "moved":
            count = self._notes.back_and_forth.setdefault((birth.place, place), [0, 0])
            count[0] += 1
            count[1] += _size(tensor)

    def _copied(self, source: Any, target: Any, place: ExpressionPlace | None) -> None:
        if place is None or source.is_cpu == target.is_cpu:
            return
        count = self._notes.copies.setdefault(("to the device" if source.is_cpu else "to the host", place), [0, 0])
        count[0] += 1
        count[1] += _size(source)


def _libraries_between(frame: FrameType | None, user: FrameType) -> list[FrameType]:
    """The frames of libraries that the user's code has called and that make a call, the innermost first."""
    found = []
    while frame is not None and frame is not user:
        if not frame.f_code.co_filename.startswith(_SIMULATOR):
            found.append(frame)
        frame = frame.f_back
    return found


def _size(tensor: Any) -> int:
    """The bytes of a tensor's numbers; of a sparse one, of those that it holds."""
    if tensor.layout is torch.strided:
        return int(tensor.nbytes)
    return int(tensor._nnz() * tensor.element_size())


def _names_device(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a call of ``to`` says where to, and not only as what."""
    return kwargs.get("device") is not None or isinstance(args[1] if len(args) > 1 else None, _DEVICES)
