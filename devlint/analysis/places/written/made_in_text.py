"""Where a text may make tensors on the CPU, told without a parse; what is moved at once is left out."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from devlint.analysis.places.written.definitions import INITIALIZERS
from devlint.core.lazy_regex import regex
from devlint.torch_api.tensor_places import CPU_CONSTRUCTORS, MAKERS

_LONGEST_CALL = 2_000
_NAMES = "|".join(sorted(MAKERS | CPU_CONSTRUCTORS, key=lambda one: (-len(one), one)))
_OF_TORCH = regex(rf"torch\.(?:{_NAMES})\s*\(")
"""Begins with a literal, which Python finds fast."""
_OF_ANY = regex(rf"\b(?:{_NAMES})\s*\(")
_OTHER_NAMES = regex(rf"import torch as\b|from torch import\b[^\n]*(?:\([^)]*)?\b(?:{_NAMES})\b")
"""Imports under which makers have other names than ``torch.zeros``."""
_KEPT = regex(r"\b(?:Parameter|Buffer)\(\s*$")
_FUNCTION = regex(r"\n([ \t]*)(?:async[ \t]+)?def[ \t]+(\w+)")
"""Begins with a literal; the place is that of the line's end before it."""
_BRACKET = regex(r"[()\[\]{}]")
_NEXT = regex(r"[ \t]*(?:\\?\n\s*)?\.\s*(\w+)\s*\(")
_MOVES = frozenset("cuda item tolist type_as numpy".split())
_TAKES_DEVICE = regex(r"\bdevice\b|\.device\b|\bdevice\s*=")


class MakerRows(NamedTuple):
    """The rows of the calls of a text that may make a tensor on the CPU that is used there."""

    used: list[int]
    early: list[int]
    """Those in ``__init__`` and the like."""


def rows_of_makers(text: str) -> MakerRows:
    """The rows of the calls that may make a tensor on the CPU, told apart by the functions that they stand in."""
    is_renamed = ("import torch as" in text or "from torch import" in text) and _OTHER_NAMES.search(text)
    maker = _OF_ANY if is_renamed else _OF_TORCH
    found = [one.start() for one in maker.finditer(text) if not _is_settled(text, one.start(), one.end())]
    rows = MakerRows([], [])
    if not found:
        return rows
    before = f"\n{text[: found[-1]]}"  # so that places are those of the text
    functions = [(one.start(), len(one[1].expandtabs()), one[2]) for one in _FUNCTION.finditer(before)]
    starts = [start for start, _, _ in functions]
    row, at = 1, 0
    for start in found:
        row += text.count("\n", at, start)
        at = start
        name = _function_at(text, start, functions[: bisect_right(starts, start)])
        if name is not None:
            (rows.early if name in INITIALIZERS else rows.used).append(row)
    return rows


def _is_settled(text: str, start: int, end: int) -> bool:
    """Whether a call, whose arguments begin at ``end``, is given a device, moved at once, or made a parameter."""
    if _KEPT.search(text, max(start - 20, 0), start):
        return True
    close = _closing(text, end)
    if close < 0:
        return False
    if _says_device(text, end, close):
        return True
    while (following := _NEXT.match(text, close + 1)) is not None:
        after = _closing(text, following.end())
        if after < 0:
            return False
        if following[1] in _MOVES or (following[1] == "to" and _TAKES_DEVICE.search(text, following.end(), after)):
            return True
        close = after
    return False


def _closing(text: str, start: int) -> int:
    """Where the bracket is closed that was opened before ``start``; -1 where that is far away."""
    depth = 1
    for one in _BRACKET.finditer(text, start, start + _LONGEST_CALL):
        depth += 1 if one[0] in "([{" else -1
        if not depth:
            return one.start()
    return -1


def _says_device(text: str, start: int, close: int) -> bool:
    """Whether the arguments between two places hold a device, and not only an argument of an argument."""
    said = text.find("device", start, close)
    if said < 0:
        return False
    depth = 0
    for one in _BRACKET.finditer(text, start, said):
        depth += 1 if one[0] in "([{" else -1
    return depth == 0 and text[said - 1] in " \t\n(,"


def _function_at(text: str, start: int, functions: list[tuple[int, int, str]]) -> str | None:
    """The name of the function that a place is in, of those that begin above it."""
    begin = text.rfind("\n", 0, start) + 1
    line = text[begin:start].expandtabs()
    inside = len(line) - len(line.lstrip())
    return next((name for _, indent, name in reversed(functions) if indent < inside), None)
