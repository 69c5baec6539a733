"""Runs the original and the rewritten program in every setting, and compares them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from devlint.verify.birthplaces import with_birthplaces
from devlint.verify.comparing.observation import UNSEEN, Observation
from devlint.verify.comparing.program_verdict import (
    Pair,
    failure_outcome,
    newly_working_outcome,
    program_outcome,
    working_outcome,
)
from devlint.verify.comparing.strictness import Strictness
from devlint.verify.comparing.verdict import Outcome, Verdict, Word
from devlint.verify.executed_lines import Spot
from devlint.verify.observer import Observer
from devlint.verify.program import CPU, Program, Setting
from devlint.verify.rewrites.changed_lines import ChangedLine, watched_lines

FACTOR = 100.0
"""Times the tolerance of a dtype that is allowed between a real accelerator and the CPU."""


@dataclass(frozen=True)
class Task:
    """Two programs to compare."""

    name: str
    before: Program
    after: Program
    devices: int = 1
    """GPUs to simulate."""
    runs_on_cpu: bool | None = None
    """Whether the rewritten program has to run on the CPU; None where nobody has said so."""
    not_compared: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Places that differ between a GPU and the CPU, and why they may."""
    changes: tuple[ChangedLine, ...] = ()
    """The lines that the rewrite has changed."""
    wider: Callable[[Set[str]], Task | None] = field(default=lambda files: None, compare=False, repr=False)
    """The same task with more of its project rewritten, of the files that a run has executed; None if that is all."""

    def watching(self, changes: Iterable[ChangedLine]) -> Task:
        """The same task, noting which of these changed lines are executed."""
        kept = tuple(changes)
        watched = watched_lines(kept)
        before, after = (replace(one, watched=watched) for one in (self.before, self.after))
        return replace(self, before=before, after=after, changes=kept)


def verify(observer: Observer, task: Task, settings: Sequence[str] | None = None) -> Verdict:
    """Run both programs in every setting, and give the verdicts."""
    started = time.monotonic()
    names = settings if settings is not None else ("cpu", "simulated", *observer.accelerators)
    matrix = _Matrix(observer, task)
    observer.ahead(matrix.certain(names))
    outcomes: list[Outcome] = []
    for name in names:
        outcomes += matrix.outcomes(name)
        wider = task.wider(matrix.files)
        if wider is not None:
            observer.give_up()
            return verify(observer, wider, settings)
    observer.give_up()
    seconds = round(time.monotonic() - started, 2)
    left = not_executed(task.changes, matrix.executed)
    if left is None:
        return Verdict(task.name, tuple(outcomes), seconds, executed=frozenset(matrix.executed))
    places = tuple(one.place for one in left)
    return Verdict(task.name, tuple(outcomes), seconds, len(task.changes), places, frozenset(matrix.executed))


def not_executed(changes: Sequence[ChangedLine], executed: Set[tuple[str, Spot]]) -> list[ChangedLine] | None:
    """The changes that no run has executed; None if that could not be seen."""
    if UNSEEN in executed:
        return None
    return [
        change
        for change in changes
        if executed.isdisjoint((os.path.realpath(change.file), spot) for spot in change.spots)
    ]


