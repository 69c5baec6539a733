"""Counts copies, synchronizations and operators, and the lines of the program that caused them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from devlint.verify.sim.program_frames import program_line


class Counters:
    """Counts since the start, or since they were last cleared."""

    def __init__(self, trace: bool = False) -> None:
        self.trace = trace
        self.operators: Counter[str] = Counter()
        self.copies: Counter[str] = Counter()
        self.bytes: Counter[str] = Counter()
        self.synchronizations = 0
        self.sites: Counter[tuple[str, str, int]] = Counter()
        self.counting = True

    def copied(self, kind: str, size: int) -> None:
        """A copy: ``h2d``, ``d2h`` or ``d2d``."""
        if self.counting:
            self.copies[kind] += 1
            self.bytes[kind] += size
            self.note(kind)

    def waited(self) -> None:
        """Count a synchronization."""
        if self.counting:
            self.synchronizations += 1
            self.note("sync")

    def note(self, kind: str) -> None:
        """Remember the line of the program, outside torch, that is being run."""
        if not self.trace:
            return
        line = program_line()
        if line is not None:
            self.sites[kind, line[0], line[1]] += 1

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Pause counting."""
        before, operators = self.counting, Counter(self.operators)
        self.counting = False
        try:
            yield
        finally:
            self.counting = before
            self.operators.clear()
            self.operators.update(operators)

    def clear(self) -> None:
        """Reset all counts."""
        for counts in (self.operators, self.copies, self.bytes, self.sites):
            counts.clear()
        self.synchronizations = 0
