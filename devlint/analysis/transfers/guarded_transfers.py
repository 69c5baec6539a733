"""Moves under a test for CUDA, and whether the test guards anything else."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from itertools import takewhile

import libcst as cst

from devlint.analysis.devices.cuda_literals import cuda_literal
from devlint.analysis.guards.guards import is_guarded
from devlint.analysis.legacy_types.type_uses import cpu_type_names
from devlint.analysis.names.control_flow import index_in, statements
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.overrides import classes_with_method
from devlint.analysis.transfers.cuda_method_calls import (
    CudaMove,
    cuda_move,
    move_edits,
    names_device_index,
)
from devlint.analysis.transfers.moved_collections import sole_elements, unpacked_collections, walked_collections
from devlint.analysis.transfers.storages import is_storage
from devlint.analysis.transfers.unmovable_receivers import may_be_unmovable
from devlint.core.diagnostic import Edit
from devlint.core.record import Record
from devlint.syntax import edits
from devlint.syntax.file_context import FileContext, fact, fact_of
from devlint.syntax.stripped_calls import takes_to_cpu, text_without_calls, without_space


class GuardedMove(Record, eq=False):
    """``x.cuda()`` or ``x.to("cuda")`` where a test for CUDA holds."""

    call: cst.Call
    receiver: cst.BaseExpression
    first: cst.CSTNode
    """The method's name."""
    written: str
    """How a message shows it."""
    move: CudaMove | None = None
    """None for ``.to``."""
    literal: cst.BaseExpression | None = None
    """The device that ``.to`` is given."""

    @property
    def understood(self) -> bool:
        """Whether the call can be rewritten."""
        return self.move is None or (self.move.whole and self.move.device is None)

    def edits(self, ctx: FileContext, device: str) -> list[Edit]:
        """The edits that move to ``device`` instead."""
        if self.move is not None:
            return move_edits(ctx, self.move, device)
        assert self.literal is not None, "a `.to` has a device"
        return [edits.replace_outer(ctx, self.literal, device)]


def guarded_move(ctx: FileContext, call: cst.Call) -> GuardedMove | None:
    """The guarded move that ``call`` is; None for all else."""
    if not isinstance(call.func, cst.Attribute):
        return None
    name = call.func.attr
    if name.value == "cuda":
        move = cuda_move(ctx, call)
        if move is None or names_device_index(ctx, move) or not is_guarded(ctx, call):
            return None
        whole = move.whole and not is_storage(ctx, move)
        return GuardedMove(call, move.receiver, name, ".cuda()", move.replace(whole=whole))
    if name.value == "to" and call.args and isinstance(ctx.tree.parent(call), (cst.Expr, cst.Assign)):
        first = call.args[0]
        literal = cuda_literal(ctx, first.value) if not first.star else None
        in_slot = first.keyword is None or first.keyword.value == "device"
        if literal is not None and literal.index is None and in_slot and is_guarded(ctx, call):
            return GuardedMove(call, call.func.value, name, f".to({ctx.text_of(first.value)})", literal=first.value)
    return None


@fact_of
def moves_below(ctx: FileContext, owner: cst.CSTNode) -> list[GuardedMove]:
    """The guarded moves that a statement or an expression holds."""
    found = (guarded_move(ctx, one) for one in ctx.tree.below(owner) if isinstance(one, cst.Call))
    return [one for one in found if one is not None]


def returned_unmoved(ctx: FileContext, statement: cst.If) -> cst.CSTNode | None:
    """``return x`` below ``if use_cuda: return x.cuda()``: what the function returns if it does not move it."""
    block = ctx.tree.parent(statement)
    index = index_in(ctx, block, statement) if block is not None and statement.orelse is None else None
    if block is None or index is None or len(statements(block)) <= index + 1:
        return None
    following = statements(block)[index + 1]
    moved, kept = _returned(statement.body), _returned(following)
    same = moved is not None and kept is not None and differs_only_in_moves(ctx, moved, kept)
    return following if same else None


def _returned(node: cst.CSTNode) -> cst.BaseExpression | None:
    """What a statement, or a block of one statement, returns."""
    if isinstance(node, cst.IndentedBlock) and len(node.body) == 1:
        node = node.body[0]
    small = node.body[0] if isinstance(node, cst.SimpleStatementLine) and len(node.body) == 1 else None
    return small.value if isinstance(small, cst.Return) else None


def differs_only_in_moves(ctx: FileContext, moved: cst.CSTNode, kept: cst.CSTNode) -> bool:
    """Whether two pieces of code differ only in that the first moves what the second keeps, or moves to the CPU.

    A CUDA type in the first is such a move where the second has the CPU's type, and so is a collection of which the
    first moves every element: ``[y.cuda() for y in x]`` for ``x``. Remarks that only the first has are no difference,
    nor is a way back to the CPU that only the first goes to read values.
    """
    own_cpu = has_own_cpu(ctx)
    types, collections = cpu_type_names(ctx), walked_collections(ctx, moved, lambda call: _moves(ctx, call))
    stay = isinstance(moved, cst.BaseSuite) and "#" not in ctx.text_of(kept)
    ways: list[Mapping[int, str]] = [types]
    if collections:
        sole = sole_elements(ctx, moved, collections)
        ways += [ChainMap(collections, types), ChainMap(sole, collections, types)]
    texts = [text_without_calls(ctx, moved, lambda call: _moves(ctx, call), way, stay) for way in ways]
    if not own_cpu:
        texts += [text_without_calls(ctx, moved, lambda call: _moves_or_reads(ctx, call), way, stay) for way in ways]
    same: set[str | None] = {without_space(ctx.text_of(kept))}
    if not own_cpu:
        same.add(text_without_calls(ctx, kept, takes_to_cpu))
        same |= {text_without_calls(ctx, kept, takes_to_cpu, unpacked_collections(ctx, kept))} if collections else set()
    return any(one is not None and one in same for one in texts)


@fact
def has_own_cpu(ctx: FileContext) -> bool:
    """Whether a class of the project has a ``cpu`` of its own, which may do more than to move."""
    return "def cpu(" in ctx.source.text or bool(classes_with_method(project_around(ctx), "cpu"))


def _moves(ctx: FileContext, call: cst.Call) -> bool:
    move = guarded_move(ctx, call)
    return move is not None and not may_be_unmovable(ctx, move.receiver)


def _moves_or_reads(ctx: FileContext, call: cst.Call) -> bool:
    """Whether a call is a move, or the ``cpu`` of ``x.cpu().numpy()``, which only what is on the CPU can do without."""
    if _moves(ctx, call):
        return True
    chain = takewhile(lambda step: _goes_on(*step), ctx.tree.path_up(call)) if takes_to_cpu(call) else ()
    return any(isinstance(up, cst.Attribute) and up.attr.value == "numpy" for _, up in chain)


def _goes_on(child: cst.CSTNode, parent: cst.CSTNode) -> bool:
    """Whether an expression is that of which another takes an attribute, or which it calls."""
    return child is (parent.value if isinstance(parent, cst.Attribute) else getattr(parent, "func", None))
