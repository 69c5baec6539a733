"""Where a file tells a library that the machine has CUDA: ``from_pretrained(device_map="cuda")``."""

from __future__ import annotations

import re
from functools import cache

import libcst as cst

from devlint.analysis.devices.cuda_literals import CudaLiteral, LiteralKind, cuda_literal
from devlint.analysis.names.resolution import origin
from devlint.analysis.names.string_literals import string_value
from devlint.analysis.slots.project_slots import maker
from devlint.core.record import Record
from devlint.syntax.call_arguments import keyword_argument, positional_argument
from devlint.syntax.file_context import FileContext, fact
from devlint.torch_api.frameworks import CARDS, DEVICE, FLAG, LIBRARIES, LIGHTNING, MAP, FrameworkArgument

_KINDS = frozenset({"gpu", "cuda"})
_LAST_NAMES = frozenset(one.function.rpartition(".")[2] for library in LIBRARIES.values() for one in library.arguments)
"""What the functions and methods that take such arguments are called, without their modules and classes."""


class FrameworkUse(Record, eq=False):
    """An argument that says CUDA to a library."""

    call: cst.Call
    arg: cst.Arg
    argument: FrameworkArgument
    node: cst.BaseExpression
    """What says it: the argument's value, or a value in its dictionary."""
    literal: CudaLiteral | None = None
    """The same as a device, where it is one."""


@fact
def framework_uses(ctx: FileContext) -> list[FrameworkUse]:
    """The arguments of a file that say CUDA to a library."""
    return [use for call in ctx.tree.of_type(cst.Call) if call.args for use in _uses(ctx, call)]


def says_device(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether an expression is told to a library as its device."""
    return any(use.node is node for use in framework_uses(ctx))


def _uses(ctx: FileContext, call: cst.Call) -> list[FrameworkUse]:
    called = origin(ctx, call.func) or _method(ctx, call.func)
    library = LIBRARIES.get((called or "").partition(".")[0])
    if called is None or library is None:
        return []
    meant = [one for one in library.arguments if _pattern(one.function).search(called)]
    given = [(one, _given(call, one)) for one in meant]
    found = [_use(ctx, call, arg, one) for one, arg in given if arg is not None]
    return [use for use in found if use is not None]


def _method(ctx: FileContext, function: cst.BaseExpression) -> str | None:
    """``ultralytics.YOLO.predict`` for a method of what ``YOLO(…)`` has made, here or as the only value of a name."""
    if not isinstance(function, cst.Attribute) or function.attr.value not in _LAST_NAMES:
        return None
    made = maker(ctx, function.value)
    kind = origin(ctx, made) if made is not None else None
    return f"{kind}.{function.attr.value}" if kind is not None else None


@cache
def _pattern(function: str) -> re.Pattern[str]:
    """Matches the end of a full name."""
    return re.compile(r"\." + re.escape(function).replace(r"\*", r"\w*") + r"\Z")


def _given(call: cst.Call, argument: FrameworkArgument) -> cst.Arg | None:
    """The argument, by its keyword or in its place."""
    named = keyword_argument(call, argument.parameter)
    return positional_argument(call, argument.position) if named is None and argument.position is not None else named


def _use(ctx: FileContext, call: cst.Call, arg: cst.Arg, argument: FrameworkArgument) -> FrameworkUse | None:
    """What an argument says, if that is CUDA."""
    value = _whole_model(arg.value) if argument.form == MAP else arg.value
    if value is None:
        return None
    if argument.form == LIGHTNING:
        said = isinstance(value, cst.SimpleString) and string_value(value) in _KINDS
    elif argument.form == CARDS:
        said = number_of_cards(value) is not None
    elif argument.form == FLAG:
        said = isinstance(value, cst.Name) and value.value == "True"
    else:
        literal = cuda_literal(ctx, value) or _card(value, argument, arg)
        if literal is None or literal.kind is LiteralKind.LOADER:
            return None
        return FrameworkUse(call, arg, argument, value, literal)
    return FrameworkUse(call, arg, argument, value) if said else None


def _whole_model(value: cst.BaseExpression) -> cst.BaseExpression | None:
    """``0`` of ``{"": 0}``; anything but a dictionary as it is. Other dictionaries share out a model's parts."""
    if not isinstance(value, cst.Dict):
        return value
    only = value.elements[0] if len(value.elements) == 1 else None
    is_whole = isinstance(only, cst.DictElement) and string_value(only.key) == ""
    return only.value if is_whole and only is not None else None


def _card(value: cst.BaseExpression, argument: FrameworkArgument, arg: cst.Arg) -> CudaLiteral | None:
    """A plain number with its keyword, which is a card of whatever accelerator the library finds."""
    if not isinstance(value, cst.Integer) or arg.keyword is None or argument.form not in (DEVICE, MAP):
        return None
    return CudaLiteral(value, LiteralKind.NUMBER, value.value, is_number=True)


def number_of_cards(value: cst.BaseExpression) -> int | None:
    """How many GPUs a number asks for; -1 for all of them."""
    if isinstance(value, cst.UnaryOperation) and isinstance(value.operator, cst.Minus):
        return -1 if isinstance(value.expression, cst.Integer) and value.expression.evaluated_value == 1 else None
    return value.evaluated_value if isinstance(value, cst.Integer) and value.evaluated_value > 0 else None
