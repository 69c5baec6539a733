"""What a worker process does: takes files, looks at each, and answers in the same order."""

from __future__ import annotations

import os
import pickle
import time
from typing import BinaryIO, Protocol

from devlint.engine.parallel.messages import TaskReader, framed, packed_report, read_frame
from devlint.engine.report import FileReport
from devlint.sources.discovery import Found

READY = b"ready"
"""The first frame of a worker."""
_DELAY = 0.005
"""Seconds that a report may wait for company: a message for each file would cost the parent a quarter of its time."""
_MOST = 1 << 16
"""Bytes that may wait."""


class Looks(Protocol):
    """Looks at files, and writes none."""

    def look(self, found: Found) -> FileReport:
        """The report on a file; never raises."""
        ...


def serve(runner: Looks, tasks: BinaryIO, answers: BinaryIO) -> None:
    """Answer tasks until there are no more."""
    reader = TaskReader()
    answers.write(framed(READY))
    answers.flush()
    while True:
        task = read_frame(tasks)
        if task is None:
            return
        waiting = bytearray()
        due = time.monotonic() + _DELAY
        for found in reader.files(task):
            waiting += framed(packed_report(runner.look(found)))
            if len(waiting) >= _MOST or time.monotonic() >= due:
                answers.write(waiting)
                answers.flush()
                waiting = bytearray()
                due = time.monotonic() + _DELAY
        answers.write(waiting)
        answers.flush()


def main() -> None:
    """Be a worker of the process that has started this one: tasks come and answers go where it reads and prints."""
    with os.fdopen(os.dup(0), "rb") as tasks, os.fdopen(os.dup(1), "wb") as answers:
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.dup2(2, 1)  # nobody else may print among the answers
        os.close(nothing)
        runner = read_frame(tasks)
        if runner is None:
            return
        try:
            serve(pickle.loads(runner), tasks, answers)
        except BrokenPipeError:  # the parent is gone
            os._exit(1)
