"""Notes which watched lines and parts a Python executes; read by Pythons without devlint, so it imports none of it."""

from __future__ import annotations

import atexit
import json
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from types import CodeType, FrameType
from typing import Any

VARIABLE = "DEVLINT_WATCHED_LINES"
"""Names the file that says which lines to watch, next to which the executed ones are noted."""
FAILURES = "failures"
"""The file next to it in which a Python that a watched one has started notes of what error it has died."""

Trace = Callable[[FrameType, str, Any], Any]
Spot = int | tuple[int, int, int, int]
"""A line; or a part of a program, by the lines and columns of its beginning and end, as Python counts them."""


def spot_from(text: str) -> Spot:
    """The spot that was noted as ``12`` or ``12,4,12,20``."""
    row, *rest = map(int, text.split(","))
    return row if not rest else (row, rest[0], rest[1], rest[2])


class LineWatcher:
    """A trace function that writes each watched spot to a file when it is executed for the first time."""

    def __init__(self, log: str, watched: Mapping[str, Sequence[Any]]) -> None:
        self._log = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._left: dict[str, set[Spot]] = {
            os.path.realpath(file): {spot if isinstance(spot, int) else tuple(spot) for spot in spots}
            for file, spots in watched.items()
        }
        self._by_name: dict[str, tuple[str, set[Spot]]] = {}
        self._instructions: dict[CodeType, dict[int, Spot]] = {}

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
        if not self._by_name[name][1]:
            return None
        if self._instructions_of(frame.f_code):
            frame.f_trace_opcodes = True
        return self._line

    def _instructions_of(self, code: CodeType) -> dict[int, Spot]:
        """The instructions of the parts that are watched, by their offsets."""
        found = self._instructions.get(code)
        if found is None:
            parts = [spot for spot in self._by_name[code.co_filename][1] if isinstance(spot, tuple)]
            found = self._instructions[code] = {}
            for offset, start, end in instructions(code) if parts else ():
                found.update((offset, part) for part in parts if part[:2] <= start and end <= part[2:])
        return found

    def _line(self, frame: FrameType, event: str, argument: Any) -> Trace | None:
        if event == "line":
            self._ran(frame, frame.f_lineno)
        elif event == "opcode":
            spot = self._instructions[frame.f_code].get(frame.f_lasti)
            if spot is not None:
                self._ran(frame, spot)
        return self._line

    def _ran(self, frame: FrameType, spot: Spot) -> None:
        name, left = self._by_name[frame.f_code.co_filename]
        if spot not in left:
            return
        left.discard(spot)
        noted = str(spot) if isinstance(spot, int) else ",".join(map(str, spot))
        os.write(self._log, f"{noted} {name}\n".encode("utf-8", "surrogateescape"))
        if not left.intersection(self._instructions[frame.f_code].values()):
            frame.f_trace_opcodes = False
        if not any(self._left.values()):
            self.remove()


def instructions(code: CodeType) -> Iterator[tuple[int, tuple[int, int], tuple[int, int]]]:
    """The instructions of a code object with their offsets, and the rows and columns of their beginnings and ends.

    Before Python 3.11, which keeps no columns, those that begin a line, as if they were all of it.
    """
    if not hasattr(code, "co_positions"):
        yield from ((offset, (line, 0), (line, 0)) for offset, _, line in code.co_lines() if line)
        return
    for number, (row, end_row, column, end_column) in enumerate(code.co_positions()):
        if row is not None and end_row is not None and column is not None and end_column is not None:
            yield 2 * number, (row, column), (end_row, end_column)


def watch_lines(folder: str, watched: Mapping[str, Sequence[Any]]) -> LineWatcher | None:
    """Watch lines, if there are any, in this process and, through the environment, in the Pythons that it starts."""
    os.environ[VARIABLE] = path = os.path.join(folder, "watched")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(watched, file)
    return LineWatcher(os.path.join(folder, "executed"), watched) if watched else None


def watch_from_environment() -> None:
    """Watch the lines in a Python that a watched one has started."""
    path = os.environ.get(VARIABLE, "")
    if os.path.isfile(path):
        with open(path, encoding="utf-8") as file:
            watched = json.load(file)
        if watched:
            watcher = LineWatcher(os.path.join(os.path.dirname(path), "executed"), watched)
            watcher.install()
            atexit.register(watcher.remove)
        sys.excepthook = _noting(os.path.join(os.path.dirname(path), FAILURES))


def _noting(path: str) -> Callable[..., None]:
    """Note of what error a process dies, also where the one that has started it keeps what it prints to itself."""

    def hook(kind: type[BaseException], error: BaseException, trace: Any) -> None:
        with suppress(OSError), open(path, "a", encoding="utf-8", errors="replace") as file:
            file.write(f"{kind.__name__}: {error}".partition("\n")[0] + "\n")
        sys.__excepthook__(kind, error, trace)

    return hook
