"""DEV504: CUDA's streams, events and graphs where CUDA may be missing."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.apis.streams import (
    fails_anyway,
    is_beside_graph,
    is_for_kernel,
    unguarded_streams,
    waits_for_tested,
)
from devlint.analysis.guards.cuda_only_code import does_without
from devlint.analysis.names.resolution import origin
from devlint.analysis.names.scopes import scopes
from devlint.core.diagnostic import Fix
from devlint.fixes.apis.generic_events import generic_events
from devlint.fixes.apis.generic_streams import generic_streams
from devlint.fixes.apis.without_events import without_events
from devlint.fixes.apis.without_streams import without_current_stream, without_stream
from devlint.rules.base import Rule
from devlint.rules.triggers.guards import may_fail
from devlint.rules.triggers.names import Call
from devlint.torch_api.cuda_functions import CURRENT_STREAMS, STREAM_FUNCTIONS
from devlint.torch_api.cuda_members import cuda_member


class CudaStreamEvent(Rule):
    """A CUDA stream, event or graph created where CUDA may be missing.

    What it does
    ------------
    Finds ``torch.cuda.Stream()``, ``torch.cuda.Event()`` (once per function) and CUDA graphs that are created without
    a test for CUDA, and ``torch.cuda.current_stream()`` in files that create none of these, but not what is handed to
    a kernel (``torch.cuda.current_stream().cuda_stream``) or to NCCL (``group.broadcast(x, stream=s)``), nor the stream
    of a function that makes a graph, nor what waits for an event that a test says is there. Entering
    ``torch.cuda.stream(s)`` is not reported: without CUDA, ``s`` can only be None, and then it does nothing.

    Why is this bad?
    ----------------
    None of them can be created without CUDA, and the program does not need them there: on the CPU, operations run in
    order.

    Example
    -------
    ```python
    import torch

    side = torch.cuda.Stream()
    x = torch.ones(2)
    with torch.cuda.stream(side):
        y = x + 1
    torch.cuda.current_stream().wait_stream(side)
    ```

    Use instead:
    ```python
    import torch

    side = torch.cuda.Stream() if torch.cuda.is_available() else None
    x = torch.ones(2)
    with torch.cuda.stream(side):
        y = x + 1
    if torch.cuda.is_available():
        torch.cuda.current_stream().wait_stream(side)
    ```

    Fix safety
    ----------
    Safe: without CUDA a stream becomes None, if the program only enters it and lets streams wait for each other, which
    is put under the test. So is what events do, and the time between two is then ``torch.nan``, since nothing was
    measured; an event that only its own block uses is made under the test as well, with what stands beside it there.
    There is no fix for graphs, for streams and events used together with them, for those that are handed on
    or used in other ways, where the function makes a whole number of the time, and with the target ``accelerator``.
    With that target, the streams and events of a file become ``torch.Stream`` and ``torch.Event``, and
    ``torch.cuda.current_stream()`` that of the accelerator, which is unsafe; not where there are graphs, or what only
    CUDA's streams have.
    """

    code = "DEV504"
    name = "cuda-stream-event"
    advice = "Create it under `if torch.cuda.is_available():`, and decide what is done without CUDA"
    gains_with_kernels = False
    trigger = Call("torch.cuda", *STREAM_FUNCTIONS).where(may_fail)

    def check(self, node: cst.Call) -> None:
        member = cuda_member(origin(self.ctx, node.func))
        if member is None or member.name not in STREAM_FUNCTIONS or does_without(self.ctx, node):
            return
        if self._is_told(node, member.name) or is_for_kernel(self.ctx, node) or waits_for_tested(self.ctx, node):
            return
        written = self.ctx.one_line_of(node.func)
        useful = self._without(node, member.name)
        if self.ctx.target.kind == "accelerator":
            useful = (
                (generic_events(self.ctx) if member.name == "Event" else None) or generic_streams(self.ctx) or useful
            )
        self.report(node, f"`{written}()` fails where there is no CUDA", useful)

    def _without(self, node: cst.Call, name: str) -> Fix | None:
        """The fix that lets the program do without ``node``, unless it fails for another reason there."""
        if name == "Event":
            return without_events(self.ctx, node)
        if fails_anyway(self.ctx, node):
            return None
        if name in CURRENT_STREAMS:
            return without_current_stream(self.ctx, node)
        return without_stream(self.ctx, node) if name == "Stream" else None

    def _is_told(self, node: cst.Call, name: str) -> bool:
        """Whether an earlier finding says the same: of a stream, of the graph, of the other event of a function."""
        made = self.ctx.fact(unguarded_streams)
        if name == "Stream" and is_beside_graph(self.ctx, node):
            return True
        if name in CURRENT_STREAMS:
            return bool(made)
        if name == "graph":
            return any(origin(self.ctx, one.func) == "torch.cuda.CUDAGraph" for one in made)
        if name != "Event":
            return False
        where = scopes(self.ctx).function_of
        events = (one for one in made if origin(self.ctx, one.func) == origin(self.ctx, node.func))
        return next((one for one in events if where(one) is where(node)), node) is not node
