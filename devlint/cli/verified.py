"""``devlint fix --verify COMMAND``."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from devlint.cli.output.style import visible
from devlint.config.finder import ConfigFinder
from devlint.config.option_table import overrides

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from devlint.engine.report import FileReport
    from devlint.verify.comparing.verdict import Outcome
    from devlint.verify.rewrites.fix_candidates import Candidate
    from devlint.verify.rewrites.trial import Trial


def verified_reports(paths: tuple[str, ...], values: dict[str, Any]) -> tuple[list[FileReport] | None, int]:
    """The reports on all files with the fixes, made in memory, under which the command holds; how many were dropped.

    None in place of the reports if nothing may be fixed.
    """
    from devlint.verify.comparing.verdict import Word
    from devlint.verify.interpreter import find_python
    from devlint.verify.observer import Observer
    from devlint.verify.program import Limits
    from devlint.verify.reports import cell
    from devlint.verify.rewrites.trial import Trial, failing, python_of, script_of

    if "-" in paths or values["stdin_filename"] or values["diff_base"] or values["baseline"]:
        raise click.UsageError("--verify goes with files and folders, and neither with --diff-base nor --baseline")
    script_of(values["verify"])  # a command that cannot be read is told before anything runs
    finder = ConfigFinder(overrides(values), values["config"], values["isolated"])
    python = find_python(values["python"] or python_of(values["verify"]))
    with Observer(Limits(values["timeout"]), python, values["pass_env"]) as observer:
        trial = Trial(observer, finder, paths or (".",), values["verify"], lambda text: _tell(f"  {text}"))
        if not trial.candidates:
            return trial.reports(), 0
        if sys.stderr.isatty():
            _tell(
                f"Running the command before and after {len(trial.candidates)} fixes, on the CPU and a simulated GPU…"
            )
        outcomes = list(trial.outcomes())
        click.echo(f"{values['verify']}: {'; '.join(map(cell, outcomes))}", err=True)
        worst = failing(outcomes)
        if worst is None:
            return (trial.settling_reports() if _executed(trial) else None), 0
        click.echo(f"  {worst.setting}: {worst.title}: {worst.detail}", err=True)
        if not values["bisect"] or worst.word is Word.UNCOMPARED:
            hint = "" if worst.word is Word.UNCOMPARED else "; --bisect finds and drops the fix that breaks it"
            click.echo(f"Nothing was fixed{hint}.", err=True)
            return None, 0
        gone = _told(trial, trial.culprits(worst))
    proven = len(gone) == len(trial.candidates) or _executed(trial, gone)
    return (trial.settling_reports(gone) if proven else None), len(gone)


def _told(trial: Trial, dropped: Iterable[tuple[Candidate, Outcome]]) -> list[Candidate]:
    """The fixes that are dropped, each said with what it broke."""
    gone = []
    for candidate, outcome in dropped:
        where = f"{visible(os.path.relpath(candidate.path))}:{trial.place(candidate).row}: {candidate.code}"
        click.echo(f"{where} dropped: {outcome.setting}: {outcome.title}: {outcome.detail}", err=True)
        gone.append(candidate)
    return gone


def _executed(trial: Trial, dropped: Collection[Candidate] = ()) -> bool:
    """Say which changed lines the command did not execute; False if it executed none, as far as can be seen."""
    lines, notebooks = trial.lines(dropped), ", ".join(map(visible, trial.notebooks(dropped)))
    if notebooks:
        _tell(f"  which lines of {notebooks} ran cannot be seen")
        if lines is not None and not lines[0] and not trial.newly_works:
            _tell("Nothing was fixed: the command does the same without the fixes, and may not run the notebook.")
            return False
    if lines is None or not lines[1]:
        return True
    changed, left = lines
    said = ", ".join(map(visible, left[:8])) + (f" and {len(left) - 8} more" if len(left) > 8 else "")
    _tell(f"  {changed - len(left)} of {changed} changed lines ran; not run: {said}")
    if len(left) == changed:
        _tell("Nothing was fixed: the command executes none of the changed lines, so it proves nothing.")
    return len(left) < changed


def _tell(text: str) -> None:
    click.echo(text, err=True)
