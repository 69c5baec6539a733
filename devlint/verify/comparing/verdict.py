"""The verdicts on programs, and the exit code that follows from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from devlint.verify.executed_lines import Spot


class Word(Enum):
    """What became of a program in one setting."""

    SAME = "same"
    SLOWER = "slower"
    """The same, with more copies between the CPU and a device."""
    NEWLY_WORKS = "newly works on CPU"
    FAILS_ALIKE = "fails in both the same way"
    NEWLY_FAILS = "newly fails"
    VALUE = "value differs"
    DEVICE = "device differs"
    UNCOMPARED = "cannot be compared"

    @property
    def holds(self) -> bool:
        """Whether the rewritten program is no worse than the original."""
        return self in (Word.SAME, Word.SLOWER, Word.NEWLY_WORKS, Word.FAILS_ALIKE)


@dataclass(frozen=True)
class Outcome:
    """The verdict on one program in one setting."""

    setting: str
    word: Word
    detail: str = ""
    """Where and by how much, or why; one line."""
    notes: tuple[str, ...] = ()
    """What one should know besides."""
    more_copies: int = 0

    @property
    def title(self) -> str:
        """The verdict as it is shown."""
        if self.word is Word.SLOWER:
            return f"slower by {self.more_copies} extra {'copy' if self.more_copies == 1 else 'copies'}"
        return str(self.word.value)


@dataclass(frozen=True)
class Verdict:
    """The verdicts on one program, in all settings."""

    name: str
    outcomes: tuple[Outcome, ...]
    seconds: float = 0.0
    changed: int = 0
    """The number of changed lines that can be executed."""
    not_run: tuple[str, ...] = ()
    """The places of those that no run executed."""
    executed: frozenset[tuple[str, Spot]] = field(default=frozenset(), repr=False)
    """The watched lines that any run has executed."""

    @property
    def holds(self) -> bool:
        """Whether the rewritten program is no worse in any setting, and this is proven."""
        return self.is_no_worse and self.proven

    @property
    def is_no_worse(self) -> bool:
        """Whether no setting speaks against the rewritten program."""
        return bool(self.outcomes) and all(one.word.holds for one in self.outcomes)

    @property
    def proven(self) -> bool:
        """Whether a run executed a changed line, and did not fail in both programs in every setting."""
        all_fail = bool(self.outcomes) and all(one.word is Word.FAILS_ALIKE for one in self.outcomes)
        return not all_fail and (not self.changed or len(self.not_run) < self.changed)

    @property
    def said_of_lines(self) -> str:
        """Which changed lines ran, if not all did; empty if something could not be compared."""
        if any(one.word is Word.UNCOMPARED for one in self.outcomes):
            return ""
        if not self.not_run:
            return "" if self.proven else "not proven: the program fails before and after"
        if len(self.not_run) == self.changed:
            them = "the changed line did not run" if self.changed == 1 else f"none of {self.changed} changed lines ran"
            return f"not proven: {them}: {_listed(self.not_run)}"
        return (
            f"{self.changed - len(self.not_run)} of {self.changed} changed lines ran; not run: {_listed(self.not_run)}"
        )

    @property
    def differs(self) -> bool:
        """Whether it is worse in some setting."""
        return any(not one.word.holds and one.word is not Word.UNCOMPARED for one in self.outcomes)


def exit_code(verdicts: list[Verdict]) -> int:
    """0 where all hold, 1 where one differs, 2 where one could not be compared or proven, or there was nothing to."""
    if any(one.differs for one in verdicts):
        return 1
    return 0 if verdicts and all(one.holds for one in verdicts) else 2


def _listed(places: tuple[str, ...], most: int = 8) -> str:
    more = f" and {len(places) - most} more" if len(places) > most else ""
    return ", ".join(places[:most]) + more
