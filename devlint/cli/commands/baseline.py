"""``devlint baseline``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import click

from devlint.cli.commands.click_options import options_for, paths_argument
from devlint.cli.output.style import visible
from devlint.config.finder import ConfigFinder
from devlint.config.option_table import overrides
from devlint.core.errors import DevlintError
from devlint.engine.summary import count_of


@click.command()
@paths_argument
@options_for("baseline")
@click.option(
    "--output",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="The file to write.",
)
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if listed findings are gone.")
def baseline(paths: tuple[str, ...], output: str | None, check: bool, **values: Any) -> int:
    """Record the findings in PATHS in a file, so that `devlint check` reports only new ones.

    The file is the one that the key `baseline` names in the configuration of the current folder, otherwise
    devlint-baseline.json. What it lists for other paths is kept.
    """
    from devlint.config.baseline import FILE_NAME, Baseline
    from devlint.engine.baseline_writer import Update

    if "-" in paths:
        raise click.UsageError("there is no baseline of standard input")
    finder = ConfigFinder(overrides(values), values["config"], values["isolated"], baselines=False)
    configured = finder.settings(os.getcwd()).baseline
    path = os.path.abspath(output or configured or FILE_NAME)
    old = Baseline.read(path).check() if check else Baseline.read(path) if os.path.lexists(path) else Baseline(path, {})
    update = Update(old, paths or (".",), finder, only=output is None)
    for failure in update.failures:
        click.echo(f"error: {visible(failure.path)}: {failure.message}", err=True)
    name = visible(os.path.relpath(path))
    if update.failures:
        raise DevlintError(f"{name}: {'not judged' if check else 'not written'}, since not every file could be read")
    for line in _stale(update, name) if check else _written(update, name, path == configured):
        click.echo(line)
    return int(check and bool(update.gone))


def _stale(update: Any, name: str) -> Iterator[str]:
    """The lines about listed findings that are gone."""
    for entry, count in update.gone.items():
        times = f" ({count} times)" if count > 1 else ""
        yield f"{visible(entry.path)}: {entry.code} no longer found{times}: {visible(entry.line)}"
    total = sum(update.gone.values())
    yield (
        f"{name}: {count_of(total, 'error')} no longer found; `devlint baseline` drops them."
        if total
        else f"{name}: up to date."
    )


def _written(update: Any, name: str, configured: bool) -> Iterator[str]:
    """Write the file; the lines that say what was written."""
    update.write()
    files = len({entry.path for entry in update.new})
    new, gone = sum(update.added.values()), sum(update.gone.values())
    where = f"{count_of(sum(update.new.values()), 'error')} in {count_of(files, 'file')}"
    yield f"Wrote {name}: {where} ({new} new, {gone} no longer found)."
    if not configured:
        yield f'To use it: `devlint check --baseline {name}`, or `baseline = "{name}"` in the configuration.'
