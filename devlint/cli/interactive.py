"""``devlint fix --interactive``: shows one fix after the other, and asks what to do, as ``git add -p`` does.

Nothing is written before the last answer: then all that was accepted, or, on an interrupt, nothing. Files that go by
what was accepted in others are asked about again.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from devlint.cli.complaints import complain
from devlint.cli.fix_changes import changes_in
from devlint.cli.output.concise import headline
from devlint.cli.output.diff import change_lines
from devlint.cli.output.style import Style, visible
from devlint.cli.printer import UNSETTLED
from devlint.cli.terminal import use_colour, use_links
from devlint.config.finder import ConfigFinder
from devlint.config.option_table import overrides
from devlint.core.errors import DevlintError
from devlint.engine.chosen_fixes import ChosenFixes, Wishes
from devlint.engine.report import Mode
from devlint.engine.runner import Runner
from devlint.engine.settling import MOST_ROUNDS, Concerns
from devlint.engine.summary import count_of
from devlint.engine.suppressing import check_reason
from devlint.sources.discovery import Found, Skipped, discover, is_looked_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from devlint.core.diagnostic import Diagnostic, Failure
    from devlint.engine.report import FileReport

_KEYS = "y,n,a,d,s,q,?"
_HELP = """\
y - make this fix
n - do not make this fix
a - make this fix and all others of this rule that are as safe
d - make neither this fix nor any other of this rule
s - suppress this finding by a comment, and ask for the reason
q - ask no more, and write what was accepted so far
? - print this list
Ctrl-C ends devlint and writes nothing
"""


class _Quit(Exception):
    """Nothing more is to be asked."""


def fix_interactively(paths: tuple[str, ...], values: dict[str, Any]) -> int:
    """Ask about each fix in the paths, write what was accepted, and return the exit code."""
    if "-" in paths or values["stdin_filename"] or values["diff"]:
        raise click.UsageError("--interactive asks about files: it goes neither with standard input nor with --diff")
    session = _Session(values)
    try:
        session.ask_about(paths)
    except KeyboardInterrupt:
        click.echo("\nnothing was written", err=True)
        raise
    return session.finish()


class _Session:
    """All questions of one run."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values
        self._wishes = Wishes(set(), set(), set())
        self._files: list[ChosenFixes] = []
        self._asked: list[ChosenFixes] = []
        """Those of this round."""
        self._rounds: list[list[tuple[FileReport, int, int]]] = []
        """What to write after each round, with how many findings of a file are fixed, and suppressed."""
        self._concerns = Concerns()
        self._failures = 0
        self._style = Style(use_colour(values["color"], sys.stdout), use_links(values["color"], sys.stdout))

    def ask_about(self, paths: tuple[str, ...]) -> None:
        """Ask about the files in the paths, in order, and again about those that others have brought more fixes."""
        before: dict[str, bytes] = {}
        try:
            self._ask_first(paths)
            while again := self._concerns.concerned(before):
                if len(self._rounds) == MOST_ROUNDS - 1:
                    self._tell_unsettled(one.path for one in again)
                    break
                self._end_round()
                before = self._concerns.next_round()
                paths_again = {one.path for one in again}
                self._asked = [file for file in self._files if file.found.path in paths_again]
                for file in self._asked:
                    file.go_by(before)
                    self._ask(file)
        except _Quit:
            pass
        self._end_round()

    def _ask_first(self, paths: tuple[str, ...]) -> None:
        from devlint.cli.lint import changes_since

        changes = changes_since(paths, self._values)
        given = {**overrides(self._values), "unsafe-fixes": True}
        finder = ConfigFinder(given, self._values["config"], self._values["isolated"])
        for found in discover(paths or (".",), finder, is_looked_at):
            if not isinstance(found, Found):
                self._complain([found])
                continue
            file = ChosenFixes(found, finder, self._wishes, changes)
            self._complain(file.report.failures)
            self._files.append(file)
            self._asked.append(file)
            self._concerns.note(found)
            self._ask(file)

    def _ask(self, file: ChosenFixes) -> None:
        """Ask about one fix after the other."""
        while (one := file.next()) is not None:
            self._show(file, one)
            self._answer(file, one)
        self._concerns.see(file.written())

    def _end_round(self) -> None:
        self._rounds.append([(file.written(), file.fixed, file.suppressed) for file in self._asked])

    def _tell_unsettled(self, paths: Iterable[str]) -> None:
        for one in paths:
            click.echo(f"warning: {visible(one)}: {UNSETTLED}", err=True)

    def _show(self, file: ChosenFixes, one: Diagnostic) -> None:
        """What was found, what the fix says, and what it changes."""
        assert one.fix is not None and file.report.source is not None
        click.echo(headline(one, self._style, unsafe_fixes=True))
        kind = "safe fix" if one.fix.is_safe else "unsafe fix"
        label = self._style(kind, "bold", "cyan" if one.fix.is_safe else "yellow")
        click.echo(f"{label}: {visible(one.fix.message)}")
        for line in change_lines(changes_in(file.report.source, one.fix), self._style):
            click.echo(line)

    def _answer(self, file: ChosenFixes, one: Diagnostic) -> None:
        """Ask until an answer is understood, and do what it says."""
        while True:
            more = file.open_count() - 1
            left = f" ({more} more in this file)" if more else ""
            answer = self._read(self._style(f"Make this fix{left} [{_KEYS}]? ", "bold")).lower()
            if answer in ("y", "n", "a", "d"):
                self._decide(file, one, answer)
            elif answer == "s":
                if not self._suppress(file, one):
                    continue
            elif answer == "q":
                raise _Quit
            else:
                click.echo(_HELP, nl=False)
                continue
            click.echo()
            return

    def _decide(self, file: ChosenFixes, one: Diagnostic, answer: str) -> None:
        """Do what a plain answer says."""
        if answer == "y":
            file.accept(one)
        elif answer == "n":
            file.decline(one)
        elif answer == "d":
            self._wishes.none.add(one.code)
        else:
            self._wishes.all_safe.add(one.code)
            if one.fix is not None and not one.fix.is_safe:
                self._wishes.all_unsafe.add(one.code)
            file.refresh()

    def _suppress(self, file: ChosenFixes, one: Diagnostic) -> bool:
        """Ask for a reason and suppress the finding; False where that was not done."""
        try:
            reason = check_reason(self._read("Reason: "))
        except DevlintError as error:
            click.echo(str(error))
            return False
        if not file.suppress(one, reason):
            click.echo("A comment would not work here.")
            return False
        return True

    def _read(self, prompt: str) -> str:
        """One line that is typed; its end without one means to quit."""
        click.echo(prompt, nl=False)
        line = sys.stdin.readline() if sys.stdin is not None else ""
        if not line:
            click.echo()
            raise _Quit
        return line.strip()

    def finish(self) -> int:
        """Write what was accepted, say how much that was, and return the exit code."""
        fixed = silenced = 0
        written: set[str] = set()
        for count, reports in enumerate(self._rounds):
            failures = self._failures
            for report, *counts in (one for one in reports if one[0].changed):
                if self._write(report):
                    fixed, silenced = fixed + counts[0], silenced + counts[1]
                    written.add(report.path)
            if self._failures > failures:  # a later round goes by what this one has not written
                self._tell_unsettled(
                    {one.path for later in self._rounds[count + 1 :] for one, *_ in later if one.changed}
                )
                break
        left = sum(len(file.report.diagnostics) for file in self._files)
        more = f", suppressed {silenced}" if silenced else ""
        click.echo(f"Fixed {count_of(fixed, 'finding')}{more} in {count_of(len(written), 'file')}; {left} left.")
        return 2 if self._failures else int(left > 0)

    def _write(self, report: FileReport) -> bool:
        """Write what was accepted in one file; whether that was possible."""
        done = Runner(ConfigFinder(), Mode.FIX).written(report)
        self._complain(done.failures)
        return not done.failures

    def _complain(self, failures: Iterable[Failure | Skipped]) -> None:
        for one in failures:
            self._failures += not isinstance(one, Skipped)
            complain(one)
