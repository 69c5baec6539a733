"""DEV105: a move to CUDA under a test for CUDA."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.guards.guards import guard_of
from devlint.analysis.guards.implications import asks_for_nccl, program_says_cuda
from devlint.analysis.guards.questions import Guard
from devlint.analysis.names.control_flow import exits
from devlint.analysis.transfers.cuda_method_calls import given_device
from devlint.analysis.transfers.guarded_transfers import GuardedMove, guarded_move
from devlint.analysis.transfers.moves_for_cuda import runs_with_cuda_only, stays_for_cuda
from devlint.analysis.transfers.queried_tensors import guarding_tensor
from devlint.core.diagnostic import Fix
from devlint.fixes.device import resolver
from devlint.fixes.guarded_move import move_fix, tensor_to_follow
from devlint.fixes.needless_moves import moved_again
from devlint.rules.base import Rule
from devlint.rules.triggers.devices import DeviceString
from devlint.rules.triggers.moves import goes_to_cuda, is_no_own_cuda
from devlint.rules.triggers.names import Method
from devlint.rules.triggers.trigger import Beside
from devlint.syntax import edits


class GuardedCudaMove(Rule):
    """A tensor or module moved to CUDA under a test for CUDA.

    What it does
    ------------
    Finds ``.cuda()`` and ``.to("cuda")`` under a test for CUDA: ``if use_cuda: x = x.cuda()``, ``x.cuda() if use_cuda
    else x``, ``if torch.cuda.is_available(): model.cuda()``. The test may be a statement, an expression, an early
    return or an assertion. If it tests a tensor (``x.is_cuda``), DEV603 reports it. With ``target = "cuda"``, code that
    runs only with CUDA and would after a fix is left alone: a test that is skipped elsewhere, ``x.cuda() if
    torch.cuda.is_available() else y``.

    Why is this bad?
    ----------------
    The test is repeated at every move, a single forgotten one stops the program, and the program can use no device
    except CUDA and the CPU. A device that is chosen once does the same.

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
    Safe: the device is built from the same test, so a program that is told not to use CUDA still does not. If the test
    is the condition of the device, it is removed where it contains nothing but moves, of single objects or of each
    element of a collection. Where it contains more, the moves that its block begins or ends with are put before or
    below it. It stays where calls may leave out the parameter that is tested (``def wrap(x, cuda=False)``), because
    their tensors are not moved today, where ``torch.load`` may have put the tensor on a GPU that an option says not to
    use, where the tensor is made beside another (``x.new(3)``), and where a caller gives it (itself, in a loader, or
    what computes it) and the file, or one that imports it, also uses CUDA without asking a flag, or another file gives
    it that does. What keeps its test is left alone with ``target = "cuda"`` where the device would be CUDA there in any
    case, unless the flag is on without anybody asking for CUDA. Unsafe if the device may be a different one, and with
    ``target = "accelerator"`` if the test is for CUDA; with ``target = "cuda"`` also where nothing is gained: the test
    stays, and without CUDA it holds only where somebody asks for CUDA, as do those of all else that the function moves
    (an option that is off by default, a parameter for which callers give ``torch.cuda.is_available()``), or another
    ``x.cuda()`` under it stays, so that without CUDA it would fail all the same; where nothing but moves is
    under a test that is off and the device asks another; where the file asks the flag in other words as well (``if gpu
    is True:`` beside ``if gpu:``); where ``if device != "cpu":`` would need a second device beside the one it asks; and
    where the test asks torch, and all that it moves is moved to a device right below. The fix's message says why.
    """

    code = "DEV105"
    name = "guarded-cuda-move"
    advice = "Choose the device once by this test, and move everything with `.to(device)`"
    gains_with_kernels = False
    trigger = Method("cuda").where(is_no_own_cuda) | Beside(Method("to").where(goes_to_cuda), DeviceString())

    def visit_Call(self, node: cst.Call) -> None:
        move = guarded_move(self.ctx, node)
        guard = guard_of(self.ctx, node) if move is not None else None
        if move is None or guard is None or tensor_to_follow(self.ctx, move, guard) is not None:
            return
        if self.ctx.target.kind == "cuda" and stays_for_cuda(self.ctx, node, guard):
            return
        if any(asks_for_nccl(one) for one in self.ctx.tree.below(guard.test)):  # which takes no other device's tensors
            return
        fix = self._fix(move, guard)
        if fix is None and self.ctx.target.kind == "cuda" and self._is_below_exit(node, guard):
            return
        test = self.ctx.one_line_of(guard.test)
        self.report(move.first, f"`{move.written}` under its own test for CUDA (`{test}`)", fix, end=node)

    def _is_below_exit(self, node: cst.Call, guard: Guard) -> bool:
        """Whether a function returns, above a move or instead of it, unless there is CUDA."""
        owner = guard.owner
        returns = isinstance(owner, cst.If) and not guard.holds and exits(owner.body)
        is_below = returns or not self.ctx.tree.is_around(owner, node)
        return is_below and program_says_cuda(self.ctx, guard.test, guard.holds)

    def _fix(self, move: GuardedMove, guard: Guard) -> Fix | None:
        if move.move is not None and move.move.whole and move.move.device is not None:
            if runs_with_cuda_only(self.ctx, guard) or guarding_tensor(self.ctx, guard, move.call) is not None:
                return None  # the test stays
            text, caveat = given_device(self.ctx, move.move, move.move.device)
            return edits.as_fix(f"Replace `.cuda({text})` by `.to({text})`", move.edits(self.ctx, text), caveat)
        again = moved_again(self.ctx, guard)
        return move_fix(self.ctx, move, guard, lambda at: resolver.resolve_device(self.ctx, at), again)
