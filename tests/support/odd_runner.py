"""A runner for tests of processes: what the name of a file says happens to the process that looks at it."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from devlint.engine.report import FileReport
from devlint.engine.runner import Runner
from devlint.sources.discovery import Found

PARENT = "ODD_RUNNER_PARENT"
"""The environment variable with the number of the process to which nothing happens."""


class OddRunner(Runner):
    """FileAnalyzer at files, if it lives."""

    def analyze(self, found: Found, data: object = None) -> FileReport:
        name = os.path.basename(found.path)
        if os.environ[PARENT] != str(os.getpid()):
            if name.startswith("segv"):
                os.kill(os.getpid(), signal.SIGSEGV)
            if name.startswith("exit"):
                os._exit(3)
            if name.startswith("once"):
                mark = Path(found.absolute).with_suffix(".mark")
                if not mark.exists():
                    mark.touch()
                    os._exit(3)
            if name.startswith("hang"):
                sys.stderr.write(f"{os.getpid()}\n")
                sys.stderr.flush()
                while True:
                    signal.pause()
        return super().analyze(found)
