"""In the child: counts operators by the dtype and device of their results, temporaries included."""

from __future__ import annotations

from collections import Counter
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from devlint.verify.sim.program_frames import program_place

_MOVES = frozenset(
    "_to_copy copy_ _copy_from clone detach alias _local_scalar_dense is_pinned _pin_memory record_stream lift_fresh "
    "lift set_ resize_ view _unsafe_view".split()
)
"""Operators that a rewrite may add or remove."""
_MAKERS = (
    "empty",
    "new_",
    "zeros",
    "ones",
    "full",
    "rand",
    "arange",
    "eye",
    "linspace",
    "scalar_tensor",
    "fill",
    "zero",
    "normal",
    "uniform",
    "_sparse",
    "sparse",
)
"""Prefixes of the names of operators that create tensors: a rewrite may create on the device what was moved before."""


class OperatorCounter(TorchDispatchMode):
    """Counts operators that compute; those that create or move tensors are left out."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: Counter[str] = Counter()
        self.lines: dict[str, str] = {}
        """Where the program first called each."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        name = func._schema.name.partition("::")[2]
        if name not in _MOVES and not name.startswith(_MAKERS):
            first = result[0] if isinstance(result, (tuple, list)) and result else result
            if isinstance(first, torch.Tensor):
                key = f"{name} {str(first.dtype).removeprefix('torch.')} {first.device}"
                if key not in self.counts:
                    self.lines[key] = program_place()
                self.counts[key] += 1
        return result
