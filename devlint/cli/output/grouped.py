"""The grouped format: findings under the name of their file, places in a column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from devlint.cli.output.concise import star
from devlint.cli.output.findings import FileFindings, RenderContext
from devlint.cli.output.style import visible


def stream(files: Iterable[FileFindings], context: RenderContext) -> Iterator[str]:
    """A group a file; failures have their lines on standard error already."""
    style = context.style
    for file in files:
        if not file.diagnostics:
            continue
        yield style(visible(file.path), "bold") + ":\n"
        places = [str(one.location) for one in file.diagnostics]
        width = max(map(len, places))
        for one, place in zip(file.diagnostics, places):
            linked = style.link(place, file.path, one.location.row) + " " * (width - len(place))
            code = style.link_to_rule(style(one.code, "bold", "red"), one.code)
            yield f"  {linked}  {code}{star(one, style, file.unsafe_fixes)} {visible(one.message)}\n"
        yield "\n"
