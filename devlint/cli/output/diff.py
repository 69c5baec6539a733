"""Unified diffs, as ``patch -p0`` and ``git apply -p0`` take them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from devlint.cli.output.paths import quoted
from devlint.cli.output.style import Style, escaped
from devlint.core.lazy_regex import regex

_LINE = regex(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def render(path: str, before: str, after: str, style: Style, escapes: bool = False) -> str:
    """The difference between two texts of one file; empty where there is none.

    With ``escapes`` control characters are written as Python's escapes, for a terminal; else the patch is exact.
    """
    if before == after:
        return ""
    lines = _unified(quoted(path), _LINE.findall(before), _LINE.findall(after))
    return "".join(_lines(lines, style, escaped if escapes else str))


def _unified(path: str, before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    """What ``difflib.unified_diff`` gives for two texts of one file, in less time where they are long."""
    from devlint.core.line_matches import LineMatcher

    yield f"--- {path}\n"
    yield f"+++ {path}\n"
    for group in LineMatcher(before, after).get_grouped_opcodes():
        (_, start, _, new_start, _), (_, _, end, _, new_end) = group[0], group[-1]
        yield f"@@ -{_rows(start, end)} +{_rows(new_start, new_end)} @@\n"
        for kind, start, end, new_start, new_end in group:
            yield from ((" " if kind == "equal" else "-") + line for line in before[start:end])
            if kind != "equal":
                yield from ("+" + line for line in after[new_start:new_end])


def _rows(start: int, end: int) -> str:
    """Rows of a text as patches have them: the first and how many, or the one before them, if there are none."""
    return f"{start + 1}" if end - start == 1 else f"{start + (end > start)},{end - start}"


def _lines(changes: Iterator[str], style: Style, shown: Callable[[str], str]) -> Iterator[str]:
    """The lines of a diff in colour, each ended, with git's remark where the file's last line is not."""
    for number, line in enumerate(changes):
        text = line.rstrip("\r\n")
        ending = line[len(text) :]
        if shown(ending) == "\\r":
            text, ending = line, "\n"
        yield style(shown(text), *(("bold",) if number < 2 else (_COLOURS[line[0]],) if line[0] in _COLOURS else ()))
        yield ending or "\n\\ No newline at end of file\n"
