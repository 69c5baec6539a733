"""Statements put under a test: ``synchronize()`` becomes ``if torch.cuda.is_available(): synchronize()``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import takewhile

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.control_flow import index_in, statements
from devlint.analysis.names.resolution import origin
from devlint.core.diagnostic import Edit, Span
from devlint.core.lazy_regex import regex
from devlint.syntax.edits import insert_after
from devlint.syntax.file_context import FileContext
from devlint.syntax.notebooks.shown_values import ends_cell, is_shown, is_silenced, shows_every_expression
from devlint.syntax.suite_edits import put_under
from devlint.torch_api.cuda_functions import GIVES_NONE

PRINTS = regex(
    r"(?:print|pprint|(?:.*\.)?_*log(?:ger|ging)?_*\.(?:critical|debug|error|exception|info|log|warn|warning)|tqdm\.write)\Z",
    re.IGNORECASE,
)
"""The names of what prints or logs."""
_LOOSER = regex(r"\b(?:or|if|lambda)\b|:=")
"""What in a test binds less tightly than ``and``."""
_BESIDE_AND = (cst.Name, cst.Attribute, cst.Subscript, cst.Call, cst.Comparison)
_GIVES_NONE = frozenset({"append", "extend", "record", "synchronize", "wait_event", "wait_stream"})
"""Methods whose value is None."""


def statement_of(ctx: FileContext, expression: cst.BaseExpression) -> cst.Expr | None:
    """The statement that is nothing but ``expression``, whose value nobody uses."""
    parent = ctx.tree.parent(expression)
    return parent if isinstance(parent, cst.Expr) else None


def under_guard(
    ctx: FileContext, statement: cst.BaseSmallStatement, test: str, last: cst.BaseSmallStatement | None = None
) -> tuple[Edit, ...] | None:
    """The edits that put ``statement`` under ``if test:``, and those after it up to ``last``; None where none can.

    An ``else`` that has nothing else becomes ``elif test``, and an ``if`` that has nothing else asks for both. The
    edits leave the statement itself alone, so that others may rewrite it in the same fix. What a notebook shows is
    shown under the test as well: ``f() if test else None``.
    """
    last = last or statement
    if shows_value(ctx, last):
        above, choice = _above(ctx, last), _choice(ctx, last, test)
        around = put_under(ctx, f"if {test}:", statement, above) if above is not None else None
        around = () if last is statement else around
        return None if around is None or choice is None else (*around, choice)
    other = _whole_else(ctx, statement, last)
    if other is not None:
        start = ctx.span(other).start
        return (Edit(Span(start, start + len("else")), f"elif {test}"),)
    owner = _whole_if(ctx, statement, last)
    if owner is not None and _LOOSER.search(test) is None:
        return (insert_after(ctx, owner.test, f" and {test}"),)
    return put_under(ctx, f"if {test}:", statement, last)


def shows_value(ctx: FileContext, statement: cst.BaseSmallStatement) -> bool:
    """Whether a notebook may show the value of a statement, which may be another than None."""
    return is_shown(ctx, statement) and _has_value(ctx, statement)


def kept_quiet(ctx: FileContext, owner: cst.If, block: cst.BaseSuite, edits: list[Edit] | None) -> list[Edit] | None:
    """``edits`` that leave what a block of an ``if`` does without it, so that a notebook shows no more than before.

    A value that then ends a cell gets a ``;``. None where all values would be shown, or where there are no edits.
    """
    lines = block.body if isinstance(block, cst.IndentedBlock) else [block]
    last = lines[-1].body[-1] if isinstance(lines[-1], (cst.SimpleStatementLine, cst.SimpleStatementSuite)) else None
    if edits is None or not isinstance(last, cst.Expr) or is_silenced(last) or not _has_value(ctx, last):
        return edits
    if shows_every_expression(ctx) and ctx.tree.parent(owner) is ctx.module:
        return None
    return [*edits, insert_after(ctx, last.value, ";")] if ends_cell(ctx, owner) else edits


def _has_value(ctx: FileContext, statement: cst.BaseSmallStatement) -> bool:
    """Whether a statement is an expression whose value may be another than None."""
    if not isinstance(statement, cst.Expr):
        return False
    call = statement.value
    if not isinstance(call, cst.Call):
        return True
    package, _, name = (origin(ctx, call.func) or "").rpartition(".")
    if package.startswith("torch."):
        return name not in GIVES_NONE
    method = call.func.attr.value if isinstance(call.func, cst.Attribute) else ""
    return method not in _GIVES_NONE and PRINTS.match(dotted_name(call.func) or "") is None


def _choice(ctx: FileContext, statement: cst.BaseSmallStatement, test: str) -> Edit | None:
    """The edit that lets an expression be asked only where ``test`` holds; None where that needs more brackets."""
    value = statement.value if isinstance(statement, cst.Expr) else None
    is_tight = isinstance(value, (cst.Call, cst.Attribute, cst.Subscript))
    return insert_after(ctx, value, f" if {test} else None") if is_tight and value is not None else None


def _above(ctx: FileContext, statement: cst.BaseSmallStatement) -> cst.BaseSmallStatement | None:
    """The statement alone on the line above."""
    line = ctx.tree.parent(statement)
    block = ctx.tree.parent(line) if line is not None else None
    here = index_in(ctx, block, line) if block is not None and line is not None else None
    return _alone(statements(block)[here - 1]) if block is not None and here else None


def _whole_else(ctx: FileContext, first: cst.BaseSmallStatement, last: cst.BaseSmallStatement) -> cst.Else | None:
    """The ``else`` of an ``if`` that holds nothing else than the statements from ``first`` to ``last``."""
    other = _owner_of_whole(ctx, first, last)
    return other if isinstance(other, cst.Else) and isinstance(ctx.tree.parent(other), cst.If) else None


def _whole_if(ctx: FileContext, first: cst.BaseSmallStatement, last: cst.BaseSmallStatement) -> cst.If | None:
    """The ``if`` without ``else`` that holds nothing else, where another test can stand beside its own."""
    owner = _owner_of_whole(ctx, first, last)
    if not isinstance(owner, cst.If) or owner.orelse is not None:
        return None
    return owner if isinstance(owner.test, _BESIDE_AND) else None


def _owner_of_whole(
    ctx: FileContext, first: cst.BaseSmallStatement, last: cst.BaseSmallStatement
) -> cst.CSTNode | None:
    """What has a block that is just the statements from ``first`` to ``last``, on lines of their own."""
    line, end = ctx.tree.parent(first), ctx.tree.parent(last)
    block = ctx.tree.parent(line) if isinstance(line, cst.SimpleStatementLine) else None
    body = statements(block) if isinstance(block, cst.IndentedBlock) else ()
    whole = bool(body) and _alone(line) is first and _alone(end) is last and body[0] is line and body[-1] is end
    return ctx.tree.parent(block) if whole and block is not None else None


def neighbouring_statements(
    ctx: FileContext, statement: cst.BaseSmallStatement, wanted: Callable[[cst.BaseSmallStatement], bool]
) -> tuple[cst.BaseSmallStatement, ...]:
    """``statement`` with those directly above and below, each alone on its line, that are ``wanted`` too.

    They can share one test and one fix.
    """
    line = ctx.tree.parent(statement)
    block = ctx.tree.parent(line) if line is not None else None
    here = index_in(ctx, block, line) if block is not None and line is not None else None
    if block is None or here is None or _alone(line) is not statement:
        return (statement,)
    body = statements(block)

    def those(lines: Iterable[cst.CSTNode]) -> list[cst.BaseSmallStatement]:
        near = takewhile(lambda one: one is not None and wanted(one), map(_alone, lines))
        return [one for one in near if one is not None]

    above = those(body[at] for at in range(here - 1, -1, -1))
    return (*above[::-1], statement, *those(body[at] for at in range(here + 1, len(body))))


def grouped_under(
    ctx: FileContext,
    wanted: Iterable[cst.BaseSmallStatement],
    test: str,
    also: Callable[[cst.BaseSmallStatement], bool] = lambda _: False,
) -> list[Edit | None]:
    """The edits that put statements under ``if test:``, neighbours together with those that are ``also`` welcome."""
    changes: list[Edit | None] = []
    ordered = list(wanted)
    wanted_ids, done = {id(one) for one in ordered}, set[int]()
    for one in ordered:
        if id(one) not in done:
            group = neighbouring_statements(ctx, one, lambda other: id(other) in wanted_ids or also(other))
            done.update(id(each) for each in group)
            changes += under_guard(ctx, group[0], test, group[-1]) or [None]
    return changes


def _alone(line: cst.CSTNode | None) -> cst.BaseSmallStatement | None:
    """The only statement of a line."""
    return line.body[0] if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else None
