"""Questions about every file of a project, such as who assigns an attribute: answered once in a run.

The files are read once and looked through as bytes; only those that may matter are parsed. Where a project is too
large to be searched (``disk.MOST_FILES``, ``disk.MOST_BYTES``), the answer is None: nobody knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from devlint.analysis.project.disk import SEPARATOR
from devlint.analysis.project.project import Index, Project
from devlint.core.record import Record
from devlint.sources.gitignore import FileFilter


class Search(Record, eq=False):
    """One kind of question about a name."""

    kind: str
    words: Callable[[str], tuple[bytes, ...]]
    """What a file holds, one of these, where it may matter for a name."""
    find: Callable[[Index, Iterable[str], str], Iterator[Any]]
    """What is found in the files at these paths: records with a ``path``, whose ``repr`` says all."""


def search(project: Project, what: Search, name: str) -> list[Any] | None:
    """What is found in other files of the project; None where nobody knows."""
    root = project.root
    found = [] if root is None else search_below(project.index, project.counted, root, what, name)
    return None if found is None else [one for one in found if one.path != project.path]


def search_below(index: Index, counted: FileFilter, root: str, what: Search, name: str) -> list[Any] | None:
    """What is found in all files below a folder; None where they are too many."""

    def found() -> list[Any] | None:
        paths = index.disk.holding(root, counted, what.words(name))
        return None if paths is None else list(what.find(index, paths, name))

    answer: list[Any] | None = index.disk.answer(f"{what.kind}:{root}{SEPARATOR}{name}", counted, found, root)
    return answer