class _Matrix:
    """The runs of one task."""

    def __init__(self, observer: Observer, task: Task) -> None:
        self._observer = observer
        self._task = task
        self._side_by_side = True
        self.executed: set[tuple[str, Spot]] = set()
        """The watched lines that any run has executed."""
        self.files: set[str] = set()
        """The files of the project that any run has executed, as far as is known."""
        self._across = Strictness(across_devices=True, not_compared=frozenset(task.not_compared))

    def certain(self, names: Sequence[str]) -> Iterator[tuple[Program, Setting]]:
        """The runs that these settings need; that of the rewritten program only if nothing is in the original's way."""
        settings = {"cpu": CPU, "simulated": self._simulated}
        for program in (self._task.before, self._task.after):
            yield from ((program, settings[name]) for name in names if name in settings)

    @property
    def _simulated(self) -> Setting:
        return Setting("simulated", self._task.devices)

    def outcomes(self, name: str) -> Iterator[Outcome]:
        """The verdicts in one setting."""
        if name == "cpu":
            yield self._as_expected(self._sure(self._on_cpu))
        elif name == "simulated":
            yield self._sure(lambda: self._alike(self._simulated))
        else:
            yield self._alike(Setting(name))
            yield self._against_cpu(name)

    def _sure(self, judge: Callable[[], Outcome]) -> Outcome:
        """The verdict; a difference between programs that ran beside others must show when they run alone, too."""
        found = judge()
        if found.word in (Word.VALUE, Word.DEVICE, Word.UNCOMPARED) and self._observer.forget_beside():
            self._side_by_side = False
            return judge()
        return found

    def _observe(self, program: Program, setting: Setting, again: bool = False) -> Observation:
        found = self._observer.observe(program, setting, again)
        self.executed |= found.executed
        self.files |= found.project_files
        return found

    def _pair(self, before: Setting, after: Setting, strict: Strictness) -> Pair:
        task = self._task
        if self._side_by_side:
            self._observer.ahead(((task.before, before), (task.after, after)))
        old = self._observe(task.before, before)
        if old.obstacle:  # what hangs or lacks its data does so whoever has written it: no need to wait for that twice
            self._observer.give_up((task.after, after))
        new = old if old.obstacle else self._observe(task.after, after)
        return Pair(old, new, strict, lambda: self._observe(task.before, before, again=True))

    def _alike(self, setting: Setting) -> Outcome:
        """Both programs on the same accelerator must agree bit for bit, with every tensor on the same device."""
        found = program_outcome(self._pair(setting, setting, Strictness(placement=True)), setting.title)
        if found.word is Word.NEWLY_WORKS or found.detail.startswith("the original: "):
            return replace(found, word=Word.SAME, notes=(*found.notes, "works where the original fails"))
        watched = replace(setting, tells_births=True)
        return with_birthplaces(found, self._task.after, lambda: self._observe(self._task.after, watched))

    def _on_cpu(self) -> Outcome:
        """Both programs on the CPU; if the original fails there, compare with it on the simulated GPU."""
        pair = self._pair(CPU, CPU, Strictness())
        if pair.before.works:
            found = program_outcome(pair, "cpu")
            if found.word.holds or not pair.before.has_lost_a_process or not pair.after.works:
                return found
            newly = self._newly_working(pair)
            return newly if newly.word.holds else found
        return self._newly_working(pair) if pair.after.works else self._failing(pair)

    def _newly_working(self, pair: Pair) -> Outcome:
        """The rewritten program on the CPU against the original on the simulated GPU."""
        simulated = self._simulated
        reference = self._pair(simulated, CPU, self._across)
        found = newly_working_outcome(pair, reference)
        guarded = None if found.word.holds else self._with_guards(reference)
        if guarded is not None:
            found = newly_working_outcome(pair, guarded)
        if not found.word.holds and pair.after.data.get("autocast"):
            off = self._pair(replace(simulated, autocast=False), replace(CPU, autocast=False), self._across)
            found = newly_working_outcome(pair, off)
            found = replace(found, notes=(*found.notes, "compared with autocast off: its types differ between devices"))
        return found

    def _with_guards(self, pair: Pair) -> Pair | None:
        """The same runs, where the rewritten program asks for CUDA before it prints what the original just prints."""
        fixed = self._observe(self._task.after, pair.before.setting)
        printed = fixed.asked_output
        if not printed or not set(printed) <= set(pair.before.without_paths(pair.before.stdout).splitlines()):
            return None
        return replace(pair, before=pair.before.with_asked_of(fixed))

    def _failing(self, pair: Pair) -> Outcome:
        """Both fail on the CPU; the rewritten one may fail there as the original does on a GPU."""
        if pair.before.obstacle is not None:
            return program_outcome(pair, "cpu")
        found = failure_outcome(pair.before, pair.after, "cpu")
        if found.word.holds:
            return found
        there = self._observe(self._task.before, self._simulated)
        if there.works:
            return found
        if there.obstacle is not None:
            return Outcome("cpu", Word.UNCOMPARED, f"the original {there.failure}")
        alike = failure_outcome(there, pair.after, "cpu")
        return alike if alike.word.holds else found

    def _against_cpu(self, name: str) -> Outcome:
        """The original on a real accelerator against the rewritten program on the CPU, within tolerance."""
        title = f"{name} and cpu"
        there = Setting(name, autocast=False, replay=True, within_tolerance=True)
        strict = replace(self._across, tolerance_factor=FACTOR, random=False)
        pair = self._pair(there, replace(CPU, autocast=False, within_tolerance=True), strict)
        if not pair.before.works or not pair.after.works:
            why = _why(pair.before, "original", name) or _why(pair.after, "rewritten program", "the CPU")
            return Outcome(title, Word.FAILS_ALIKE if self._task.runs_on_cpu is False else Word.UNCOMPARED, why)
        return working_outcome(pair, title)

    def _as_expected(self, found: Outcome) -> Outcome:
        """The verdict, unless the case says otherwise of whether the program runs on the CPU."""
        expected = self._task.runs_on_cpu
        if expected is None or not found.word.holds:
            return found
        runs = found.word is not Word.FAILS_ALIKE
        if runs == expected:
            return found
        if runs:
            return replace(found, word=Word.UNCOMPARED, detail="runs on the CPU, although it is said that it cannot")
        return replace(found, word=Word.NEWLY_FAILS, detail=f"still fails on the CPU: {found.detail}")


def _why(one: Observation, name: str, place: str) -> str:
    return "" if one.works else f"the {name} does not work on {place}: {one.failure}"
