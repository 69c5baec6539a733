"""Notes which watched lines a Python executes; also read by Pythons that have no devlint, so it imports none of it."""

from __future__ import annotations

import atexit
import json
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from types import FrameType
from typing import Any

VARIABLE = "DEVLINT_WATCHED_LINES"
"""Names the file that says which lines to watch, next to which the executed ones are noted."""

Trace = Callable[[FrameType, str, Any], Any]


class LineWatcher:
    """A trace function that writes each watched line to a file when it is executed for the first time."""

    def __init__(self, log: str, watched: Mapping[str, Sequence[int]]) -> None:
        self._log = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._left = {os.path.realpath(file): set(lines) for file, lines in watched.items()}
        self._by_name: dict[str, tuple[str, set[int]]] = {}

    def install(self) -> None:
        """Watch this thread and those that it starts."""
        threading.settrace(self)
        sys.settrace(self)

    def remove(self) -> None:
        """Watch no more; where another trace function has taken this one's place, as coverage does, note that."""
        if sys.gettrace() is self:
            sys.settrace(None)
        elif any(self._left.values()):
            os.write(self._log, b"0 \n")
        threading.settrace(None)

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Trace | None:
        """Trace only the frames of files in which lines are still to be seen."""
        name = frame.f_code.co_filename
        if name not in self._by_name:
            real = os.path.realpath(name)
            self._by_name[name] = real, self._left.get(real, set())
        return self._line if self._by_name[name][1] else None

    def _line(self, frame: FrameType, event: str, argument: Any) -> Trace | None:
        if event == "line":
            name, left = self._by_name[frame.f_code.co_filename]
            if frame.f_lineno in left:
                left.discard(frame.f_lineno)
                os.write(self._log, f"{frame.f_lineno} {name}\n".encode("utf-8", "surrogateescape"))
                if not any(self._left.values()):
                    self.remove()
        return self._line


def watch_lines(folder: str, watched: Mapping[str, Sequence[int]]) -> LineWatcher | None:
    """Watch lines in this process and, through the environment, in the Pythons that it starts."""
    if not watched:
        return None
    os.environ[VARIABLE] = path = os.path.join(folder, "watched")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(watched, file)
    return LineWatcher(os.path.join(folder, "executed"), watched)


def watch_from_environment() -> None:
    """Watch the lines in a Python that a watched one has started."""
    path = os.environ.get(VARIABLE, "")
    if os.path.isfile(path):
        with open(path, encoding="utf-8") as file:
            watched = json.load(file)
        watcher = LineWatcher(os.path.join(os.path.dirname(path), "executed"), watched)
        watcher.install()
        atexit.register(watcher.remove)
