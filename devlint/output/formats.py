"""The formats of the command line: one table, and the module of each is imported only when it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from typing import Callable, NamedTuple

from devlint.output.findings import FileFindings, Look

Renderer = Callable[[Iterable[FileFindings], Look], Iterator[str]]
"""Takes the files as they come and gives text as soon as it can: a line a finding, or one document at the end."""


class Format(NamedTuple):
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


def renderer(name: str) -> Renderer:
    """The renderer of a format."""
    stream: Renderer = importlib.import_module(f"devlint.output.{FORMATS[name].module}").stream
    return stream
