"""The full format: place, rule and message, the source with the finding underlined, and the fix."""

from __future__ import annotations

from devlint.cli.output.concise import headline
from devlint.cli.output.findings import FileFindings, RenderContext
from devlint.cli.output.style import Style, visible, width
from devlint.core.diagnostic import Applicability, Diagnostic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from devlint.cli.output.findings import LineLookup

_MOST_ROWS = 5
_MOST_COLUMNS = 140


def stream(files: Iterable[FileFindings], context: RenderContext) -> Iterator[str]:
    """Each finding and an empty line; failures have their lines on standard error already."""
    for file in files:
        for one in file.diagnostics:
            yield render(one, file.line, context.style, file.unsafe_fixes, context.advice.get(one.code, ""))
            yield "".join(f"{line}\n" for line in _changes(one, file, context)) + "\n"


def _changes(diagnostic: Diagnostic, file: FileFindings, context: RenderContext) -> list[str]:
    """The diff of a finding's fix; nothing where it is longer than is to be shown."""
    if diagnostic.fix is None or file.changes is None or not context.longest_diff:
        return []
    from devlint.cli.output.diff import change_lines

    lines = change_lines(file.changes(diagnostic.fix), context.style)
    return lines if len(lines) <= context.longest_diff else []


def render(
    diagnostic: Diagnostic, line: LineLookup | None, style: Style, unsafe_fixes: bool = False, advice: str = ""
) -> str:
    """One finding, ending in a newline; without its source where that is not known.

    Where it has no fix, ``advice`` says what a person would do.
    """
    lines = [headline(diagnostic, style, unsafe_fixes)]
    if line is not None:
        lines += _snippet(diagnostic, line, style)
    help_text = advice
    if diagnostic.fix is not None:
        kind = "safe" if diagnostic.fix.applicability is Applicability.SAFE else "unsafe"
        help_text = f"{diagnostic.fix.message} ({kind} fix)"
    if help_text:
        lines.append(f"{style('help', 'bold', 'cyan')}: {help_text}")
    return "\n".join(lines) + "\n"


def _snippet(diagnostic: Diagnostic, line: LineLookup, style: Style) -> Iterator[str]:
    """The rows of the finding, each underlined; of many only the first and the last ones."""
    first, last = diagnostic.location.row, diagnostic.end_location.row
    if last > first and diagnostic.end_location.column == 1:
        last -= 1
    rows = list(range(first, last + 1))
    margin = len(str(last))
    bar = style("|", "blue")
    yield f"{' ' * margin} {bar}"
    for row in rows:
        if len(rows) > _MOST_ROWS and _MOST_ROWS - 2 <= row - first < len(rows) - 1:
            if row - first == _MOST_ROWS - 2:
                yield style("...", "blue")
            continue
        text = line(row)
        start = diagnostic.location.column - 1 if row == first else len(text) - len(text.lstrip())
        end = diagnostic.end_location.column - 1 if row == diagnostic.end_location.row else len(text.rstrip())
        shown, underline = _underlined(text, start, end)
        yield f"{style(str(row).rjust(margin), 'blue')} {bar} {shown}".rstrip()
        yield f"{' ' * margin} {bar} {style(underline, 'bold', 'red')}".rstrip()


def _underlined(text: str, start: int, end: int) -> tuple[str, str]:
    """A row as it is shown, cut around the finding where it is very long, and the carets below it."""
    cut_before, cut_after = start > _MOST_COLUMNS, len(text) - start > 2 * _MOST_COLUMNS
    if cut_after:
        text, end = text[: start + 2 * _MOST_COLUMNS], min(end, start + 2 * _MOST_COLUMNS)
    if cut_before:
        dropped = start - _MOST_COLUMNS // 2
        text, start, end = text[dropped:], start - dropped, end - dropped
    before = ("…" if cut_before else "") + visible(text[:start])
    shown = ("…" if cut_before else "") + visible(text) + ("…" if cut_after else "")
    marked = visible(text[:end])[len(visible(text[:start])) :]
    return shown, " " * width(before) + "^" * max(width(marked), 1)
