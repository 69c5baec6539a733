"""DEV105: a move to CUDA under a test for CUDA."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Optional

import libcst as cst

from devlint import edits, line_edits
from devlint.diagnostic import Edit, Fix
from devlint.facts import device
from devlint.facts.choice import DeviceChoice
from devlint.facts.flags import same_condition
from devlint.facts.guarded_moves import GuardedMove, guarded_move, is_plain_block, same_but_for_moves
from devlint.facts.guards import Guard, guard_of
from devlint.facts.moves import named_device
from devlint.rule import Rule

OTHERS_TOO = "the test asked for CUDA only, and other accelerators are now used too"


class GuardedCudaMove(Rule):
    """A tensor or module moved to CUDA only where a test for CUDA holds.

    What it does
    ------------
    Finds ``.cuda()`` and ``.to("cuda")`` under a test for CUDA: ``if use_cuda: x = x.cuda()``,
    ``x.cuda() if use_cuda else x``, ``if torch.cuda.is_available(): model.cuda()``, whether the test is a statement,
    an expression, an early return or an assertion.

    Why is this bad?
    ----------------
    The test is repeated wherever something is moved, one forgotten place stops the program, and no other device than
    CUDA can ever be used. One device, chosen once, does the same.

    Example
    -------
    ```python
    import torch

    use_cuda = torch.cuda.is_available()
    device = torch.device("cuda" if use_cuda else "cpu")
    model = torch.nn.Linear(2, 2)
    x = torch.ones(1, 2)
    if use_cuda:
        model.cuda()
        x = x.cuda()
    y = x.cuda() if use_cuda else x
    ```

    Use instead:
    ```python
    import torch

    use_cuda = torch.cuda.is_available()
    device = torch.device("cuda" if use_cuda else "cpu")
    model = torch.nn.Linear(2, 2)
    x = torch.ones(1, 2)
    model.to(device)
    x = x.to(device)
    y = x.to(device)
    ```

    Fix safety
    ----------
    Safe: the device is built from the very test, so that a program told not to use CUDA still does not. The test goes
    only where it holds nothing but moves and is the device's own condition; elsewhere the move alone is rewritten,
    and stays under its test. Unsafe where the device found may be another one, and with ``target = "accelerator"``
    where the test asks for CUDA; the fix's message says why.
    """

    code = "DEV105"
    name = "guarded-cuda-move"
    literals = (b"cuda",)

    def visit_Call(self, node: cst.Call) -> None:
        move = guarded_move(self.ctx, node)
        guard = guard_of(self.ctx, node) if move is not None else None
        if move is None or guard is None:
            return
        test = " ".join(self.ctx.text_of(guard.test).split())
        message = f"`{move.written}` under its own test for CUDA (`{test}`)"
        self.report(move.first, message, self._fix(move, guard), end=node)

    def _fix(self, move: GuardedMove, guard: Guard) -> Optional[Fix]:
        if move.move is not None and move.move.whole and move.move.device is not None:
            text, caveat = named_device(self.ctx, move.move, move.move.device)
            return edits.fix(f"Replace `.cuda({text})` by `.to({text})`", move.edits(self.ctx, text), caveat)
        choice = device.resolve(self.ctx, move.call)
        if choice is None or not move.understood:
            return None
        if choice.condition is not None and choice.caveat is None and same_condition(self.ctx, choice.condition, guard):
            whole = self._without_test(guard)
            if whole is not None:
                return whole
        changes = [*move.edits(self.ctx, choice.expression), *choice.edits]
        return edits.fix(f"Replace `{move.written}` by `.to({choice.expression})`", changes, choice.caveat)

    def _without_test(self, guard: Guard) -> Optional[Fix]:
        """All that the test governs moved without it, where that is nothing but moves."""
        if isinstance(guard.owner, cst.IfExp):
            moved, kept = guard.owner.body, guard.owner.orelse
            if not guard.holds:
                moved, kept = kept, moved
            if not same_but_for_moves(self.ctx, moved, kept):
                return None
            around = edits.keep_only(self.ctx, guard.owner, moved)
            return self._moves(moved, around) if around is not None else None
        if isinstance(guard.owner, cst.If) and guard.holds and self._is_whole(guard.owner):
            unwrapped = line_edits.unwrap_block(self.ctx, guard.owner)
            return self._moves(guard.owner.body, unwrapped) if unwrapped is not None else None
        return None

    def _is_whole(self, statement: cst.If) -> bool:
        """Whether the body of an ``if`` is nothing but moves, or what its ``else`` does but for moves."""
        if isinstance(self.ctx.tree.parent(statement), cst.If) or isinstance(statement.orelse, cst.If):
            return False
        if statement.orelse is None:
            return is_plain_block(self.ctx, statement.body)
        return same_but_for_moves(self.ctx, statement.body, statement.orelse.body)

    def _moves(self, below: cst.CSTNode, around: Iterable[Edit]) -> Optional[Fix]:
        """One fix for every move below a node, with the edits that remove the test around them."""
        changes: list[Edit] = [*around]
        caveats: list[str] = []
        for node in self.ctx.tree.below(below):
            move = guarded_move(self.ctx, node) if isinstance(node, cst.Call) else None
            if move is None:
                continue
            choice = device.resolve(self.ctx, move.call)
            if choice is None or not move.understood:
                return None
            changes += [*move.edits(self.ctx, choice.expression), *choice.edits]
            caveats += [choice.caveat] if choice.caveat else []
            caveats += [OTHERS_TOO] if self._is_wider(choice, move.call) else []
        return edits.fix("Move to the device without a test", _unique(changes), caveats[0] if caveats else None)

    def _is_wider(self, choice: DeviceChoice, call: cst.Call) -> bool:
        """Whether the device is any accelerator where the test asks for CUDA."""
        guard = guard_of(self.ctx, call)
        asks = guard is not None and "cuda.is_available" in self.ctx.text_of(guard.test)
        return asks and "accelerator.is_available" in (choice.condition or "")


def _unique(changes: Sequence[Edit]) -> list[Edit]:
    return sorted(set(changes))
