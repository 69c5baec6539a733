"""Compares what programs print: words as words, numbers as numbers, ignoring the names of devices."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from devlint.verify.comparing.memory_amounts import without_counters

NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w])|(?<!\w)[-+]?(?:nan|inf)(?!\w)")
_DEVICE_OF_TENSOR = re.compile(r",\s*device='\w+(?::\d+)?'")
_DEVICE = re.compile(r"\b(?:cuda|xpu|mps|cpu)(?::\d+)?\b")
_FIRST_GPU = re.compile(r"\b(cuda|xpu|mps):0\b")
_TYPE = re.compile(r"\btorch\.(?:cuda|xpu|mps)\.(?=\w+Tensor\b)")

_AMOUNT = r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
_CLOCK = re.compile(
    rf"\b(?:time|elapsed|took|duration|eta|speed|throughput|fps)\W{{0,3}}{_AMOUNT}"
    rf"|(?<![\w.]){_AMOUNT}\s?(?:s|ms|us|secs?|seconds?|minutes?|fps|samples/s|it/s|s/it)\b",
    re.IGNORECASE,
)
"""Numbers of a clock, which may agree in two runs and not in a third."""


def neutral(text: str, across: bool) -> str:
    """The text without ``:0`` after a device; ``across`` devices with one name for all of them."""
    if not across:
        return _FIRST_GPU.sub(r"\1", text)
    return _DEVICE.sub("<device>", _TYPE.sub("torch.", _DEVICE_OF_TENSOR.sub("", text)))


@dataclass(frozen=True)
class Leniency:
    """What two outputs may differ in."""

    across: bool = False
    """Whether devices have one name for all of them."""
    tolerance: float = 0.0
    """How much numbers may differ, as a part of their size."""
    counted: bool = False
    """Whether counters of memory were read on a simulated GPU: then what they say is not compared."""
    left_out: tuple[Sequence[str], Sequence[str]] = ((), ())
    """The lines of the one and the other that are not compared, in the order in which they were printed."""


def _numbered(text: str, across: bool, left_out: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The lines that are compared, with their numbers."""
    waiting = Counter(neutral(line, across) for line in left_out)
    for number, line in enumerate(neutral(text, across).splitlines(), 1):
        if waiting[line]:
            waiting[line] -= 1
        else:
            yield number, line


def differing_lines(before: str, after: str, allowed: Leniency) -> Iterator[tuple[int, str]]:
    """The line numbers that differ, with a description."""
    across = allowed.across
    old, new = (list(_numbered(text, across, some)) for text, some in zip((before, after), allowed.left_out))
    if across and len(old) != len(new):  # a tensor is printed over more lines where it says its device
        old, new = _unwrapped(old), _unwrapped(new)
    for (number, line), (other_number, other) in zip_longest(old, new, fillvalue=(0, None)):
        if line is None:
            yield other_number, f"{_cut(other)} is printed besides"
        elif other is None:
            yield number, f"{_cut(line)} is printed no more"
        else:
            told = _difference(line, other, allowed)
            if told is not None:
                yield number, told


def _unwrapped(lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """The lines, with continuations inside brackets joined."""
    joined: list[tuple[int, str]] = []
    depth = 0
    for number, line in lines:
        if depth > 0 and joined:
            joined[-1] = joined[-1][0], f"{joined[-1][1]} {line.strip()}"
        else:
            joined.append((number, line))
        depth = max(0, depth + line.count("(") + line.count("[") - line.count(")") - line.count("]"))
    return joined


def _difference(line: str, other: str, allowed: Leniency) -> str | None:
    if allowed.counted:
        line, other = without_counters(line, other)
    if line == other or line.split() == other.split():
        return None
    line, other = (_CLOCK.sub("<clock>", one) for one in (line, other))
    if line == other:
        return None
    if NUMBER.sub("#", line).split() != NUMBER.sub("#", other).split():
        return f"{_cut(line)} became {_cut(other)}"
    for number, changed in zip(NUMBER.findall(line), NUMBER.findall(other)):
        if number != changed and not _close(number, changed, allowed.tolerance):
            return f"{number} became {changed} in {_cut(line)}"
    return None


def _close(number: str, other: str, tolerance: float) -> bool:
    """Whether two printed numbers agree within the tolerance and the printed digits."""
    if not tolerance:
        return False
    first, second = float(number), float(other)
    if first != first or second != second:
        return first != first and second != second
    digits = 10.0 ** -len(number.partition("e")[0].partition(".")[2])
    return abs(first - second) <= tolerance * max(abs(first), abs(second), 1e-3) + digits * 1.01


def _cut(line: str | None) -> str:
    text = repr((line or "").strip())
    return text if len(text) <= 80 else text[:77] + "…'"
