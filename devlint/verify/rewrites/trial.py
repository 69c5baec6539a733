"""Tries fixes on copies of a project before they are made: a command must do the same before and after."""

from __future__ import annotations

import os
import re
import shlex
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace

from devlint.config.finder import ConfigFinder
from devlint.core.diagnostic import Location
from devlint.engine.report import FileReport, Mode, left_alone
from devlint.engine.runner import Runner
from devlint.engine.settling import unsettled
from devlint.sources.discovery import Found, discover, is_looked_at
from devlint.verify.comparing.command_verdict import command_outcome
from devlint.verify.comparing.observation import Observation
from devlint.verify.comparing.verdict import Outcome, Word
from devlint.verify.errors import VerifyError
from devlint.verify.executed_lines import Spot
from devlint.verify.matrix import Task, not_executed, verify
from devlint.verify.observer import Observer
from devlint.verify.program import CPU, SIMULATED, Program, Setting
from devlint.verify.rewrites.changed_lines import ChangedLine, changed_lines
from devlint.verify.rewrites.fix_candidates import Candidate, Candidates
from devlint.verify.rewrites.project_copy import copy_project

_MOST_DROPPED = 8
_NOTHING_TO_RUN = re.compile(
    r"\S*python[\w.]*: (No module named |can't (open file|find '__main__' module) )"
    r"|ERROR: file or directory not found: "
)
"""The last line of a Python, or of pytest, that has found nothing to run."""


