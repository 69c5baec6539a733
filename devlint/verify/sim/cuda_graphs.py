"""CUDA graphs and memory pools: classes that can be named and made; capturing a graph is refused."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch

from devlint.verify.errors import SimulationError
from devlint.verify.sim.patches import Patches

_numbers = itertools.count(1)


def _refuse(*args: Any, **kwargs: Any) -> Any:
    raise SimulationError("CUDA graphs cannot be simulated: nothing is recorded on a device that runs at once")


def _pool_handle() -> tuple[int, int]:
    """``torch.cuda.graph_pool_handle``."""
    return (0, next(_numbers))


class CUDAGraph:
    """``torch.cuda.CUDAGraph``, which refuses to capture, so there is nothing to replay."""

    def __init__(self, keep_graph: bool = False) -> None:
        self._pool = _pool_handle()

    def pool(self) -> tuple[int, int]:
        """The handle of its memory pool."""
        return self._pool

    def reset(self) -> None:
        """Do nothing: no graph was captured."""

    def enable_debug_mode(self) -> None:
        """Do nothing: no graph will be captured."""

    capture_begin = capture_end = instantiate = replay = debug_dump = raw_cuda_graph = raw_cuda_graph_exec = _refuse
    register_generator_state = _refuse


class MemPool:
    """``torch.cuda.MemPool``, of which no memory is taken: the host's allocator has no pools."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.id = _pool_handle()
        self.device = torch.device("cuda", torch.cuda.current_device())
        self.allocator = args[0] if args else kwargs.get("allocator")

    def use_count(self) -> int:
        """Number of users, always one."""
        return 1

    def snapshot(self, include_traces: bool = True) -> list[Any]:
        """Its segments, of which there are none."""
        return []


@contextmanager
def use_mem_pool(pool: Any, device: Any = None) -> Iterator[None]:
    """``torch.cuda.use_mem_pool``."""
    yield


def install_cuda_graphs(patches: Patches) -> None:
    """Replace the classes, and refuse to capture."""
    import torch.cuda.graphs
    import torch.cuda.memory

    graph = type("graph", (torch.cuda.graphs.graph,), {"__enter__": _refuse, "__module__": "torch.cuda.graphs"})
    new: dict[str, Callable[..., Any]] = {
        "CUDAGraph": CUDAGraph,
        "graph": graph,
        "make_graphed_callables": _refuse,
        "graph_pool_handle": _pool_handle,
    }
    CUDAGraph.__module__, MemPool.__module__ = "torch.cuda.graphs", "torch.cuda.memory"
    for module in (torch.cuda, torch.cuda.graphs):
        patches.update(module, new)
    for module in (torch.cuda, torch.cuda.memory):
        patches.update(module, {"MemPool": MemPool, "use_mem_pool": use_mem_pool})
    patches.set(torch._C, "_CUDAGraph", CUDAGraph)
