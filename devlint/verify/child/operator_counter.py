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
        self._counts: Counter[tuple[str, Any, Any]] = Counter()
        self._lines: dict[tuple[str, Any, Any], str] = {}
        self._names: dict[Any, str] = {}
        """What each operator is counted as; empty for those that are left out."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Not wrapped for the sake of Dynamo, which the harness has told to run everything eagerly."""
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **kwargs) if kwargs else func(*args)
        name = self._names.get(func)
        if name is None:
            self._names[func] = name = _counted_as(func)
        if name:
            first = result[0] if isinstance(result, (tuple, list)) and result else result
            if isinstance(first, torch.Tensor):
                key = name, first.dtype, first.device
                if key not in self._counts:
                    self._lines[key] = program_place()
                self._counts[key] += 1
        return result

    @property
    def counts(self) -> dict[str, int]:
        """Number of calls of each operator, by dtype and device of its result."""
        return {_told(key): count for key, count in self._counts.items()}

    @property
    def lines(self) -> dict[str, str]:
        """Where the program first called each."""
        return {_told(key): line for key, line in self._lines.items()}


def _counted_as(func: Any) -> str:
    name: str = func._schema.name.partition("::")[2]
    return "" if name in _MOVES or name.startswith(_MAKERS) else name


def _told(key: tuple[str, Any, Any]) -> str:
    name, dtype, device = key
    return f"{name} {str(dtype).removeprefix('torch.')} {device}"
