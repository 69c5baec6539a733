"""The main loop of a worker process: it takes files, analyzes each, and answers in the same order."""

from __future__ import annotations

import os
import pickle
import time
from typing import BinaryIO, Protocol

from devlint.engine.parallel.messages import TaskReader, framed, packed_report, read_frame
from devlint.engine.report import FileReport
from devlint.sources.discovery import Found

READY = b"ready"
"""The first frame that a worker sends."""
_DELAY = 0.005
"""Seconds for which reports are collected: with a message for each, the parent would be a quarter slower."""
_MOST = 1 << 16
"""The most bytes that are collected before they are sent."""


class FileAnalyzer(Protocol):
    """Analyzes files without writing any."""

    def analyze(self, found: Found) -> FileReport:
        """The report on a file; never raises."""
        ...


def serve(runner: FileAnalyzer, tasks: BinaryIO, answers: BinaryIO) -> None:
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
            waiting += framed(packed_report(runner.analyze(found)))
            if len(waiting) >= _MOST or time.monotonic() >= due:
                answers.write(waiting)
                answers.flush()
                waiting = bytearray()
                due = time.monotonic() + _DELAY
        answers.write(waiting)
        answers.flush()


def main() -> None:
    """Run a spawned worker, which receives tasks on standard input and answers on standard output."""
    with os.fdopen(os.dup(0), "rb") as tasks, os.fdopen(os.dup(1), "wb") as answers:
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.dup2(2, 1)  # what else prints must not get among the answers
        os.close(nothing)
        runner = read_frame(tasks)
        if runner is None:
            return
        try:
            serve(pickle.loads(runner), tasks, answers)
        except BrokenPipeError:  # the parent is gone
            os._exit(1)
