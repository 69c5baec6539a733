"""Whether questions that were asked about other files in an earlier run still have the same answers."""

from __future__ import annotations

from devlint.analysis.project.disk import EXISTS, LISTED, READ, SEPARATOR, Disk
from devlint.sources.gitignore import FileFilter


def asked_again(disk: Disk, counted: FileFilter, asked: dict[str, str]) -> dict[str, str] | None:
    """Recorded questions as they would be recorded now; None where the disk answers one of them otherwise.

    ``counted`` are the files of the project now. Below a folder whose files have not changed nothing is searched again.
    """
    now, unchanged = dict(asked), set()
    for question, before in asked.items():
        kind, _, root = question.partition(":")
        if kind == LISTED:
            now[question] = disk.state(root, counted)
            if before and now[question] == before:
                unchanged.add(root)
    for question, before in asked.items():
        kind, _, subject = question.partition(":")
        root, separator, _ = subject.partition(SEPARATOR)
        if kind == LISTED or (separator and root in unchanged):
            continue
        if kind == READ:
            if disk.digest(subject) != before:
                return None
            continue
        disk.asked = {}
        if kind == EXISTS:
            disk.exists(subject)
        else:
            _ask_again(disk, counted, kind, subject)
        if disk.asked.get(question) != before:
            return None
        now.update(disk.asked)
    return now


def _ask_again(disk: Disk, counted: FileFilter, kind: str, subject: str) -> None:
    """Ask where a project begins, or search it."""
    from devlint.analysis.project.project import Index
    from devlint.analysis.project.root import ROOT, project_root
    from devlint.analysis.project.search_kinds import search_of
    from devlint.analysis.project.searches import search_below

    if kind == ROOT:
        project_root(disk, subject, counted)
    elif (what := search_of(kind)) is not None:
        root, _, name = subject.partition(SEPARATOR)
        search_below(Index(disk), counted, root, what, name)
