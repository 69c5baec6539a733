"""Files of a project that hold a name, whatever it means there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from devlint.analysis.project.project import Index, Project
from devlint.analysis.project.searches import Search, search
from devlint.core.record import Record


class Holder(Record):
    """A file that holds a name."""

    path: str


def is_unknown_elsewhere(project: Project, name: str) -> bool:
    """Whether no other file of the project has a word ``name``; not where nobody knows."""
    return search(project, MENTIONS, name) == []


def _holders(index: Index, paths: Iterable[str], name: str) -> Iterator[Holder]:
    word = re.compile(rb"\b%s\b" % re.escape(name.encode()))
    yield from (Holder(path) for path in paths if word.search(index.disk.read(path) or b""))


MENTIONS = Search("mentions", lambda name: (name.encode(),), _holders)
