"""The Azure format: logging commands, which Azure Pipelines shows as issues of the build."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from devlint.cli.output.findings import FileFindings, RenderContext
from devlint.cli.output.paths import portable
from devlint.cli.output.style import visible


def stream(files: Iterable[FileFindings], context: RenderContext) -> Iterator[str]:
    """A command a finding, and a command a failure."""
    for file in files:
        path = portable(file.path, context.root)
        for failure in file.failures:
            yield _command({"sourcepath": portable(failure.path, context.root)}, failure.message)
        for one in file.diagnostics:
            place = {"linenumber": str(one.location.row), "columnnumber": str(one.location.column)}
            yield _command({"sourcepath": path, **place, "code": one.code}, one.message)


def _command(properties: dict[str, str], message: str) -> str:
    """One logging command."""
    shown = "".join(f"{key}={_property(value)};" for key, value in properties.items())
    return visible(f"##vso[task.logissue type=error;{shown}]{_data(message)}") + "\n"


def _data(text: str) -> str:
    """A message, escaped as the agent reads it."""
    return text.replace("%", "%AZP25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """A property, escaped as the agent reads it."""
    return _data(text).replace("]", "%5D").replace(";", "%3B")
