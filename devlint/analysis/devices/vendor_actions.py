"""Chains that do the same for one accelerator after the other, each with the functions of its own module."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.type_questions import names_cuda_twice
from devlint.analysis.devices.vendor_chains import asked_kind, is_branch
from devlint.analysis.names.control_flow import statements
from devlint.analysis.names.string_literals import string_value
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.syntax.file_context import FileContext
from devlint.torch_api.cuda_members import cuda_member
from devlint.torch_api.device_naming import ACCELERATORS

_MEMBER = regex(r"\btorch\.(\w+)\.(\w+)")
_KINDS = "|".join(sorted(ACCELERATORS))
_NAMED = regex(rf"(?:\b|_)(?:{_KINDS})(?:\b|_)")


class ActionChain(Record, eq=False):
    """An ``if`` whose branches all do the same, each for its accelerator."""

    statement: cst.If
    asked: str | None
    """The type that the tests compare with the accelerators, as written; None where they ask what there is."""
    body: tuple[str, ...]
    """The statements, as ``torch.accelerator`` does them."""
    orelse: cst.Else | None


def action_chains(ctx: FileContext) -> list[ActionChain]:
    """The chains of a file that one call of torch.accelerator's functions can replace."""
    found = (_chain(ctx, one) for one in ctx.tree.of_type(cst.If) if isinstance(one.orelse, cst.If))
    return [one for one in found if one is not None]


def _chain(ctx: FileContext, statement: cst.If) -> ActionChain | None:
    """The chain that begins with a statement; None where a branch does something else."""
    if is_branch(ctx, statement):
        return None
    kinds: list[str] = []
    askers: set[str | None] = set()
    bodies: set[tuple[str, ...]] = set()
    branch: cst.If | cst.Else | None = statement
    while isinstance(branch, cst.If):
        asked = _test(ctx, branch.test)
        body = _generic(ctx, branch.body, asked[0]) if asked is not None else None
        if asked is None or body is None:
            return None
        kinds.append(asked[0])
        askers.add(asked[1])
        bodies.add(body)
        branch = branch.orelse
    if "cuda" not in kinds or len(set(kinds)) != len(kinds) or len(askers) != 1 or len(bodies) != 1:
        return None
    if branch is not None and _NAMED.search(ctx.module.code_for_node(branch)):
        return None
    return ActionChain(statement, askers.pop(), bodies.pop(), branch)


def _test(ctx: FileContext, test: cst.BaseExpression) -> tuple[str, str | None] | None:
    """The accelerator that a test asks for, and the type that it compares with its name, if it does."""
    kind = asked_kind(ctx, test)
    if kind is not None:
        return kind, None
    if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1:
        return None
    target = test.comparisons[0]
    if isinstance(target.operator, cst.In) and names_cuda_twice(target.comparator):
        return "cuda", ctx.text_of(test.left)
    named = string_value(target.comparator)
    if not isinstance(target.operator, cst.Equal) or named not in ACCELERATORS:
        return None
    return named, ctx.text_of(test.left)


def _generic(ctx: FileContext, block: cst.CSTNode, kind: str) -> tuple[str, ...] | None:
    """The statements of a branch without comments, by torch.accelerator; None where it has no such functions."""
    found: list[str] = []
    for one in statements(block):
        small = one.body[0] if isinstance(one, cst.SimpleStatementLine) and len(one.body) == 1 else None
        if not isinstance(small, cst.Expr) or not isinstance(small.value, cst.Call):
            return None
        written = ctx.text_of(small.value)
        text = _MEMBER.sub(lambda match: _counterpart(ctx, match.group(1), match.group(2), kind), written)
        if _NAMED.search(text) or "torch.accelerator." not in text:
            return None
        found.append(text)
    return tuple(found) or None


def _counterpart(ctx: FileContext, module: str, name: str, kind: str) -> str:
    """``torch.accelerator.empty_cache`` for ``torch.xpu.empty_cache``, where the oldest torch has it."""
    written = f"torch.{module}.{name}"
    member = cuda_member(f"torch.cuda.{name}") if module == kind else None
    if member is None or not (member.counterpart or "").startswith("accelerator."):
        return written
    return f"torch.{member.counterpart}" if member.counterpart_since <= ctx.target.torch_min_version else written
