"""Options that ask for CUDA where nobody asked, though the program stops where it is asked for and is not there."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.cuda.declared_defaults import is_option_default
from devlint.analysis.devices.parsed_options import are_parsed_options
from devlint.analysis.guards.changing_flags import is_set_by_name, is_target
from devlint.analysis.guards.cuda_flags import is_cuda_answer
from devlint.analysis.names.control_flow import exits
from devlint.analysis.names.program_options import ProgramOption, program_options
from devlint.analysis.names.resolution import attributes_named
from devlint.analysis.names.string_literals import string_value
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.options import may_be_set_elsewhere
from devlint.core.diagnostic import Fix
from devlint.fixes.conditional_device import availability_caveat
from devlint.fixes.torch_import import torch_name
from devlint.syntax import edits
from devlint.syntax.call_arguments import keyword_argument
from devlint.syntax.file_context import FileContext


def required_options(ctx: FileContext) -> Iterator[ProgramOption]:
    """The options that are on by default, and then stop the program without CUDA; the program can do without."""
    for option in program_options(ctx) if ctx.target.kind == "cuda" else ():
        default = ctx.text_of(option.default.value) if option.default is not None else ""
        kind = keyword_argument(option.call, "type")
        is_on = default == ("1" if kind is not None and ctx.text_of(kind.value) == "int" else "True")
        is_on = is_on or (_chooses_cuda(option) and not _is_named_device(ctx, option))
        has_action = keyword_argument(option.call, "action") is not None
        if is_on and option.of_parser and not has_action and _is_required(ctx, option):
            yield option


def _is_named_device(ctx: FileContext, option: ProgramOption) -> bool:
    """Whether the default of an option is reported anyway, by its name."""
    return option.default is not None and is_option_default(ctx, option.call, option.default)


def _chooses_cuda(option: ProgramOption) -> bool:
    """Whether an option is ``choices=["cpu", "cuda"], default="cuda"``."""
    choices = keyword_argument(option.call, "choices")
    given = choices.value.elements if choices and isinstance(choices.value, (cst.List, cst.Tuple, cst.Set)) else ()
    is_cuda = option.default is not None and string_value(option.default.value) == "cuda"
    return is_cuda and any(string_value(one.value) == "cpu" for one in given)


def required_option_fix(ctx: FileContext, option: ProgramOption) -> Fix | None:
    """The fix that makes the default what torch says; whoever asks for CUDA still hears that there is none."""
    torch = torch_name(ctx, option.call)
    if torch is None or option.default is None:
        return None
    asked, default = ctx.target.available(torch[0]), option.default.value
    text = asked if isinstance(default, cst.Name) else f"int({asked})"
    if isinstance(default, cst.SimpleString):
        text = f"{ctx.text_of(default)} if {asked} else {default.quote}cpu{default.quote}"
    changed = edits.replace_expression(ctx, default, text)
    caveat = availability_caveat(ctx, option.call)
    return edits.as_fix("Ask for CUDA by default only where there is some", [changed, *torch[1]], caveat)


def _is_required(ctx: FileContext, option: ProgramOption) -> bool:
    """Whether the program stops where the option is on and there is no CUDA, and nothing else sets it."""
    name = option.destination or ""
    if is_set_by_name(ctx, name) or may_be_set_elsewhere(project_around(ctx), name, name):
        return False
    read = attributes_named(ctx, name)
    if any(is_target(ctx, one) for one in read):
        return False
    of_choices = _chooses_cuda(option)
    asked = (_comparison(ctx, one) if of_choices else one for one in read if are_parsed_options(ctx, one.value))
    return any(_stops(ctx, one) for one in asked)


def _comparison(ctx: FileContext, flag: cst.Attribute) -> cst.BaseExpression:
    """What says that CUDA is wanted: ``flag == "cuda"``, if the flag stands there."""
    comparison = ctx.tree.parent(flag)
    if not isinstance(comparison, cst.Comparison) or len(comparison.comparisons) != 1:
        return flag
    asked = comparison.comparisons[0]
    is_equal = isinstance(asked.operator, cst.Equal) and string_value(asked.comparator) == "cuda"
    return comparison if is_equal else flag


def _stops(ctx: FileContext, flag: cst.BaseExpression) -> bool:
    """Whether a flag is read by ``assert not flag or available``, or ``if flag and not available: raise …``."""
    negated = ctx.tree.parent(flag)
    side = negated if isinstance(negated, cst.UnaryOperation) and isinstance(negated.operator, cst.Not) else flag
    test = ctx.tree.parent(side)
    if not isinstance(test, cst.BooleanOperation):
        return False
    other, around = (test.right if test.left is side else test.left), ctx.tree.parent(test)
    if isinstance(around, cst.Assert) and around.test is test:
        return side is not flag and isinstance(test.operator, cst.Or) and is_cuda_answer(ctx, other)
    if not isinstance(around, cst.If) or around.test is not test or side is not flag or not exits(around.body):
        return False
    asks = isinstance(other, cst.UnaryOperation) and isinstance(other.operator, cst.Not)
    return asks and isinstance(test.operator, cst.And) and is_cuda_answer(ctx, getattr(other, "expression", None))
