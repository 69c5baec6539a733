"""Prints findings in any of the formats; the module of a format is imported only when it is asked for."""

from __future__ import annotations

from itertools import chain

from devlint.config.option_table import FORMATS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from devlint.cli.output.findings import FileFindings, RenderContext

    Renderer = Callable[[Iterable[FileFindings], RenderContext], Iterator[str]]
    """Takes the files as they come and gives text as soon as it can: a line a finding, or one document at the end."""


def render(name: str, files: Iterator[FileFindings], gives_context: Callable[[], RenderContext]) -> Iterator[str]:
    """The files in a format; one for people says nothing of nothing, so that it is not even loaded for clean files."""
    if FORMATS[name].for_people:
        first = next(files, None)
        if first is None:
            return
        files = chain([first], files)
    yield from renderer(name)(files, gives_context())


def renderer(name: str) -> Renderer:
    """The renderer of a format."""
    import importlib

    stream: Renderer = importlib.import_module(f"devlint.cli.output.{FORMATS[name].module}").stream
    return stream
