"""Answers that are worked out once, and kept as long as they are right for whoever asks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from devlint.analysis.project.disk import Disk

Key = TypeVar("Key")
Answer = TypeVar("Answer")


class Known(Generic[Answer]):
    """An answer."""

    __slots__ = ("answer", "asked", "is_sure")

    def __init__(self, answer: Answer, asked: dict[str, str], is_sure: bool) -> None:
        self.answer = answer
        self.asked = asked
        """What was asked of the disk for it."""
        self.is_sure = is_sure
        """Whether it is the same, whoever asks, and whatever was asked before."""


class Answers:
    """Works out answers that may need one another, and notes what was asked of the disk for each."""

    def __init__(self, disk: Disk | None = None) -> None:
        self._disk = disk
        self._doubts = 0
        self._unsure: list[Callable[[], object]] = []

    def doubt(self) -> None:
        """Note that an answer is cut short because of who asks: it is asked for itself, or too many ask one another."""
        self._doubts += 1

    def get(self, known: dict[Key, Known[Answer]], key: Key, compute: Callable[[], Answer]) -> Answer:
        """The answer that is known for a key, or what ``compute`` gives."""
        found = known.get(key)
        if found is None:
            found = self._computed(compute)
            if found.is_sure or found.answer is not None:
                known[key] = found
            if not found.is_sure:
                self._unsure.append(lambda: known.pop(key, None))
        elif self._disk is not None:
            self._disk.asked.update(found.asked)
        self._doubts += not found.is_sure
        return found.answer

    def _computed(self, compute: Callable[[], Answer]) -> Known[Answer]:
        doubts = self._doubts
        if self._disk is None:
            return Known(compute(), {}, doubts == self._doubts)
        before, self._disk.asked = self._disk.asked, {}
        try:
            answer = compute()
        finally:
            asked, self._disk.asked = self._disk.asked, before
            before.update(asked)
        return Known(answer, asked, doubts == self._doubts)

    def forget_unsure(self) -> None:
        """Forget the answers that the next one who asks may have to be given otherwise."""
        for forget in self._unsure:
            forget()
        self._unsure = []
