"""A bar on standard error while a long run goes on: only on a terminal, and gone when the run ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TextIO

from devlint.cli.output.style import visible, width
from devlint.cli.terminal import columns
from devlint.engine.report import FileReport

DELAY = 1.0
"""Seconds before the bar is first drawn."""
INTERVAL = 0.1
"""Seconds between two drawings."""
_CELLS = 30


class Progress:
    """Draws how many of all files are done; what else is written to the terminal asks for ``clear`` first."""

    def __init__(self, stream: TextIO, total: Callable[[], int]) -> None:
        """``total`` counts the files, and is called only when a run turns out to be long."""
        self._stream = stream
        self._count = total
        self._total: int | None = None
        self._done = 0
        self._next = time.monotonic() + DELAY
        self._shown = 0
        """The width of what stands there now."""

    def watch(self, reports: Iterable[FileReport]) -> Iterator[FileReport]:
        """The reports as they come, with the bar drawn in between."""
        try:
            for report in reports:
                yield report
                self._done += 1
                if time.monotonic() >= self._next:
                    self._draw(report.path)
                    self._next = time.monotonic() + INTERVAL
        finally:
            self.clear()

    def clear(self) -> None:
        """Take the bar away; it comes back with the next file."""
        if self._shown:
            self._stream.write("\r" + " " * self._shown + "\r")
            self._stream.flush()
            self._shown = 0

    def _draw(self, path: str) -> None:
        if self._total is None:
            self._total = self._count()
        self.clear()
        line = _line(self._done, max(self._total, self._done), visible(path), columns(self._stream))
        self._stream.write(line)
        self._stream.flush()
        self._shown = width(line)


def _line(done: int, total: int, path: str, wide: int) -> str:
    """The bar, the numbers and, where it fits, the file that was done last."""
    filled = _CELLS * done // max(total, 1)
    line = f"[{'#' * filled}{'-' * (_CELLS - filled)}] {done}/{total} files"
    if width(line) + width(path) + 1 < wide:
        return f"{line} {path}"
    return line if width(line) < wide else f"{done}/{total}"
