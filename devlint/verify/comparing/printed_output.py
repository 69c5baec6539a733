"""Compares what programs print: words as words, numbers as numbers, ignoring the names of devices."""

from __future__ import annotations

import re
from collections.abc import Iterator

NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w])|(?<!\w)[-+]?(?:nan|inf)(?!\w)")
_DEVICE_OF_TENSOR = re.compile(r",\s*device='\w+(?::\d+)?'")
_DEVICE = re.compile(r"\b(?:cuda|xpu|mps|cpu)(?::\d+)?\b")
_FIRST_GPU = re.compile(r"\b(cuda|xpu|mps):0\b")
_TYPE = re.compile(r"\btorch\.(?:cuda|xpu|mps)\.(?=\w+Tensor\b)")

ALWAYS_COUNTED = 64 << 20
"""What every counter of memory says on a simulated GPU whose programs are compared."""
_COUNTED = tuple(ALWAYS_COUNTED / unit**power for unit in (1000, 1024) for power in range(4))
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


def without_counters(text: str) -> str:
    """The text with 0, which counters of memory say where there is no CUDA, for what they say on a simulated GPU."""
    return NUMBER.sub(lambda found: _without_counter(found[0]), text)


def _without_counter(number: str) -> str:
    """0 in place of what every counter says, in bytes or a larger unit, as far as it is printed."""
    digits = len(number.partition(".")[2])
    counted = any(float(number) == round(amount, digits) for amount in _COUNTED)
    return f"{0:.{digits}f}" if counted else number


def differing_lines(before: str, after: str, across: bool, tolerance: float) -> Iterator[tuple[int, str]]:
    """The line numbers that differ, with a description."""
    old, new = neutral(before, across).splitlines(), neutral(after, across).splitlines()
    if across and len(old) != len(new):  # a tensor is printed over more lines where it says its device
        old, new = _unwrapped(old), _unwrapped(new)
    for number in range(max(len(old), len(new))):
        line, other = (lines[number] if number < len(lines) else None for lines in (old, new))
        if line is None:
            yield number + 1, f"{_cut(other)} is printed besides"
        elif other is None:
            yield number + 1, f"{_cut(line)} is printed no more"
        else:
            told = _difference(line, other, tolerance)
            if told is not None:
                yield number + 1, told


def _unwrapped(lines: list[str]) -> list[str]:
    """The lines, with continuations inside brackets joined."""
    joined: list[str] = []
    depth = 0
    for line in lines:
        if depth > 0 and joined:
            joined[-1] += " " + line.strip()
        else:
            joined.append(line)
        depth = max(0, depth + line.count("(") + line.count("[") - line.count(")") - line.count("]"))
    return joined


def _difference(line: str, other: str, tolerance: float) -> str | None:
    if line == other or line.split() == other.split():
        return None
    line, other = (_CLOCK.sub("<clock>", one) for one in (line, other))
    if line == other:
        return None
    if NUMBER.sub("#", line).split() != NUMBER.sub("#", other).split():
        return f"{_cut(line)} became {_cut(other)}"
    for number, changed in zip(NUMBER.findall(line), NUMBER.findall(other)):
        if number != changed and not _close(number, changed, tolerance):
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
