"""Tries fixes on copies of a project before they are made: a command must do the same before and after."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from devlint.config.finder import ConfigFinder
from devlint.core.diagnostic import Applicability
from devlint.engine.report import Mode
from devlint.engine.runner import Runner
from devlint.sources.changed_lines import EVERYTHING
from devlint.verify.command_verdict import command_outcome
from devlint.verify.errors import VerifyError
from devlint.verify.matrix import Task, verify
from devlint.verify.observation import Observation
from devlint.verify.observer import Observer
from devlint.verify.program import CPU, SIMULATED, Program, Setting
from devlint.verify.project_copy import copy_project
from devlint.verify.verdict import Outcome, Word

_MOST_DROPPED = 8


@dataclass(frozen=True, order=True)
class Place:
    """A finding with a fix, by the rows of the file as it is."""

    path: str
    row: int
    last: int
    code: str


class AllBut:
    """Which rows may be fixed: all but those of some places."""

    def __init__(self, dropped: Iterable[Place] = ()) -> None:
        self._rows: dict[str, set[int]] = {}
        for place in dropped:
            self._rows.setdefault(place.path, set()).update(range(place.row, place.last + 1))

    @property
    def is_partial(self) -> bool:
        """Whether there is a place that may not be fixed."""
        return bool(self._rows)

    def rows(self, path: str, data: bytes | str | None = None) -> Container[int]:
        """The rows of a file in which a finding counts."""
        return _Others(self._rows[path]) if path in self._rows else EVERYTHING


class _Others(Container[int]):
    def __init__(self, rows: set[int]) -> None:
        self._rows = rows

    def __contains__(self, row: object) -> bool:
        return row not in self._rows


class Trial:
    """One command, and the files whose fixes it is to judge."""

    def __init__(self, observer: Observer, finder: ConfigFinder, paths: Sequence[str], command: str) -> None:
        self._observer = observer
        self._finder = finder
        self._paths = paths
        self._command = command
        self._root = os.getcwd()
        self._count = 0
        self._before: dict[str, Observation] = {}
        self.places = self._find_places()

    def _find_places(self) -> list[Place]:
        """All that would be fixed."""
        found = []
        for report in Runner(self._finder, Mode.CHECK).run(self._paths):
            for one in report.diagnostics:
                safe = one.fix is not None and one.fix.applicability is Applicability.SAFE
                if safe or (one.fix is not None and report.unsafe_fixes):
                    path = os.path.abspath(one.path)
                    found.append(Place(path, one.location.row, one.end_location.row, one.code))
        return sorted(found)

    def outcomes(self, dropped: Iterable[Place] = ()) -> Iterator[Outcome]:
        """The verdicts on all fixes but some, each run when it is asked for."""
        rewritten = self._rewritten(AllBut(dropped))
        script = script_of(self._command)
        for setting in (CPU, SIMULATED):
            if script is None:
                yield self._of_command(rewritten, setting)
            else:
                before = self._program(script, self._copy({}))
                after = self._program(script, self._copy(rewritten))
                yield from verify(self._observer, Task(self._command, before, after), (setting.name,)).outcomes
                self._observer.forget()

    def _of_command(self, rewritten: Mapping[str, bytes], setting: Setting) -> Outcome:
        if setting.name not in self._before:
            self._before[setting.name] = self._run({}, setting)
        after = self._run(rewritten, setting)
        return command_outcome(self._before[setting.name], after, setting.title, lambda: self._run({}, setting))

    def _run(self, rewritten: Mapping[str, bytes], setting: Setting) -> Observation:
        folder = self._copy(rewritten)
        program = Program(
            os.path.join(folder, "command"),
            folder=folder,
            command=self._command,
            project=folder,
            original_project=self._root,
        )
        return self._observer.observe(program, setting, again=True)

    def _program(self, script: Sequence[str], folder: str) -> Program:
        path = os.path.join(folder, script[0])
        return Program(path, tuple(script[1:]), folder=folder, project=folder, original_project=self._root)

    def _copy(self, rewritten: Mapping[str, bytes]) -> str:
        """A new copy of the project: what a run leaves in one is no business of the next."""
        folder = tempfile.mkdtemp(dir=self._observer.folder("copies"))
        target = os.path.join(folder, os.path.basename(self._root) or "project")
        copy_project(self._root, target, rewritten)
        return target

    def _rewritten(self, chosen: AllBut) -> dict[str, bytes]:
        """The new contents of the files that fixes change."""
        new = {}
        for report in Runner(self._finder, Mode.DIFF, changes=chosen).run(self._paths):
            if report.changed and report.source is not None:
                path = os.path.abspath(report.path)
                if not path.startswith(self._root.rstrip(os.sep) + os.sep):
                    raise VerifyError(f"{report.path}: is outside the current folder, in which the command is run")
                new[path] = report.source.to_bytes(report.after_text)
        return new

    def culprits(self, worst: Outcome | None) -> list[tuple[Place, Outcome]]:
        """The fixes without which the others hold, found by halving; each with what it broke, first the ``worst``."""
        dropped: list[tuple[Place, Outcome]] = []
        while len(dropped) < _MOST_DROPPED:
            gone = [place for place, _ in dropped]
            worst = worst if not gone else failing(self.outcomes(gone))
            if worst is None:
                return dropped
            left = [place for place in self.places if place not in gone]
            if not left:
                raise VerifyError(f"no fix is to blame: {worst.detail}; nothing was fixed")
            number, worst = self._first_that_breaks(left, worst)
            dropped.append((left[number - 1], worst))
        raise VerifyError(f"more than {_MOST_DROPPED} fixes break the command; nothing was fixed")

    def _first_that_breaks(self, left: Sequence[Place], worst: Outcome) -> tuple[int, Outcome]:
        """How many fixes it takes until the command does not hold."""
        good, bad = 0, len(left)
        while bad - good > 1:
            middle = (good + bad) // 2
            chosen = set(left[:middle])
            found = failing(self.outcomes(place for place in self.places if place not in chosen))
            if found is None:
                good = middle
            else:
                bad, worst = middle, found
        return bad, worst


def failing(outcomes: Iterable[Outcome]) -> Outcome | None:
    """What speaks against some fixes: the first verdict that does not hold, or that nothing has worked."""
    found = []
    for one in outcomes:
        if not one.word.holds:
            return one
        found.append(one)
    if all(one.word is Word.FAILS_ALIKE for one in found):
        return replace(found[0], word=Word.UNCOMPARED, detail=f"the command fails before and after: {found[0].detail}")
    return None


def script_of(command: str) -> list[str] | None:
    """The script and its arguments, of a command that is nothing but Python with a script."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise VerifyError(f"--verify: {error}") from None
    if not words:
        raise VerifyError("--verify needs a command")
    plain = not set(command) & set("|&;<>$`*?~(){}\n")
    if plain and os.path.basename(words[0]).startswith("python") and len(words) > 1 and words[1].endswith(".py"):
        return words[1:]
    return None
