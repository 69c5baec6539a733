"""Options that take numbers, or several: ``parser.add_argument("--gpus", type=int, nargs="+")``."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.program_options import ProgramOption, program_options
from devlint.analysis.names.resolution import is_none
from devlint.syntax.file_context import FileContext, fact


@fact
def numeric_options(ctx: FileContext) -> frozenset[str]:
    """The options that a file reads as numbers."""
    found = set()
    for option in program_options(ctx):
        kinds = [arg.value for arg in option.call.args if arg.keyword is not None and arg.keyword.value == "type"]
        if option.destination is not None and any(dotted_name(one) == "int" for one in kinds):
            found.add(option.destination)
    return frozenset(found)


def takes_numbers(option: ProgramOption) -> bool:
    """Whether an option of a parser gives a list of ints, but for a default that may be a number, or none."""
    keywords = {arg.keyword.value: arg.value for arg in option.call.args if arg.keyword is not None}
    kind, default = keywords.get("type"), keywords.get("default")
    if not isinstance(kind, cst.Name) or kind.value != "int" or "nargs" not in keywords or "action" in keywords:
        return False
    listed = [one.value for one in default.elements] if isinstance(default, (cst.List, cst.Tuple)) else [default]
    return all(one is None or is_none(one) or isinstance(one, (cst.Integer, cst.UnaryOperation)) for one in listed)


def asks_for_list(ctx: FileContext, choice: cst.IfExp) -> bool:
    """Whether a choice takes an item of what is a list, else the value itself: ``x[0] if type(x) is list else x``."""
    whole, item = dotted_name(choice.orelse), choice.body
    if whole is None or not isinstance(item, cst.Subscript) or dotted_name(item.value) != whole:
        return False
    test = "".join(ctx.text_of(choice.test).split())
    kinds = ("list", "(list,tuple)", "(tuple,list)")
    return test in (f"type({whole})islist", f"type({whole})==list", *(f"isinstance({whole},{one})" for one in kinds))
