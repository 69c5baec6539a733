"""``devlint fix --verify COMMAND``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from devlint.cli.option_table import overrides
from devlint.cli.output.style import visible
from devlint.config.finder import ConfigFinder

if TYPE_CHECKING:
    from devlint.engine.report import FileReport


def verified_reports(paths: tuple[str, ...], values: dict[str, Any]) -> list[FileReport] | None:
    """The reports on all files with the fixes, made in memory, under which the command holds; None for no fix."""
    from devlint.verify.interpreter import find_python
    from devlint.verify.observer import Observer
    from devlint.verify.program import Limits
    from devlint.verify.reports import cell
    from devlint.verify.trial import Trial, failing, script_of
    from devlint.verify.verdict import Word

    if "-" in paths or values["stdin_filename"] or values["diff_base"] or values["baseline"]:
        raise click.UsageError("--verify goes with files and folders, and neither with --diff-base nor --baseline")
    script_of(values["verify"])  # a command that cannot be read is told before anything runs
    finder = ConfigFinder(overrides(values), values["config"], values["isolated"])
    with Observer(Limits(values["timeout"]), find_python(values["python"])) as observer:
        trial = Trial(observer, finder, paths or (".",), values["verify"])
        if not trial.candidates:
            return trial.reports()
        outcomes = list(trial.outcomes())
        click.echo(f"{values['verify']}: {'; '.join(map(cell, outcomes))}", err=True)
        worst = failing(outcomes)
        if worst is None:
            return trial.reports()
        click.echo(f"  {worst.setting}: {worst.title}: {worst.detail}", err=True)
        if not values["bisect"] or worst.word is Word.UNCOMPARED:
            hint = "" if values["bisect"] else "; --bisect finds and drops the fix that breaks it"
            click.echo(f"Nothing was fixed{hint}.", err=True)
            return None
        dropped = trial.culprits(worst)
    for candidate, outcome in dropped:
        where = f"{visible(os.path.relpath(candidate.path))}:{trial.place(candidate).row}: {candidate.code}"
        click.echo(f"{where} dropped: {outcome.setting}: {outcome.title}: {outcome.detail}", err=True)
    return trial.reports([candidate for candidate, _ in dropped])
