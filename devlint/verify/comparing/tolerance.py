"""Compares numbers within the tolerance of their type."""

from __future__ import annotations

import array
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_RELATIVE_AND_ABSOLUTE = {
    "float64": (1e-7, 1e-7),
    "float32": (1.3e-6, 1e-5),
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "complex128": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5),
    "complex32": (1e-3, 1e-5),
}
"""Those of ``torch.testing.assert_close``."""


@dataclass(frozen=True)
class Tolerance:
    """The allowed difference of two numbers: ``absolute + relative * |number|``."""

    relative: float = 0.0
    absolute: float = 0.0

    @classmethod
    def of(cls, dtype: str, factor: float) -> Tolerance:
        """The tolerance of a dtype times ``factor``; 0 for a factor of 0 and for integers."""
        if not factor or dtype.startswith(("int", "uint", "bool")):
            return cls()
        relative, absolute = _RELATIVE_AND_ABSOLUTE.get(dtype, (1.6e-2, 1e-5))
        return cls(relative * factor, absolute * factor)

    def allows(self, number: float, other: float) -> bool:
        """Whether the two count as the same."""
        if number == other:
            return True
        if math.isnan(number) or math.isnan(other):
            return math.isnan(number) and math.isnan(other)
        return abs(number - other) <= self.absolute + self.relative * abs(number)

    def __str__(self) -> str:
        """The tolerance as it is shown."""
        if not self.relative and not self.absolute:
            return "none allowed"
        return f"allowed: {self.absolute:.2g} + {self.relative:.2g} × the value"


def first_difference(
    old: array.array[Any], new: array.array[Any], shape: Sequence[int], allowed: Tolerance
) -> str | None:
    """Where two arrays first differ by more than is allowed, and by how much."""
    if old == new:
        return None
    for index, (number, other) in enumerate(zip(old, new)):
        if not allowed.allows(number, other):
            bad = sum(1 for pair in zip(old, new) if not allowed.allows(*pair))
            place = f" at {list(_place(index, shape))}" if len(shape) else ""
            count = f", one of {bad} of {len(old)}" if bad > 1 else ""
            return f"{number:.6g} became {other:.6g}{place}, by {abs(number - other):.2g} ({allowed}){count}"
    return None


def _place(index: int, shape: Sequence[int]) -> Sequence[int]:
    """The indices of an element, from its position in the flat tensor."""
    place: list[int] = []
    for size in reversed(shape):
        index, last = divmod(index, max(size, 1))
        place.insert(0, last)
    return place
