"""The GitHub format: workflow commands, which GitHub Actions shows beside the changed lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from devlint.cli.output.findings import FileFindings, RenderContext
from devlint.cli.output.paths import portable
from devlint.cli.output.style import visible
from devlint.core.diagnostic import Diagnostic


def stream(files: Iterable[FileFindings], context: RenderContext) -> Iterator[str]:
    """A command a finding, and a command a failure."""
    for file in files:
        path = portable(file.path, context.root)
        for failure in file.failures:
            failed = portable(failure.path, context.root)
            yield _command({"title": "devlint", "file": failed}, f"{failed}: {failure.message}")
        for one in file.diagnostics:
            title = f"devlint {one.code} {context.names.get(one.code, '')}".rstrip()
            place = f"{path}:{one.location.row}:{one.location.column}"
            properties = {"title": title, "file": path, **_region(one)}
            yield _command(properties, f"{place}: {one.code} {one.message}")


def _region(one: Diagnostic) -> dict[str, str]:
    """Where it is; GitHub takes columns only where the finding is on one line."""
    first, last = one.location, one.end_location
    if first.row != last.row:
        return {"line": str(first.row), "endLine": str(last.row)}
    return {"line": str(first.row), "col": str(first.column), "endColumn": str(last.column)}


def _command(properties: dict[str, str], message: str) -> str:
    """One workflow command."""
    shown = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return visible(f"::error {shown}::{_data(message)}") + "\n"


def _data(text: str) -> str:
    """A message, escaped as the runner reads it."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """A property, escaped as the runner reads it."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")
