"""Calls of torch.cuda under a test of their own: ``if torch.cuda.is_available(): torch.cuda.empty_cache()``."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.cuda.cuda_surroundings import has_counterparts
from devlint.analysis.devices.vendor_chains import beside_other_accelerator
from devlint.analysis.guards.availability_flow import AVAILABLE
from devlint.analysis.names.resolution import origin
from devlint.core.diagnostic import Edit, Fix
from devlint.fixes.apis.card_counts import counted_argument, counts_for_cuda
from devlint.fixes.apis.cuda_dependents import speaks_of_cuda
from devlint.fixes.apis.replaced_calls import replaced_in_tests
from devlint.fixes.torch_import import torch_name
from devlint.syntax import edits
from devlint.syntax.edits import replace_expression
from devlint.syntax.file_context import FileContext, fact
from devlint.torch_api.cuda_members import Member, OnCpu, cuda_member

_ALSO = "the program will do it on other accelerators, too"
_CALLED = (OnCpu.HARMLESS, OnCpu.RAISES)


@fact
def tested_calls(ctx: FileContext) -> dict[int, Fix]:
    """The fix of a test and of all calls under it, by the id of each: together they are any accelerator's as well.

    A test counts where all that it decides over is calls for which torch.accelerator has a counterpart, and what
    has nothing to do with CUDA: it can change whatever else the file does.
    """
    found: dict[int, Fix] = {}
    for test in ctx.tree.of_type(cst.Call):
        if origin(ctx, test.func) != AVAILABLE or test.args or has_counterparts(ctx, test):
            continue
        branch = _branch(ctx, test)
        calls = _calls(ctx, branch) if branch is not None else []
        fix = _fix(ctx, test, calls) if calls else None
        if fix is not None:
            found.update({id(one): fix for one in (test, *calls)})
    return found


def _branch(ctx: FileContext, test: cst.Call) -> cst.CSTNode | None:
    """What runs where a test holds; None where it is not a test, or where a branch is for another accelerator."""
    for child, parent in ctx.tree.path_up(test):
        if isinstance(parent, (cst.If, cst.IfExp)) and parent.test is child:
            return None if beside_other_accelerator(ctx, parent.body) else parent.body
        is_and = isinstance(parent, cst.BooleanOperation) and isinstance(parent.operator, cst.And)
        if not isinstance(parent, cst.BooleanOperation) or not is_and:
            return None
        other = parent.left if child is parent.right else parent.right
        if speaks_of_cuda(ctx, other):
            return None
    return None


def _calls(ctx: FileContext, branch: cst.CSTNode) -> list[cst.Call]:
    """The calls of torch.cuda's in a branch; empty where there is something else of CUDA in it."""
    found: list[cst.Call] = []
    for node in ctx.tree.below(branch):
        if not isinstance(node, (cst.Attribute, cst.Name)) or not _is_whole(ctx, node):
            continue
        call = ctx.tree.parent(node)
        member = cuda_member(origin(ctx, node))
        if member is None or not isinstance(call, cst.Call) or not _has_counterpart(ctx, call, member):
            return []
        found.append(call)
    names = {id(one) for call in found for one in ctx.tree.below(call.func)}
    return [] if any(id(one) not in names and speaks_of_cuda(ctx, one) for one in _leaves(ctx, branch)) else found


def _is_whole(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a node is all of a name of torch.cuda's."""
    named = f"{origin(ctx, node)}."
    return named.startswith("torch.cuda.") and not isinstance(ctx.tree.parent(node), cst.Attribute)


def _leaves(ctx: FileContext, branch: cst.CSTNode) -> Iterator[cst.CSTNode]:
    kinds = (cst.Name, cst.SimpleString, cst.FormattedStringText)
    return (one for one in ctx.tree.below(branch) if isinstance(one, kinds))


def _has_counterpart(ctx: FileContext, call: cst.Call, member: Member) -> bool:
    """Whether torch.accelerator does the same as a call, and the oldest torch has that."""
    if not (member.counterpart or "").startswith("accelerator.") or member.name == "is_available":
        return False
    if member.counterpart_since > ctx.target.torch_min_version or member.on_cpu not in _CALLED:
        return False
    if not member.same_result or counted_argument(ctx, call) is None:
        return False
    return member.name != "device_count" or not counts_for_cuda(ctx, call, tested=True)


def _fix(ctx: FileContext, test: cst.Call, calls: list[cst.Call]) -> Fix | None:
    torch = torch_name(ctx, test)
    if torch is None:
        return None
    made: list[Edit | None] = [replace_expression(ctx, test.func, f"{torch[0]}.accelerator.is_available"), *torch[1]]
    for call in calls:
        member = cuda_member(origin(ctx, call.func))
        assert member is not None
        text = f"{torch[0]}.{member.counterpart}({counted_argument(ctx, call)})"
        made.append(replace_expression(ctx, call, text))
    return edits.as_fix("Ask for any accelerator, and call `torch.accelerator`", made, _caveat(ctx, calls))


def _caveat(ctx: FileContext, calls: list[cst.Call]) -> str | None:
    """Why not all may want it: tests replace a call, or accelerators are told more than to wait and free memory."""
    members = (cuda_member(origin(ctx, one.func)) for one in calls)
    replaced = next(filter(None, (replaced_in_tests(ctx, one) for one in members if one is not None)), None)
    if replaced is not None:
        return replaced
    harmless = all(isinstance(ctx.tree.parent(one), cst.Expr) and _is_harmless(ctx, one) for one in calls)
    return None if harmless else _ALSO


def _is_harmless(ctx: FileContext, call: cst.Call) -> bool:
    return (origin(ctx, call.func) or "").rpartition(".")[2].startswith(("empty_cache", "reset_", "synchronize"))
