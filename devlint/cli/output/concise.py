"""The concise format: one line a finding, as editors and ``grep`` understand it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from devlint.cli.output.findings import FileFindings, RenderContext
from devlint.cli.output.style import Style, visible
from devlint.core.diagnostic import Diagnostic


def stream(files: Iterable[FileFindings], context: RenderContext) -> Iterator[str]:
    """A line a finding; failures have their lines on standard error already."""
    for file in files:
        for one in file.diagnostics:
            yield render(one, context.style, file.unsafe_fixes)


def render(diagnostic: Diagnostic, style: Style, unsafe_fixes: bool = False) -> str:
    """One finding, ending in a newline."""
    return headline(diagnostic, style, unsafe_fixes) + "\n"


def headline(diagnostic: Diagnostic, style: Style, unsafe_fixes: bool) -> str:
    """``path:line:column: CODE [*] message``, with the star where ``devlint fix`` would fix it."""
    place = f"{style(visible(diagnostic.path), 'bold')}:{diagnostic.location}"
    linked = style.link(place, diagnostic.path, diagnostic.location.row)
    code = style.link_to_rule(style(diagnostic.code, "bold", "red"), diagnostic.code)
    return f"{linked}: {code}{star(diagnostic, style, unsafe_fixes)} {visible(diagnostic.message)}"


def star(diagnostic: Diagnostic, style: Style, unsafe_fixes: bool) -> str:
    """The mark of what ``devlint fix`` would fix, or nothing."""
    return f" [{style('*', 'cyan')}]" if diagnostic.will_be_fixed(unsafe_fixes) else ""
