"""Seeds of CUDA that repeat ``torch.manual_seed``, which seeds every device."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.guards.condition_text import is_repeatable
from devlint.analysis.guards.guards import guard_of
from devlint.analysis.names.control_flow import statements
from devlint.analysis.names.resolution import origin
from devlint.core.diagnostic import Edit
from devlint.core.lazy_regex import regex
from devlint.syntax import line_edits
from devlint.syntax.file_context import FileContext

CUDA_SEEDS = frozenset({"torch.cuda.manual_seed", "torch.cuda.manual_seed_all"})
_ALL_DEVICES = frozenset({"torch.manual_seed", "torch.random.manual_seed"})
_SETTINGS = regex(r"(?:\w+\.)*\w*(?:seed|deterministic|benchmark|enabled)\w*(?:\[[^]]*\])?\s*(?:\(|=)|os\.environ\[")
"""Statements that may stand between two seeds: other seeds, and settings for reproducibility."""


def redundant_seed_edits(ctx: FileContext, call: cst.Call) -> tuple[Edit, ...] | None:
    """The edits that drop ``torch.cuda.manual_seed(s)`` beside ``torch.manual_seed(s)``; None where it is needed.

    A test for CUDA that governs nothing but such seeds goes with them.
    """
    line = _line_of(ctx, call)
    if line is None or _seed(ctx, line, CUDA_SEEDS) is None:
        return None
    block = ctx.tree.parent(line)
    if block is None:
        return None
    if _is_seeded_beside(ctx, line, call):
        return _deleted(ctx, line) if len(statements(block)) > 1 else None
    owner = ctx.tree.parent(block)
    if not isinstance(owner, cst.If) or owner.orelse is not None or isinstance(ctx.tree.parent(owner), cst.If):
        return None
    guard = guard_of(ctx, call)
    if guard is None or guard.owner is not owner or not is_repeatable(ctx, owner.test):
        return None
    if not _is_seeded_beside(ctx, owner, call):
        return None
    if all(_seed(ctx, one, CUDA_SEEDS) == _seed(ctx, line, CUDA_SEEDS) for one in statements(block)):
        siblings = ctx.tree.parent(owner)
        return _deleted(ctx, owner) if siblings is not None and len(statements(siblings)) > 1 else None
    return _deleted(ctx, line)


def _deleted(ctx: FileContext, line: cst.CSTNode) -> tuple[Edit, ...] | None:
    edit = line_edits.delete_lines(ctx, line, line)
    return None if edit is None or "#" in ctx.text_of(line) else (edit,)


def _line_of(ctx: FileContext, call: cst.Call) -> cst.CSTNode | None:
    """The line that is nothing but ``call``."""
    statement = ctx.tree.parent(call)
    line = ctx.tree.parent(statement) if isinstance(statement, cst.Expr) else None
    return line if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else None


def _is_seeded_beside(ctx: FileContext, statement: cst.CSTNode, call: cst.Call) -> bool:
    """Whether ``torch.manual_seed`` is given the same seed above or below, with only other seeds between."""
    block = ctx.tree.parent(statement)
    body = statements(block) if block is not None else ()
    at = next((index for index, one in enumerate(body) if one is statement), None)
    wanted = _argument(ctx, call)
    if at is None or wanted is None:
        return False
    for neighbours in (reversed(body[:at]), body[at + 1 :]):
        for one in neighbours:
            if _seed(ctx, one, _ALL_DEVICES) == wanted:
                return True
            if not _only_sets(ctx, one):
                break
    return False


def _only_sets(ctx: FileContext, statement: cst.CSTNode) -> bool:
    inner = statement.body if isinstance(statement, cst.If) and statement.orelse is None else None
    if inner is not None:
        return all(_only_sets(ctx, one) for one in statements(inner))
    return isinstance(statement, cst.SimpleStatementLine) and _SETTINGS.match(ctx.text_of(statement)) is not None


def _seed(ctx: FileContext, statement: cst.CSTNode, functions: frozenset[str]) -> str | None:
    """The seed that a statement gives to one of ``functions``, as source text."""
    small = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1 else None
    call = small.value if isinstance(small, (cst.Expr, cst.Assign)) else None
    if not isinstance(call, cst.Call) or (origin(ctx, call.func) or "") not in functions:
        return None
    return _argument(ctx, call)


def _argument(ctx: FileContext, call: cst.Call) -> str | None:
    """The only argument, if it is the same each time it is evaluated."""
    if len(call.args) != 1 or call.args[0].star or not is_repeatable(ctx, call.args[0].value):
        return None
    return ctx.text_of(call.args[0].value)
