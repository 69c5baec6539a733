"""CUDA graphs, which cannot be simulated: whoever captures one is told so."""

from __future__ import annotations

from typing import Any

from devlint.verify.errors import SimulationError
from devlint.verify.sim.patches import Patches


def install_cuda_graphs(patches: Patches) -> None:
    """Refuse to capture."""
    import torch.cuda.graphs

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise SimulationError("CUDA graphs cannot be simulated: nothing is recorded on a device that runs at once")

    for name in ("CUDAGraph", "graph", "make_graphed_callables", "graph_pool_handle"):
        patches.set(torch.cuda, name, refuse)
        patches.set(torch.cuda.graphs, name, refuse)
