"""``devlint check --add-ignore REASON``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from devlint.cli.complaints import complain
from devlint.cli.output.style import visible
from devlint.config.finder import ConfigFinder
from devlint.config.option_table import overrides
from devlint.engine.report import Mode
from devlint.engine.runner import Runner
from devlint.engine.summary import count_of
from devlint.engine.suppressing import check_reason, suppressed
from devlint.sources.discovery import Found, Skipped, discover, is_looked_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from devlint.core.diagnostic import Diagnostic


def add_ignores(paths: tuple[str, ...], values: dict[str, Any], reason: str) -> int:
    """Suppress what a check finds in the paths, and return the exit code: 1 if a finding is left."""
    if "-" in paths or values["stdin_filename"] or values["diff"]:
        raise click.UsageError("--add-ignore writes files: it goes with files and folders, and not with --diff")
    text = check_reason(reason)
    from devlint.cli.lint import changes_since

    finder = ConfigFinder(overrides(values), values["config"], values["isolated"], observed=values["observed"])
    checker = Runner(finder, Mode.CHECK, changes=changes_since(paths, values))
    writer = Runner(finder, Mode.FIX)
    added = files = left = failures = 0
    for found in discover(paths or (".",), finder, is_looked_at):
        if not isinstance(found, Found):
            failures += not isinstance(found, Skipped)
            complain(found)
            continue
        result = suppressed(checker, found, text)
        report = writer.written(result.report) if result.done else result.report
        failures += len(report.failures)
        for failure in report.failures:
            complain(failure)
        if report.failures:
            continue
        remaining = [one for one in report.diagnostics if one not in result.done]
        added, files, left = added + len(result.done), files + bool(result.done), left + len(remaining)
        _name(remaining)
    if not values["quiet"]:
        click.echo(_summary(added, files, left))
    return 2 if failures else int(left > 0)


def _name(left: Iterable[Diagnostic]) -> None:
    """Say which findings have no place for a comment."""
    for one in left:
        place = f"{visible(one.path)}:{one.location}"
        click.echo(f"{place}: {one.code} not suppressed: a comment there would not work", err=True)


def _summary(added: int, files: int, left: int) -> str:
    """The last line."""
    if not added:
        return f"{count_of(left, 'finding')} cannot be suppressed." if left else "No findings to suppress."
    rest = f"; {left} left" if left else ""
    return f"Suppressed {count_of(added, 'finding')} in {count_of(files, 'file')}{rest}."
