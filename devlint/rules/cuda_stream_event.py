"""DEV504: CUDA's streams, events and graphs where CUDA may be missing."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.apis.streams import (
    fails_anyway,
    is_beside_graph,
    is_for_kernel,
    ordering_statement,
    ordering_statements,
    unguarded_streams,
)
from devlint.analysis.guards.cuda_only_code import does_without
from devlint.analysis.names.resolution import origin
from devlint.analysis.names.scopes import scopes
from devlint.core.diagnostic import Edit, Fix
from devlint.fixes.apis.failing_cuda_calls import CudaCall, guard_fix
from devlint.fixes.apis.generic_events import generic_events
from devlint.fixes.apis.generic_streams import generic_streams
from devlint.fixes.conditional_device import needs_parentheses
from devlint.fixes.guard_statements import neighbouring_statements, under_guard
from devlint.fixes.torch_import import torch_name
from devlint.rules.base import Rule
from devlint.rules.triggers.guards import may_fail
from devlint.rules.triggers.names import Call
from devlint.syntax import edits
from devlint.torch_api.cuda_functions import CURRENT_STREAMS, STREAM_FUNCTIONS
from devlint.torch_api.cuda_members import CUDA, cuda_member


class CudaStreamEvent(Rule):
    """A CUDA stream, event or graph created where CUDA may be missing.

    What it does
    ------------
    Finds ``torch.cuda.Stream()``, ``torch.cuda.Event()`` (once per function) and CUDA graphs that are created without
    a test for CUDA, and ``torch.cuda.current_stream()`` in files that create none of these, but not what is handed to
    a kernel (``torch.cuda.current_stream().cuda_stream``) or to NCCL (``group.broadcast(x, stream=s)``), nor the stream
    of a function that makes a graph. Entering ``torch.cuda.stream(s)`` is not reported: without
    CUDA, ``s`` can only be None, and then it does nothing.

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
    is put under the test. There is no fix for events and graphs, for streams used together with them, for streams used
    in other ways, and with the target ``accelerator``. With that target, the streams and events of a file become
    ``torch.Stream`` and ``torch.Event``, and ``torch.cuda.current_stream()`` that of the accelerator, which is unsafe;
    not where there are graphs, or what only CUDA's streams have.
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
        if self._is_told(node, member.name) or is_for_kernel(self.ctx, node):
            return
        written = self.ctx.one_line_of(node.func)
        fix = self._without_current(node) if member.name in CURRENT_STREAMS else self._without_stream(node, member.name)
        useful = fix if fix is not None and not fails_anyway(self.ctx, node) else None
        if self.ctx.target.kind == "accelerator":
            useful = (
                (generic_events(self.ctx) if member.name == "Event" else None) or generic_streams(self.ctx) or useful
            )
        self.report(node, f"`{written}()` fails where there is no CUDA", useful)

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

    def _without_current(self, node: cst.Call) -> Fix | None:
        """Put a statement that orders work on streams under a test."""
        statement = ordering_statement(self.ctx, node)
        return (
            guard_fix(self.ctx, [CudaCall(node, CUDA["current_stream"], statement)]) if statement is not None else None
        )

    def _without_stream(self, node: cst.Call, name: str) -> Fix | None:
        """None in the place of the stream, and all that orders work on streams under the test."""
        torch = torch_name(self.ctx, node)
        if name != "Stream" or torch is None or self.ctx.target.kind == "accelerator":
            return None
        statements = ordering_statements(self.ctx, node)
        if statements is None:
            return None
        test = f"{torch[0]}.cuda.is_available()"
        text = f" if {test} else None"
        changes: list[Edit | None] = [edits.insert_after(self.ctx, node, text), *torch[1]]
        if needs_parentheses(self.ctx, node):
            changes[:1] = [
                edits.insert_before(self.ctx, node, "("),
                edits.insert_after(self.ctx, node, f"{text})"),
            ]
        done: set[int] = set()
        all_of_them = {id(one) for one in statements}
        for one in statements:
            if id(one) in done:
                continue
            group = neighbouring_statements(self.ctx, one, lambda other: id(other) in all_of_them)
            done.update(id(each) for each in group)
            changes += under_guard(self.ctx, group[0], test, group[-1]) or [None]
        return edits.as_fix("Do without a stream where there is no CUDA", changes)
