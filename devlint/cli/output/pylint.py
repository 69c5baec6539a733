"""The pylint format: lines as ``pylint --output-format=parseable`` writes them, for the many tools that read those."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from devlint.cli.output.findings import FileFindings, RenderContext
from devlint.cli.output.style import visible


def stream(files: Iterable[FileFindings], context: RenderContext) -> Iterator[str]:
    """A line a finding, and a line a failure, which is fatal in pylint's words."""
    for file in files:
        for failure in file.failures:
            yield f"{visible(failure.path)}:1: [F0001(failure), ] {visible(failure.message)}\n"
        for one in file.diagnostics:
            name = context.names.get(one.code, "")
            yield f"{visible(file.path)}:{one.location.row}: [{one.code}({name}), ] {visible(one.message)}\n"
