"""Unified diffs, as ``patch -p0`` and ``git apply -p0`` take them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from devlint.cli.output.paths import quoted
from devlint.cli.output.style import Style, escaped, visible
from devlint.core.lazy_regex import regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from devlint.cli.output.findings import Change

_LINE = regex(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
AROUND = 1
"""Rows before and after those that a single fix changes."""
_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def render(path: str, before: str, after: str, style: Style, escapes: bool = False) -> str:
    """The difference between two texts of one file; empty where there is none.

    With ``escapes`` control characters are written as Python's escapes, for a terminal; else the patch is exact.
    """
    if before == after:
        return ""
    lines = _unified(quoted(path), _LINE.findall(before), _LINE.findall(after))
    return "".join(_lines(lines, style, escaped if escapes else str))


def change_lines(changes: Iterable[Change], style: Style) -> list[str]:
    """The lines of a diff of pieces of a file, as a terminal can show them; cells of a notebook have their names."""
    lines = []
    for change in changes:
        lines += [style(visible(change.part), "bold")] if change.part else []
        before, after = _LINE.findall(change.before), _LINE.findall(change.after)
        for line in _hunks(before, after, AROUND, change.row, change.new_row):
            text = line.rstrip("\r\n")
            lines.append(style(visible(text), *((_COLOURS[text[:1]],) if text[:1] in _COLOURS else ())))
    return lines


def _unified(path: str, before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    """What ``difflib.unified_diff`` gives for two texts of one file, in less time where they are long."""
    yield f"--- {path}\n"
    yield f"+++ {path}\n"
    yield from _hunks(before, after)


def _hunks(
    before: Sequence[str], after: Sequence[str], around: int = 3, row: int = 1, new_row: int = 1
) -> Iterator[str]:
    """The changed lines of two texts that begin at these rows, with those around them."""
    from devlint.core.line_matches import LineMatcher

    for group in LineMatcher(before, after).get_grouped_opcodes(around):
        (_, start, _, new_start, _), (_, _, end, _, new_end) = group[0], group[-1]
        rows = _rows(start, end, row), _rows(new_start, new_end, new_row)
        yield f"@@ -{rows[0]} +{rows[1]} @@\n"
        for kind, start, end, new_start, new_end in group:
            yield from ((" " if kind == "equal" else "-") + line for line in before[start:end])
            if kind != "equal":
                yield from ("+" + line for line in after[new_start:new_end])


def _rows(start: int, end: int, row: int) -> str:
    """Rows of a text as patches have them: the first and how many, or the one before them, if there are none."""
    first = start + row
    return f"{first}" if end - start == 1 else f"{first - (end == start)},{end - start}"


def _lines(changes: Iterator[str], style: Style, shown: Callable[[str], str]) -> Iterator[str]:
    """The lines of a diff in colour, each ended, with git's remark where the file's last line is not."""
    for number, line in enumerate(changes):
        text = line.rstrip("\r\n")
        ending = line[len(text) :]
        if shown(ending) == "\\r":
            text, ending = line, "\n"
        yield style(shown(text), *(("bold",) if number < 2 else (_COLOURS[line[0]],) if line[0] in _COLOURS else ()))
        yield ending or "\n\\ No newline at end of file\n"
