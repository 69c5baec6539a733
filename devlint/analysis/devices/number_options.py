"""Options that take numbers, or several: ``parser.add_argument("--gpus", type=int, nargs="+")``."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.apis.option_kinds import reads_int
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.program_options import program_options
from devlint.syntax.file_context import FileContext, fact


@fact
def numeric_options(ctx: FileContext) -> frozenset[str]:
    """The options that a file reads as numbers."""
    found = (one.destination for one in program_options(ctx) if reads_int(one.keywords))
    return frozenset(one for one in found if one is not None)


def asks_for_list(ctx: FileContext, choice: cst.IfExp) -> bool:
    """Whether a choice takes an item of what is a list, else the value itself: ``x[0] if type(x) is list else x``."""
    whole, item = dotted_name(choice.orelse), choice.body
    if whole is None or not isinstance(item, cst.Subscript) or dotted_name(item.value) != whole:
        return False
    test = "".join(ctx.text_of(choice.test).split())
    kinds = ("list", "(list,tuple)", "(tuple,list)")
    return test in (f"type({whole})islist", f"type({whole})==list", *(f"isinstance({whole},{one})" for one in kinds))
