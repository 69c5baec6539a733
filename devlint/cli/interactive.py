"""``devlint fix --interactive``: shows one fix after the other, and asks what to do, as ``git add -p`` does.

Nothing is written before the last answer: then all that was accepted, or, on an interrupt, nothing.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from devlint.cli.complaints import complain, counted
from devlint.cli.fix_changes import changes_in
from devlint.cli.output.concise import headline
from devlint.cli.output.diff import change_lines
from devlint.cli.output.style import Style, visible
from devlint.cli.terminal import use_colour, use_links
from devlint.config.finder import ConfigFinder
from devlint.config.option_table import overrides
from devlint.core.errors import DevlintError
from devlint.engine.chosen_fixes import ChosenFixes, Wishes
from devlint.engine.report import Mode
from devlint.engine.runner import Runner
from devlint.engine.suppressing import check_reason
from devlint.sources.discovery import Found, Skipped, discover, is_looked_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from devlint.core.diagnostic import Diagnostic, Failure

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
        self._failures = 0
        self._style = Style(use_colour(values["color"], sys.stdout), use_links(values["color"], sys.stdout))

    def ask_about(self, paths: tuple[str, ...]) -> None:
        """Ask about the files in the paths, in order."""
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
            try:
                self._ask(file)
            except _Quit:
                return

    def _ask(self, file: ChosenFixes) -> None:
        """Ask about one fix after the other."""
        while (one := file.next()) is not None:
            self._show(file, one)
            self._answer(file, one)

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
        line = sys.stdin.readline()
        if not line:
            click.echo()
            raise _Quit
        return line.strip()

    def finish(self) -> int:
        """Write what was accepted, say how much that was, and return the exit code."""
        writer = Runner(ConfigFinder(), Mode.FIX)
        fixed = silenced = files = 0
        for file in self._files:
            report = file.written()
            if report.changed:
                done = writer.written(report)
                self._complain(done.failures)
                if not done.failures:
                    fixed, silenced, files = fixed + file.fixed, silenced + file.suppressed, files + 1
        left = sum(len(file.report.diagnostics) for file in self._files)
        more = f", suppressed {silenced}" if silenced else ""
        click.echo(f"Fixed {counted(fixed, 'finding')}{more} in {counted(files, 'file')}; {left} left.")
        return 2 if self._failures else int(left > 0)

    def _complain(self, failures: Iterable[Failure | Skipped]) -> None:
        for one in failures:
            self._failures += not isinstance(one, Skipped)
            complain(one)
