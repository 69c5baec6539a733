"""In the child: counts every operator with the type and the device of what it makes, also what no variable keeps."""

from __future__ import annotations

from collections import Counter
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

_MOVES = frozenset(
    "_to_copy copy_ _copy_from clone detach alias _local_scalar_dense is_pinned _pin_memory record_stream lift_fresh "
    "lift set_ resize_ view _unsafe_view".split()
)
"""What a rewrite may well do more or less often."""
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
"""The beginnings of the names of operators that make tensors from nothing: on a device, or elsewhere and then moved."""


class OperatorCounter(TorchDispatchMode):
    """Counts what computes; tensors may be made and moved in several ways."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: Counter[str] = Counter()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        name = func._schema.name.partition("::")[2]
        if name not in _MOVES and not name.startswith(_MAKERS):
            first = result[0] if isinstance(result, (tuple, list)) and result else result
            if isinstance(first, torch.Tensor):
                self.counts[f"{name} {str(first.dtype).removeprefix('torch.')} {first.device}"] += 1
        return result
