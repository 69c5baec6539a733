"""Reads a file and notes what the report on it depends on, so that the report can be kept."""

from __future__ import annotations

import os
import time

from devlint.analysis.project import disk
from devlint.core.file_reading import open_regular_file, read_all
from devlint.core.hashing import digest
from devlint.engine.report import FileReport, FileState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Times = tuple[int, int, int]
    """Size, time of the last change and of the last change of anything about a file."""


def report_with_notes(
    path: str, look: Callable[[bytes], FileReport], questions: Callable[[], Iterable[tuple[str, str]]]
) -> FileReport:
    """What ``look`` says of the contents of a file, with what it depends on; ``questions`` are those it asked."""
    with open_regular_file(path) as file:
        times = reliable_times(os.fstat(file.fileno()))
        data = read_all(file)
    report = look(data)
    return report.replace(file_state=FileState(digest(data), *times, tuple(questions())))


def reliable_times(status: os.stat_result) -> Times:
    """What tells that a file, read after this was asked, has not changed since.

    A file that was changed just now may change again without another time; what is given for it tells nothing.
    """
    newest = max(status.st_mtime_ns, status.st_ctime_ns)
    return times_of(status) if time.time_ns() - newest > disk.SETTLED else (-1, 0, 0)


def times_of(status: os.stat_result) -> Times:
    """Size and times."""
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns
