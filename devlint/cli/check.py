"""``devlint check`` and ``devlint fix``, as click has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from devlint.cli.options import run_options
from devlint.core.errors import UsageError
from devlint.engine.report import Mode

if TYPE_CHECKING:
    from devlint.engine.report import FileReport


@click.command()
@run_options
@click.option("--fix", "fixing", is_flag=True, help="Fix what can be fixed, as `devlint fix` does.")
def check(paths: tuple[str, ...], fixing: bool, **values: Any) -> int:
    """Look for code that is tied to one kind of device in PATHS: files, folders, or - for standard input."""
    return _run(paths, Mode.FIX if fixing else Mode.CHECK, values)


@click.command()
@run_options
@click.option("--verify", metavar="COMMAND", help="Only if COMMAND does the same before and after, tried in copies.")
@click.option("--bisect", is_flag=True, help="With --verify: drop the fix that breaks COMMAND, and make the others.")
@click.option("--timeout", type=float, default=300, metavar="SECONDS", help="For each run of COMMAND; default: 300.")
def fix(paths: tuple[str, ...], **values: Any) -> int:
    """Rewrite PATHS in place so that they run on any device; say what remains."""
    if values["verify"] is None:
        if values["bisect"]:
            raise click.UsageError("--bisect needs --verify COMMAND")
        return _run(paths, Mode.FIX, values)
    from devlint.cli.verified import verified_reports

    reports = verified_reports(paths, values)
    return 1 if reports is None else _run(paths, Mode.FIX, values, reports)


def _run(paths: tuple[str, ...], mode: Mode, values: dict[str, Any], reports: list[FileReport] | None = None) -> int:
    """Run, and say with click's words what is wrong with the options."""
    from devlint.cli import lint

    try:
        return lint.run(paths, mode, values, reports, own_process=bool(click.get_current_context().obj))
    except UsageError as error:
        raise click.UsageError(str(error)) from None
