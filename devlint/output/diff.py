"""Unified diffs, as ``patch -p0`` takes them."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.output.style import Style
from devlint.regexes import regex

_LINE = regex(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def render(path: str, before: str, after: str, style: Style) -> str:
    """The difference between two texts of one file; empty where there is none."""
    if before == after:
        return ""
    import difflib

    changes = difflib.unified_diff(_LINE.findall(before), _LINE.findall(after), path, path)
    return "".join(_lines(changes, style))


def _lines(changes: Iterator[str], style: Style) -> Iterator[str]:
    """The lines of a diff in colour, each ended, with git's remark where the file's last line is not."""
    for number, line in enumerate(changes):
        text = line.rstrip("\r\n")
        ending = line[len(text) :]
        yield style(text, *(("bold",) if number < 2 else (_COLOURS[line[0]],) if line[0] in _COLOURS else ()))
        yield ending or "\n\\ No newline at end of file\n"
