"""Options of the command line that are on unless the user says otherwise: a test for one asks nobody for CUDA."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.card_numbers import are_parsed_options
from devlint.analysis.guards.changing_flags import is_set_by_name, is_target
from devlint.analysis.guards.cuda_only_code import does_without
from devlint.analysis.names.program_options import ProgramOption, program_options
from devlint.analysis.names.resolution import attributes_named
from devlint.analysis.names.string_literals import string_value
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.attributes import set_from_outside
from devlint.syntax.file_context import FileContext

_HOLDS_FROM_ZERO = {(cst.GreaterThanEqual, "0"), (cst.GreaterThan, "-1"), (cst.NotEqual, "-1")}


def if_option_is_on(ctx: FileContext, statement: cst.CSTNode) -> cst.If | None:
    """The ``if args.gpu >= 0:`` around a statement that fails without CUDA, if the option is on by default.

    None where something further out asks for CUDA, and for targets that are not CUDA alone.
    """
    block = ctx.tree.parent(ctx.tree.parent(statement) or statement)
    owner = ctx.tree.parent(block) if isinstance(block, cst.IndentedBlock) else None
    if not isinstance(owner, cst.If) or owner.body is not block or ctx.target.kind != "cuda":
        return None
    return owner if _is_on(ctx, owner.test) and not does_without(ctx, owner) else None


def _is_on(ctx: FileContext, test: cst.BaseExpression) -> bool:
    """Whether a test holds by the default of an option of the file's own parser, which nothing sets but the user."""
    compared = test.comparisons[0] if isinstance(test, cst.Comparison) and len(test.comparisons) == 1 else None
    asked = test.left if isinstance(test, cst.Comparison) else test
    if not isinstance(asked, cst.Attribute) or (compared is None and asked is not test):
        return False
    name = asked.attr.value
    own = [one for one in program_options(ctx) if one.of_parser and one.destination == name]
    if not own or not all(_is_on_by_default(ctx, one, compared) for one in own) or is_set_by_name(ctx, name):
        return False
    if any(is_target(ctx, one) for one in attributes_named(ctx, name)) or not are_parsed_options(ctx, asked.value):
        return False
    return set_from_outside(project_around(ctx), name) == []


def _is_on_by_default(ctx: FileContext, option: ProgramOption, compared: cst.ComparisonTarget | None) -> bool:
    """Whether the default of an option is True, or a number of a card where that is what the test asks for."""
    keywords = {arg.keyword.value: arg.value for arg in option.call.args if arg.keyword is not None}
    default = ctx.text_of(option.default.value) if option.default is not None else ""
    if compared is None:
        action = string_value(keywords["action"]) if "action" in keywords else None
        return default == "True" if action is None else action == "store_false" and default in ("", "True")
    asks = type(compared.operator), ctx.text_of(compared.comparator)
    return asks in _HOLDS_FROM_ZERO and default.isdecimal() and "action" not in keywords
