"""In the child: standard output that knows which of its lines the program prints because it has asked for CUDA."""

from __future__ import annotations

import io
import os
import sys
from typing import Any

from devlint.verify.child.device_questions import AskingLines
from devlint.verify.sim.program_frames import is_of_a_library

_MOST = 2000
"""Most lines that are remembered."""
_LONGEST = 1 << 16
"""Most characters of a line that is remembered."""


class ToldOutput(io.TextIOWrapper):
    """Remembers the lines that were printed under a test for CUDA, or with what it said."""

    def __init__(self, number: int) -> None:
        file = io.BufferedWriter(io.FileIO(number, "w", closefd=False))
        super().__init__(file, encoding="utf-8", errors="backslashreplace")
        self._home = os.getpid()
        self._files: dict[str, AskingLines] = {}
        self._line = ""
        self._asked: set[str | None] = set()
        """The places in the program that this line has come from; None for one that does not depend on CUDA."""
        self.lines: list[str] = []
        self.places: dict[str, None] = {}

    def write(self, text: str) -> int:
        """Write, and remember the lines that end here."""
        if os.getpid() == self._home and len(self.lines) < _MOST and type(text) is str:
            self._asked.add(self._place())
            self._line += text
            if "\n" in text:
                self._end()
            elif len(self._line) > _LONGEST:
                self._line = ""
                self._asked.add(None)
        return super().write(text)

    def _end(self) -> None:
        *lines, self._line = self._line.split("\n")
        places = [place for place in self._asked if place is not None]
        if len(places) == len(self._asked):
            self.lines += lines
            self.places.update(dict.fromkeys(places))
        if not self._line:
            self._asked.clear()

    def _place(self) -> str | None:
        """The line of the program that depends on CUDA, if one has led here."""
        frame: Any = sys._getframe()
        innermost = True
        while frame is not None:
            name = frame.f_code.co_filename
            if not is_of_a_library(name):
                asking = self._asking(name)
                lines = asking.branches | asking.statements if innermost else asking.branches
                if frame.f_lineno in lines:
                    return f"{os.path.basename(name)}:{frame.f_lineno}"
                innermost = False
            frame = frame.f_back
        return None

    def _asking(self, name: str) -> AskingLines:
        if name not in self._files:
            try:
                with open(name, "rb") as file:
                    self._files[name] = AskingLines.of(file.read())
            except (OSError, ValueError):
                self._files[name] = AskingLines()
        return self._files[name]
