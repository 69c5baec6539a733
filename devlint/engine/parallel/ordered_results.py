"""Keeps reports in the order of the files although files finish in another one, and cuts files into tasks."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from devlint.engine.parallel.messages import unpacked_report
from devlint.engine.report import FileReport
from devlint.sources.discovery import Found

Item = Found | FileReport
"""A file to analyze, or a report that is there already."""

LONGEST_TASK = 64
AHEAD = 1024
"""How many files to list ahead, so that the last tasks can be made short."""
MOST_PLACES = 4096
MOST_BYTES = 1 << 24
"""The most bytes of finished reports that wait for an earlier one; beyond it no new tasks are given."""


class Place:
    """A file in the order, and its report once there is one."""

    __slots__ = ("answer", "found")

    def __init__(self, found: Found | None, answer: FileReport | bytes | None = None) -> None:
        """``answer`` is the report, or the bytes that a worker sent; None until there is one."""
        self.found = found
        self.answer = answer


class Order:
    """The files of a run from the first one whose report has not been passed on."""

    def __init__(self, items: Iterator[Item], jobs: int) -> None:
        self._items = items
        self._shares = 4 * jobs
        self._places: deque[Place] = deque()
        self._new: deque[Place] = deque()
        self._held = 0
        """The bytes of the reports that wait."""

    def look_ahead(self) -> None:
        """List more files."""
        while len(self._new) < AHEAD and len(self._places) < MOST_PLACES:
            item = next(self._items, None)
            if item is None:
                return
            place = Place(None, item) if isinstance(item, FileReport) else Place(item)
            self._places.append(place)
            if place.answer is None:
                self._new.append(place)

    def first(self) -> Place | None:
        """The file whose report is next; None at the end."""
        return self._places[0] if self._places else None

    def remove_first(self) -> FileReport:
        """Remove and return the next report, which must be there."""
        place = self._places.popleft()
        if isinstance(place.answer, FileReport):
            return place.answer
        assert place.answer is not None and place.found is not None
        self._held -= len(place.answer)
        return unpacked_report(place.found.path, place.answer)

    def answer(self, place: Place, data: bytes) -> None:
        """Store the answer of a worker about a file."""
        place.answer = data
        self._held += len(data)

    @property
    def new(self) -> int:
        """How many files are in no task yet."""
        return len(self._new)

    def task(self) -> list[Place]:
        """The next files; fewer when few are left, so that all workers end together."""
        if self._held >= MOST_BYTES:
            return []
        count = min(LONGEST_TASK, max(1, len(self._new) // self._shares), len(self._new))
        return [self._new.popleft() for _ in range(count)]

    def next_new(self) -> Place:
        """The next file."""
        return self._new.popleft()
