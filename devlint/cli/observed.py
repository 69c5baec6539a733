"""``devlint fix --observe COMMAND``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from devlint.cli.output.style import visible
from devlint.config.finder import ConfigFinder
from devlint.config.option_table import overrides

if TYPE_CHECKING:
    from devlint.engine.report import FileReport


def observed_reports(paths: tuple[str, ...], values: dict[str, Any]) -> list[FileReport]:
    """The reports on all files with the fixes, made in memory, that running the command asks for."""
    from devlint.verify.observing.command import ObservedCommand
    from devlint.verify.observing.rounds import Rounds

    if "-" in paths or values["stdin_filename"] or values["diff_base"] or values["baseline"] or values["observed"]:
        raise click.UsageError(
            "--observe goes with files and folders, and neither with --diff-base, --baseline nor --observed"
        )
    if not values["observe"].strip():
        raise click.UsageError("--observe needs a command")
    command = ObservedCommand(values["observe"], (), values["python"], timeout=values["timeout"])
    rounds = Rounds(
        lambda observed: ConfigFinder(overrides(values), values["config"], values["isolated"], observed=observed),
        paths or (".",),
        lambda: command.run(functions=False, output=sys.stderr.fileno()),
        lambda text: click.echo(visible(f"{values['observe']}: {text}"), err=True),
    )
    return rounds.reports()
