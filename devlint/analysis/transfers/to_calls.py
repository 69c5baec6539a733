"""Calls of ``.to(...)`` that name a device."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.device_values import device_value
from devlint.analysis.slots.device_arguments import is_not_torch
from devlint.core.record import Record
from devlint.syntax.file_context import FileContext
from devlint.torch_api.moves import MOVE_OPTIONS


class Transfer(Record, eq=False):
    """One ``receiver.to(device, ...)``."""

    call: cst.Call
    receiver: cst.BaseExpression
    device: cst.Arg
    rest: tuple[cst.Arg, ...]
    """What else it is told: a dtype, a memory format, options."""

    @property
    def converts(self) -> tuple[cst.Arg, ...]:
        """The arguments that ask for more than a move."""
        return tuple(arg for arg in self.rest if arg.keyword is None or arg.keyword.value not in MOVE_OPTIONS)

    @property
    def may_run_on(self) -> bool:
        """Whether ``non_blocking`` may let the program run on while the data is copied."""
        given = (arg.value for arg in self.rest if arg.keyword is not None and arg.keyword.value == "non_blocking")
        return any(not (isinstance(value, cst.Name) and value.value == "False") for value in given)

    @property
    def dtype(self) -> cst.Arg | None:
        """The argument that names a dtype."""
        return next((arg for arg in self.rest if arg.keyword is None or arg.keyword.value == "dtype"), None)


def transfer(ctx: FileContext, call: cst.Call) -> Transfer | None:
    """The transfer that ``call`` is, where what it names first is known to be a device."""
    if not isinstance(call.func, cst.Attribute) or call.func.attr.value != "to" or is_not_torch(ctx, call.func.value):
        return None
    if not call.args or any(arg.star for arg in call.args):
        return None
    named = [arg for arg in call.args if arg.keyword is not None and arg.keyword.value == "device"]
    device = named[0] if named else call.args[0]
    if not named and device.keyword is not None:
        return None
    if device_value(ctx, device.value) is None:
        return None
    rest = tuple(arg for arg in call.args if arg is not device)
    positional = [arg for arg in rest if arg.keyword is None]
    if len(positional) > 1 or (named and positional):
        return None
    return Transfer(call, call.func.value, device, rest)
