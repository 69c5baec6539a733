"""Whether questions that were asked about other files in an earlier run still have the same answers."""

from __future__ import annotations

from devlint.analysis.project.disk import EXISTS, READ, Disk
from devlint.sources.gitignore import FileFilter


def still_true(disk: Disk, counted: FileFilter, question: str, answer: str) -> bool:
    """Whether the disk answers a recorded question as it did; ``counted`` are the files of the project now."""
    kind, _, subject = question.partition(":")
    if kind == READ:
        return disk.digest(subject) == answer
    disk.asked = {}
    if kind == EXISTS:
        disk.exists(subject)
    else:
        _ask_again(disk, counted, kind, subject)
    return disk.asked.get(question) == answer


def _ask_again(disk: Disk, counted: FileFilter, kind: str, subject: str) -> None:
    """Ask where a project begins, or search it."""
    from devlint.analysis.project.project import Index
    from devlint.analysis.project.root import ROOT, project_root
    from devlint.analysis.project.search_kinds import search_of
    from devlint.analysis.project.searches import SEPARATOR, search_below

    if kind == ROOT:
        project_root(disk, subject, counted)
    elif (what := search_of(kind)) is not None:
        root, _, name = subject.partition(SEPARATOR)
        search_below(Index(disk), counted, root, what, name)
