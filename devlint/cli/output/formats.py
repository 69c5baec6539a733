"""The formats of the command line: one table, and the module of each is imported only when it is asked for."""

from __future__ import annotations

from itertools import chain

from devlint.core.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from devlint.cli.output.findings import FileFindings, RenderContext

    Renderer = Callable[[Iterable[FileFindings], RenderContext], Iterator[str]]
    """Takes the files as they come and gives text as soon as it can: a line a finding, or one document at the end."""


class Format(Record):
    """A module of this package with a function ``stream``, which is a Renderer."""

    module: str
    for_people: bool = False
    """Whether the last lines of a run, and tables of statistics, belong to it."""


FORMATS = {
    "text": Format("text", for_people=True),
    "concise": Format("concise", for_people=True),
    "grouped": Format("grouped", for_people=True),
    "json": Format("json"),
    "json-lines": Format("json_lines"),
    "sarif": Format("sarif"),
    "github": Format("github"),
    "gitlab": Format("gitlab"),
    "azure": Format("azure"),
    "junit": Format("junit"),
    "pylint": Format("pylint"),
}


def render(name: str, files: Iterator[FileFindings], context: RenderContext) -> Iterator[str]:
    """The files in a format; one for people says nothing of nothing, so that it is not even loaded for clean files."""
    if FORMATS[name].for_people:
        first = next(files, None)
        if first is None:
            return
        files = chain([first], files)
    yield from renderer(name)(files, context)


def renderer(name: str) -> Renderer:
    """The renderer of a format."""
    import importlib

    stream: Renderer = importlib.import_module(f"devlint.cli.output.{FORMATS[name].module}").stream
    return stream