class Trial:
    """One command, and the files whose fixes it is to judge."""

    def __init__(
        self,
        observer: Observer,
        finder: ConfigFinder,
        paths: Sequence[str],
        command: str,
        tell: Callable[[str], None] = lambda text: None,
    ) -> None:
        """``tell`` is called with a line of text after each step of the search for a culprit."""
        self._observer = observer
        self._finder = finder
        self._paths = paths
        self._command = command
        self._tell = tell
        self._root = os.getcwd()
        self._count = 0
        self._before: dict[str, Observation] = {}
        self._candidates = Candidates()
        self._ran: set[tuple[str, int]] | None = set()
        """The changed lines that any run has executed, by original path and row; None if that could not be seen."""
        self.newly_works = False
        """Whether, with the fixes tried last, the command does on the CPU what it did on a GPU only."""
        self._files = list(self._fix_all())

    @property
    def candidates(self) -> list[Candidate]:
        """The fixes that are made, or have been tried."""
        return self._candidates.all()

    def _fix_all(self) -> Iterator[tuple[Found | None, FileReport]]:
        """Every file, with the report on it when all fixes are made in memory."""
        runner = Runner(self._finder, Mode.DIFF, chooses_fix=self._candidates.all_but(()))
        for found in discover(self._paths, self._finder, is_looked_at):
            if isinstance(found, Found):
                yield found, runner.file(found)
            else:
                yield None, left_alone(found)

    def reports(self, dropped: Collection[Candidate] = ()) -> list[FileReport]:
        """The reports on all files when all fixes but some are made in memory."""
        paths = {one.path for one in dropped}
        runner = Runner(self._finder, Mode.DIFF, chooses_fix=self._candidates.all_but(dropped))
        return [
            runner.file(found) if found is not None and found.absolute in paths else report
            for found, report in self._files
        ]

    def settling_reports(self, dropped: Collection[Candidate] = ()) -> list[FileReport]:
        """The same; those say so of which another run may make more, by what these make of other files."""
        reports = self.reports(dropped)
        files = ((found, report) for (found, _), report in zip(self._files, reports))
        left = unsettled(Runner(self._finder, Mode.DIFF), files)
        return [one.replace(is_unsettled=True) if one.path in left else one for one in reports]

    def place(self, candidate: Candidate) -> Location:
        """Where a fix is made, as people are told of it."""
        report = next(report for found, report in self._files if found and found.absolute == candidate.path)
        assert report.source is not None
        return report.source.replace(text=report.before_text).place(candidate.span.start)

    def outcomes(self, dropped: Collection[Candidate] = ()) -> Iterator[Outcome]:
        """The verdicts on all fixes but some, each run when it is asked for."""
        self.newly_works = False
        for outcome in self._outcomes(self.reports(dropped)):
            self.newly_works |= outcome.word is Word.NEWLY_WORKS
            yield outcome

    def _outcomes(self, reports: Sequence[FileReport]) -> Iterator[Outcome]:
        rewritten = self._rewritten(reports)
        script = script_of(self._command)
        for setting in (CPU, SIMULATED):
            old, new = self._copy({}), self._copy(rewritten)
            changes = [change for report in reports for change in self._changes(report, old, new)]
            if script is None:
                task = Task(self._command, self._shell(old), self._shell(new)).watching(changes)
                outcome, executed = self._of_command(task, setting)
                self._note(changes, executed)
                yield outcome
            else:
                task = Task(self._command, self._program(script, old), self._program(script, new)).watching(changes)
                verdict = verify(self._observer, task, (setting.name,))
                self._observer.forget()
                self._note(changes, verdict.executed)
                yield from verdict.outcomes

    def _of_command(self, task: Task, setting: Setting) -> tuple[Outcome, Set[tuple[str, Spot]]]:
        if setting.name not in self._before:
            self._before[setting.name] = self._observer.observe(task.before, setting, again=True)
        before = self._before[setting.name]
        last = before.stderr.strip().rpartition("\n")[2]
        if before.code in (126, 127) or before.code in (1, 2, 4) and _NOTHING_TO_RUN.match(last):
            raise VerifyError(f"--verify: the command cannot be started: {last[-200:]}")
        after = self._observer.observe(task.after, setting, again=True)

        def again() -> Observation:
            return self._observer.observe(self._shell(self._copy({})), setting, again=True)

        return command_outcome(before, after, setting.title, again), before.executed | after.executed

    def _changes(self, report: FileReport, old: str, new: str) -> Iterator[ChangedLine]:
        """The changed lines of a file, given the folders that the original and the rewritten program run in."""
        if not report.changed or _is_notebook(report):  # its cells are run under names of the kernel's own
            return iter(())
        name = os.path.relpath(report.path, self._root)
        texts = (os.path.join(old, name), report.before_text), (os.path.join(new, name), report.after_text)
        return iter(changed_lines(os.path.relpath(report.path), *texts))

    def _note(self, changes: Sequence[ChangedLine], executed: Set[tuple[str, Spot]]) -> None:
        """Remember the changed lines that a run has executed."""
        left = not_executed(changes, executed)
        if left is None or self._ran is None:
            self._ran = None
        else:
            self._ran.update((one.path, one.row) for one in changes if one not in left)

    def lines(self, dropped: Collection[Candidate] = ()) -> tuple[int, list[str]] | None:
        """How many lines all fixes but some change, and the places of those that no run has executed."""
        if self._ran is None:
            return None
        changes = [one for report in self.reports(dropped) for one in self._changes(report, self._root, self._root)]
        return len(changes), [one.place for one in changes if (one.path, one.row) not in self._ran]

    def notebooks(self, dropped: Collection[Candidate] = ()) -> list[str]:
        """The notebooks that all fixes but some change; which of their lines ran cannot be seen."""
        return [os.path.relpath(one.path) for one in self.reports(dropped) if one.changed and _is_notebook(one)]

    def _shell(self, folder: str) -> Program:
        path = os.path.join(folder, "command")
        return Program(path, folder=folder, command=self._command, project=folder, original_project=self._root)

    def _program(self, script: Sequence[str], folder: str) -> Program:
        path = os.path.join(folder, script[0])
        return Program(path, tuple(script[1:]), folder=folder, project=folder, original_project=self._root)

    def _copy(self, rewritten: Mapping[str, bytes]) -> str:
        """A new copy of the project: what a run leaves in one is no business of the next."""
        folder = tempfile.mkdtemp(dir=self._observer.folder("copies"))
        target = os.path.join(folder, os.path.basename(self._root) or "project")
        copy_project(self._root, target, rewritten)
        return target

    def _rewritten(self, reports: Iterable[FileReport]) -> dict[str, bytes]:
        """The new contents of the files that fixes change."""
        new = {}
        for report in reports:
            if report.changed and report.source is not None:
                path = os.path.abspath(report.path)
                if not path.startswith(self._root.rstrip(os.sep) + os.sep):
                    raise VerifyError(f"{report.path}: is outside the current folder, in which the command is run")
                new[path] = report.source.to_bytes(report.after_text)
        return new

    def culprits(self, worst: Outcome | None) -> list[tuple[Candidate, Outcome]]:
        """The fixes without which the others hold, found by halving; each with what it broke, first the ``worst``."""
        dropped: list[tuple[Candidate, Outcome]] = []
        while len(dropped) < _MOST_DROPPED:
            gone = {candidate for candidate, _ in dropped}
            worst = worst if not gone else failing(self.outcomes(gone))
            if worst is None:
                return dropped
            left = [candidate for candidate in self.candidates if candidate not in gone]
            if not left:
                raise VerifyError(f"no fix is to blame: {worst.detail}; nothing was fixed")
            number, worst = self._first_that_breaks(left, worst)
            dropped.append((left[number - 1], worst))
        raise VerifyError(f"more than {_MOST_DROPPED} fixes break the command; nothing was fixed")

    def _first_that_breaks(self, left: Sequence[Candidate], worst: Outcome) -> tuple[int, Outcome]:
        """How many fixes it takes until the command does not hold."""
        good, bad = 0, len(left)
        while bad - good > 1:
            middle = (good + bad) // 2
            found = failing(self.outcomes(set(self.candidates) - set(left[:middle])))
            self._tell(f"with {middle} of {len(left)} fixes: {'holds' if found is None else found.title}")
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


def python_of(command: str) -> str | None:
    """The Python that a command begins with, if it is named by its path."""
    word = shlex.split(command)[0]
    return word if os.sep in word and os.path.basename(word).startswith("python") else None


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
        if not os.path.isfile(words[1]):
            raise VerifyError(f"--verify: there is no {words[1]}")
        return words[1:]
    return None


def _is_notebook(report: FileReport) -> bool:
    return report.path.endswith(".ipynb")
