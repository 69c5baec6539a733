"""What counters of memory say in programs that are compared, and lines of output without it."""

from __future__ import annotations

import re

ALWAYS_COUNTED = 64 << 20
"""What every counter of memory says on a simulated GPU whose programs are compared."""
_COUNTED = tuple(ALWAYS_COUNTED / unit**power for unit in (1000, 1024) for power in range(4))
_AMOUNT = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?=(?:[kKMGT]i?)?B?(?!\w))")


def without_counters(line: str, other: str) -> tuple[str, str]:
    """Two lines with 0 for what counters say, as without CUDA; the first without what it alone says of memory."""
    zeros, others = (_AMOUNT.sub(lambda found: _without_counter(found[0]), one) for one in (line, other))
    if zeros != others and _says_less(line, other):
        return other, other
    return zeros, others


def _without_counter(number: str) -> str:
    """0 in place of what every counter says, in bytes or a larger unit, as far as it is printed."""
    digits = len(number.partition(".")[2])
    counted = any(float(number) == round(amount, digits) for amount in _COUNTED)
    return f"{0:.{digits}f}" if counted else number


def _says_less(line: str, other: str) -> bool:
    """Whether the other line is the first one without some words, of which one is what a counter says."""
    words, fewer = line.split(), other.split()
    start = 0
    while start < min(len(words), len(fewer)) and words[start] == fewer[start]:
        start += 1
    rest = len(fewer) - start
    if len(fewer) >= len(words) or (rest and words[-rest:] != fewer[start:]):
        return False
    gone = " ".join(words[start : len(words) - rest])
    return any(_without_counter(found[0]) != found[0] for found in _AMOUNT.finditer(gone))
