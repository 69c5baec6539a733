"""Calls of torch's tensor factories: their arguments, and whether a GPU would make the same tensor."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.resolution import origin
from devlint.analysis.tensors.constructor_arguments import ArgumentKind, argument_kind
from devlint.core.record import Record
from devlint.syntax.file_context import FileContext
from devlint.torch_api.moves import PARTS
from devlint.torch_api.tensor_functions import EXACT, FACTORIES, RANDOM, TAKE_DATA, TIES
from devlint.torch_api.tensor_makers import MAKE_LIKE

_SAME_IN_EVERY_DTYPE = frozenset("zeros ones empty eye zeros_like ones_like empty_like".split())


class Factory(Record, eq=False):
    """One call of a function that makes a tensor."""

    call: cst.Call
    name: str
    """Without ``torch.``."""

    def keyword(self, *names: str) -> cst.Arg | None:
        """The argument given by one of these keywords."""
        return next((arg for arg in self.call.args if arg.keyword is not None and arg.keyword.value in names), None)

    @property
    def is_like(self) -> bool:
        """Whether it makes its tensor where its argument is: ``torch.zeros_like(x)``."""
        return self.name in MAKE_LIKE

    @property
    def takes_data(self) -> bool:
        """Whether it takes the numbers, and their dtype, from a list or an array."""
        return self.name in TAKE_DATA

    @property
    def is_random(self) -> bool:
        """Whether its numbers are random."""
        return self.name in RANDOM

    @property
    def takes_any_dtype(self) -> bool:
        """Whether it makes the same numbers with a dtype as converted to it afterwards."""
        return self.name in _SAME_IN_EVERY_DTYPE and self.keyword("dtype") is None

    @property
    def takes_no_device(self) -> bool:
        """Whether no argument gives it a device, or ties it to one."""
        if any(arg.star == "**" for arg in self.call.args):
            return False
        return self.keyword(*TIES) is None


def factory_call(ctx: FileContext, node: cst.CSTNode) -> Factory | None:
    """The factory call that ``node`` is; None for anything else, such as ``torch.normal`` of tensors."""
    called = origin(ctx, node.func) if isinstance(node, cst.Call) else None
    if called is None or not isinstance(node, cst.Call):
        return None
    owner, _, name = called.rpartition(".")
    if owner != "torch" or name not in FACTORIES:
        return None
    made = Factory(node, name)
    if name == "normal" and made.keyword("size") is None and len(node.args) < 3:
        return None
    return made


def likened(ctx: FileContext, node: cst.CSTNode) -> str | None:
    """The tensor where a factory makes another: ``x`` of ``torch.zeros_like(x)`` and ``torch.zeros_like(x.data)``."""
    made = factory_call(ctx, node)
    if made is None or not made.is_like or not made.takes_no_device or made.call.args[0].keyword is not None:
        return None
    value = made.call.args[0].value
    is_part = isinstance(value, cst.Attribute) and value.attr.value in PARTS
    return ctx.text_of(value.value if is_part and isinstance(value, cst.Attribute) else value)


def gpu_difference(ctx: FileContext, made: Factory) -> str | None:
    """How the numbers that a GPU makes differ from the CPU's; None where they are the same everywhere."""
    if made.is_random:
        return "a GPU draws other random numbers than the CPU"
    exact = made.name in EXACT | MAKE_LIKE or (made.name == "arange" and _is_integer_range(ctx, made))
    return None if exact else "a GPU may round the last digit otherwise"


def _is_integer_range(ctx: FileContext, made: Factory) -> bool:
    """Whether an ``arange`` counts in whole numbers."""
    given = [arg for arg in made.call.args if arg.keyword is None or arg.keyword.value in ("start", "end", "step")]
    if len(given) == 1 and not given[0].star:
        return True
    return all(not arg.star and argument_kind(ctx, arg.value) is ArgumentKind.INT for arg in given)
