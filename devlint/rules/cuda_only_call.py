"""DEV501: a function of ``torch.cuda`` called where CUDA may be missing."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.apis.streams import fails_anyway, is_beside_graph, is_lost_in_try
from devlint.analysis.guards.cuda_only_code import does_without, is_profiled
from devlint.analysis.guards.option_values import if_option_is_on
from devlint.core.diagnostic import Fix
from devlint.fixes.apis.failing_cuda_calls import CudaCall, cuda_call, guard_fix, joined_test_fix, share_a_test
from devlint.fixes.apis.used_value import used_value_fix
from devlint.fixes.device.cards.card_left import with_card_left
from devlint.fixes.guard_statements import neighbouring_statements
from devlint.rules.base import Rule
from devlint.rules.triggers.guards import may_fail
from devlint.rules.triggers.names import Call
from devlint.syntax.file_context import FileContext
from devlint.torch_api.cuda_functions import HARMFUL, STREAM_FUNCTIONS
from devlint.torch_api.cuda_members import OnCpu

_PROFILERS = ("nvtx.", "profiler.", "cudart")


class CudaOnlyCall(Rule):
    """A function of ``torch.cuda`` called where CUDA may be missing.

    What it does
    ------------
    Finds calls of ``torch.cuda.synchronize``, ``set_device``, ``current_device``, ``get_device_name``,
    ``reset_peak_memory_stats``, ``nvtx.range_push`` and the other functions that raise an error without CUDA, if there
    is no test for CUDA before them. Functions that are harmless without CUDA (``empty_cache``, ``device_count``,
    ``manual_seed_all``, …) are not reported, nor are calls whose error a ``try`` handles, nor code that is only for
    CUDA: functions and classes that are named after CUDA or kernels and used nowhere else without a test, files that
    are named so and are no scripts, code that imports or uses something that needs CUDA (Triton, CuPy, Apex, TensorRT's
    engines, …), and functions that make a CUDA graph, which DEV504 reports.

    Why is this bad?
    ----------------
    The program stops on every machine without CUDA, often for a call that has nothing to do there.

    Example
    -------
    ```python
    import time

    import torch


    def measure(model: torch.nn.Module, x: torch.Tensor) -> float:
        torch.cuda.synchronize()
        start = time.time()
        model(x)
        torch.cuda.synchronize()
        return time.time() - start
    ```

    Use instead:
    ```python
    import time

    import torch


    def measure(model: torch.nn.Module, x: torch.Tensor) -> float:
        if torch.cuda.is_available():
            torch.cuda.synchronize()
        start = time.time()
        model(x)
        if torch.cuda.is_available():
            torch.cuda.synchronize()
        return time.time() - start
    ```

    Fix safety
    ----------
    Safe: the call is put under a test that is true wherever the call worked, and only if it is a statement of its own
    (or is printed or logged). An option that is on by default, or settings that are always True, say nothing about the
    machine, so that a test of one also asks for CUDA: ``if args.use_gpu and torch.cuda.is_available():``.
    ``torch.cuda.current_device()`` as a device becomes the program's; as a value of a name ``"cpu"`` without CUDA, 0
    for a number, and None for FSDP; with the target ``accelerator`` the card of any accelerator, which is unsafe where
    it may be used in other ways. The value of ``torch.cuda.get_rng_state()`` is None without CUDA where the file only
    gives it back to CUDA, under a test as well; else it is ``torch.get_rng_state()``, which is unsafe. With the target
    ``accelerator``, ``get_device_name``, ``get_device_properties`` and ``get_rng_state`` are asked of the accelerator's
    own module (``torch.get_device_module()``), which is unsafe, since not every accelerator has them. There is no fix
    if the value of another call is used in other ways, since nobody knows what it should be without CUDA. There is also
    none beside a CUDA event, NCCL or a division by the cards. Unsafe beside what else fails without CUDA (see DEV101).
    """

    code = "DEV501"
    name = "cuda-only-call"
    advice = "Call it under `if torch.cuda.is_available():`, and decide what holds without CUDA"
    gains_with_kernels = False
    trigger = Call("torch.cuda", *HARMFUL).where(may_fail)

    def check(self, node: cst.Call) -> None:
        call = self._found(node)
        if call is not None and self._may_fail(call):
            self.report(node, f"`{self.ctx.one_line_of(node.func)}()` fails where there is no CUDA", self._fix(call))

    def _may_fail(self, call: CudaCall) -> bool:
        """Whether a call may be reached where there is no CUDA, and matters."""
        profiles = call.member.name.startswith(_PROFILERS) and is_profiled(self.ctx, call.node)
        if profiles or is_beside_graph(self.ctx, call.node):
            return False
        is_on = call.statement is not None and if_option_is_on(self.ctx, call.statement) is not None
        return is_on or not does_without(self.ctx, call.node) or is_lost_in_try(self.ctx, call.node)

    def _found(self, node: cst.Call) -> CudaCall | None:
        call = cuda_call(self.ctx, node)
        if call is None or call.member.name in STREAM_FUNCTIONS or call.member.name == "device":
            return None
        if call.member.on_cpu is OnCpu.ENTERED and not isinstance(self.ctx.tree.parent(node), cst.WithItem):
            return None
        return call

    def _fix(self, call: CudaCall) -> Fix | None:
        """Put the call, and its neighbours that go under the same test, under it; they share the fix."""
        if call.statement is None:
            return used_value_fix(self.ctx, call)
        if fails_anyway(self.ctx, call.node):
            return None
        joined = joined_test_fix(self.ctx, call)
        if joined is not None:
            return with_card_left(self.ctx, call.node, joined)
        fixes = self.ctx.fact(_fixes)
        if id(call.node) not in fixes:
            found = neighbouring_statements(self.ctx, call.statement, lambda other: self._goes_with(other, call))
            group = [one for one in map(self._in_statement, found) if one is not None]
            fix = guard_fix(self.ctx, group)
            those = group if any(one.node is call.node for one in group) else [call]
            fixes.update({id(one.node): fix for one in those})
        return with_card_left(self.ctx, call.node, fixes[id(call.node)])

    def _goes_with(self, statement: cst.BaseSmallStatement, call: CudaCall) -> bool:
        """Whether a statement is such a call too, and can go under one test with ``call``."""
        other = self._in_statement(statement)
        return other is not None and self._may_fail(other) and share_a_test(self.ctx, call, other)

    def _in_statement(self, statement: cst.BaseSmallStatement) -> CudaCall | None:
        """The call that a statement is there for."""
        if not isinstance(statement, cst.Expr):
            return None
        calls = (self._found(one) for one in self.ctx.tree.below(statement) if isinstance(one, cst.Call))
        return next((call for call in calls if call is not None and call.statement is statement), None)


def _fixes(ctx: FileContext) -> dict[int, Fix | None]:
    """The fixes of calls, by their ids: filled as they are found."""
    return {}
