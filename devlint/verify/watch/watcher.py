"""Sees every function of torch that the program calls: notes births, meetings and moves, and mends what fails."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from types import FrameType, FunctionType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from devlint.verify.observing.program_text import told_births
from devlint.verify.watch.holders import holders_of, partners_of
from devlint.verify.watch.mending import TorchCall, is_mixed, mend, on_two_devices
from devlint.verify.watch.notes import Notes
from devlint.verify.watch.origins import (
    MARK,
    Origins,
    Parameter,
    Tensor,
    origin_of,
    replaced,
    tensors_among,
)
from devlint.verify.watch.places import UserCode
from devlint.verify.watch.transfers import TRANSFERS, Transfers

_NO_NUMPY = "device type tensor to numpy"


class Watcher(TorchFunctionMode):
    """Active in every thread of an observed process."""

    def __init__(self, code: UserCode, notes: Notes, mends: bool, tells: bool = False) -> None:
        """Without ``mends`` the first meeting of two devices ends the program, as it would unobserved.

        With ``tells`` that error has a note, which tracebacks show, on where the CPU tensors were made.
        """
        super().__init__()
        self.code = code
        self.notes = notes
        self.origins = Origins(code)
        self.mends = mends
        self._tells = tells
        self._transfers = Transfers(code, notes)
        self.resume_tracing: Callable[[], None] | None = None
        """Goes on noting which functions run, where Python has stopped calling back."""

    def __torch_function__(
        self, function: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        if kwargs is None:
            kwargs = {}
        if self.resume_tracing is not None:
            self.resume_tracing()
        state = None
        if type(function) is FunctionType and on_two_devices(tensors_among((args, kwargs))):
            state = torch.get_rng_state()  # it may draw random numbers before it fails
        try:
            result = function(*args, **kwargs)
        except (RuntimeError, TypeError, ValueError) as error:
            result = self._rescue(TorchCall(function, args, kwargs), error, state, sys._getframe(1))
        if result is None:
            return result
        name = getattr(function, "__name__", "")
        if name in TRANSFERS:
            self._transfers.seen(name, args, kwargs, result, sys._getframe(1))
        kind = type(result)
        if kind is Tensor or kind is Parameter:
            if result.is_cpu:
                if not hasattr(result, MARK):
                    self._born(result, TorchCall(function, args, kwargs), sys._getframe(1))
            elif not self.notes.device_used:
                self.notes.device_used = result.is_cuda
        elif kind is tuple or kind is list or isinstance(result, tuple):
            for part in result:
                if isinstance(part, Tensor) and part.is_cpu and not hasattr(part, MARK):
                    self._born(part, TorchCall(function, args, kwargs), sys._getframe(1))
        return result

    def _born(self, result: Any, call: TorchCall, frame: FrameType) -> None:
        self.origins.derive(result, call.tensors(), call.name, frame)

    def _rescue(self, call: TorchCall, error: Exception, state: torch.Tensor | None, frame: FrameType) -> Any:
        """The result of a call that has failed because of devices."""
        if isinstance(error, TypeError) and _NO_NUMPY in str(error) and self.mends:
            self.notes.numpy[self.code.place(frame)] += 1
            copies = {id(tensor): tensor.detach().cpu() for tensor in call.tensors() if not tensor.is_cpu}
            return call.function(*replaced(call.args, copies), **replaced(call.kwargs, copies))
        if not is_mixed(error):
            raise error
        if not self.mends:
            tensors = call.tensors()
            partners = [tensor for tensor in tensors if not tensor.is_cpu]
            for tensor in tensors:
                if tensor.is_cpu and tensor.dim() and partners:
                    self.met(call.name, tensor, partners[0].device, frame, partners)
            if self._tells and not hasattr(error, "__notes__"):
                self._tell(error, [tensor for tensor in tensors if tensor.is_cpu and tensor.dim()])
            raise error
        mended = mend(call, error, state)
        partners = [tensor for tensor in call.tensors() if not tensor.is_cpu]
        for tensor in mended.moved:
            self.met(call.name, tensor, mended.device, frame, partners)
        return mended.result

    def _tell(self, error: Any, tensors: list[Any]) -> None:
        """Note at an error where these tensors were made; before Python 3.11 errors have no notes."""
        origins = filter(None, map(origin_of, tensors))
        places = [birth.place for origin in origins for birth in origin.births if birth.place is not None]
        told = told_births(places, os.getcwd())
        if told and hasattr(error, "add_note"):
            error.add_note(f"devlint: {told}")

    def met(
        self, operation: str, tensor: Any, device: torch.device, frame: FrameType | None, partners: Sequence[Any] = ()
    ) -> None:
        """Note that a CPU tensor has met a device, where its partners are, in an operation of the user's code."""
        origin = origin_of(tensor)
        if origin is not None and origin.of_module_left_behind:
            origin = origin.values
        user = self.code.frame(frame)
        place = self.code.place(user)
        joined = origin.joined if origin else None
        key = (operation, place, origin.births if origin else (), joined)
        if key not in self.notes.meetings:
            facts = {
                "operation": operation,
                "at": place,
                "device": str(device),
                "holders": holders_of(tensor, user, self.code),
                "partners": partners_of(partners, user, self.code),
                "tensor": f"{str(tensor.dtype).partition('.')[2]}{list(tensor.shape)}",
            }
            self.notes.meeting(key, origin, facts)
            self.notes.meetings[key]["count"] += 1
            self.notes.something_new()
        else:
            self.notes.meetings[key]["count"] += 1
            self.notes.counted()

    def watched(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function of the user that torch calls where it does not watch, such as in ``backward``."""

        def under_watch(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return under_watch
