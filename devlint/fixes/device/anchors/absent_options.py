"""Options that a program does not always have: a device may ask for them only where the program does."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.apis.asked_at_import import certain_nodes
from devlint.analysis.guards.cuda_flags import Condition
from devlint.analysis.names.control_flow import statements_above
from devlint.analysis.names.program_options import may_lack_option, program_options
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.options import OPTIONS
from devlint.analysis.project.searches import search
from devlint.fixes.device.anchors.placement import Anchor
from devlint.syntax.file_context import FileContext


def asks_for_absent_option(ctx: FileContext, condition: Condition, anchor: Anchor) -> bool:
    """Whether a device at an anchor asks for an option that may not be there, where the program need not have asked.

    ``if train and opt.cuda:`` does not ask for ``opt.cuda`` where ``train`` is false.
    """
    names = [one.rpartition(".")[2] for one in condition.names if "." in one]
    return any(_may_be_absent(ctx, one) and not _is_asked(ctx, one, anchor) for one in names)


def _may_be_absent(ctx: FileContext, option: str) -> bool:
    """Whether an option is only defined under conditions, or by some of several commands."""
    if any(one.destination == option for one in program_options(ctx)):
        return may_lack_option(ctx, option)
    defined = search(project_around(ctx), OPTIONS, option) or []
    return bool(defined) and all(one.is_under_condition for one in defined)


def _is_asked(ctx: FileContext, option: str, anchor: Anchor) -> bool:
    """Whether the statement at an anchor, or one above it, surely asks for an option."""
    lines = [anchor.statement, *statements_above(ctx, anchor.statement, anchor.scope.node)]
    nodes = (node for line in lines for node in certain_nodes(line))
    return any(isinstance(one, cst.Attribute) and one.attr.value == option for one in nodes)
