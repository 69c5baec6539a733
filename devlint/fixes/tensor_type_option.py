"""Options whose default is a type of CUDA's tensors, to which the program casts: ``x.type(args.type)``."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.devices.parsed_options import are_parsed_options
from devlint.analysis.guards.guards import runs_guarded
from devlint.analysis.legacy_types.tensor_types import string_type
from devlint.analysis.names.program_options import ProgramOption, program_options
from devlint.analysis.names.resolution import attributes_named
from devlint.core.diagnostic import Fix
from devlint.fixes.conditional_device import conditional_value
from devlint.syntax import edits
from devlint.syntax.file_context import FileContext


def tensor_type_options(ctx: FileContext) -> Iterator[ProgramOption]:
    """The options of a parser that are ``"torch.cuda.FloatTensor"`` or the like, if the file casts to them."""
    for option in program_options(ctx) if ctx.target.kind == "cuda" else ():
        kind = string_type(option.default.value) if option.default is not None else None
        if kind is not None and kind.cuda and option.of_parser and _is_cast_to(ctx, option.destination or ""):
            yield option


def tensor_type_fix(ctx: FileContext, option: ProgramOption) -> Fix | None:
    """The fix that makes the default the CPU's type of the same name where there is no CUDA."""
    default = option.default.value if option.default is not None else None
    if not isinstance(default, cst.SimpleString):
        return None
    choice = conditional_value(ctx, default, ctx.text_of(default).replace(".cuda.", ".", 1))
    if choice is None:
        return None
    return edits.as_fix("Fall back to the CPU where there is no CUDA", choice.edits, choice.caveat)


def _is_cast_to(ctx: FileContext, name: str) -> bool:
    """Whether ``x.type(args.name)`` casts to the type without a test for CUDA."""
    for read in attributes_named(ctx, name):
        arg = ctx.tree.parent(read)
        call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) else None
        method = call.func if isinstance(call, cst.Call) else None
        if isinstance(method, cst.Attribute) and method.attr.value == "type" and are_parsed_options(ctx, read.value):
            if not runs_guarded(ctx, read):
                return True
    return False
