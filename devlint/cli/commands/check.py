"""``devlint check`` and ``devlint fix``."""

from __future__ import annotations

from typing import Any

import click

from devlint.cli.commands.click_options import options_for, paths_argument
from devlint.engine.report import Mode


@click.command()
@paths_argument
@options_for("check")
@click.option("--fix", "fixing", is_flag=True, help="Fix what can be fixed, like `devlint fix`.")
@click.option(
    "--add-ignore",
    metavar="REASON",
    help="Suppress all findings by comments that give REASON, instead of reporting them.",
)
@click.option("--watch", is_flag=True, help="Check again whenever a file changes, until Ctrl-C (extra devlint[watch]).")
@click.pass_obj
def check(
    own_process: bool, /, paths: tuple[str, ...], fixing: bool, add_ignore: str | None, watch: bool, **values: Any
) -> int:
    """Find code in PATHS that runs on one kind of device only.

    PATHS are files and folders, by default the current folder; - stands for standard input. Exit codes: 0 nothing
    was found, 1 something was, 2 devlint could not do its work.
    """
    from devlint.cli import lint

    if sum((fixing or values["diff"] or values["fix_only"], add_ignore is not None, watch)) > 1:
        raise click.UsageError("--watch, --add-ignore and --fix (or --diff) exclude one another")
    if watch:
        from devlint.cli.watching import check_on_change

        return check_on_change(paths, values)
    if add_ignore is not None:
        from devlint.cli.added_ignores import add_ignores

        return add_ignores(paths, values, add_ignore)
    return lint.run_lint(paths, Mode.FIX if fixing else Mode.CHECK, values, own_process=own_process)


@click.command()
@paths_argument
@options_for("fix")
@click.option(
    "-i",
    "--interactive",
    is_flag=True,
    help="Show each fix, safe or not, and ask whether to make it; ? lists the answers.",
)
@click.option("--verify", metavar="COMMAND", help="Fix only if COMMAND does the same in a copy with the fixes.")
@click.option(
    "--observe", metavar="COMMAND", help="Also fix what COMMAND shows to be on the wrong device, and run it again."
)
@click.option("--bisect", is_flag=True, help="With --verify: leave out the fix that breaks COMMAND.")
@click.option(
    "--timeout",
    type=float,
    default=300,
    show_default=True,
    metavar="SECONDS",
    help="With --verify or --observe: how long a run of COMMAND may take.",
)
@click.option(
    "--python",
    metavar="PATH",
    help="With --verify or --observe: the Python or virtual environment; default: the active one, or the project's.",
)
@click.option(
    "--pass-env",
    multiple=True,
    metavar="NAME",
    help="With --verify: let COMMAND see this variable of the environment although it looks like a secret.",
)
@click.pass_obj
def fix(own_process: bool, /, paths: tuple[str, ...], interactive: bool, **values: Any) -> int:
    """Rewrite the code in PATHS so that it runs on any device, and report what remains.

    PATHS are files and folders, by default the current folder; - stands for standard input, whose fixed text goes to
    standard output. Exit codes: 0 nothing remains, 1 something does, 2 devlint could not do its work.
    """
    from devlint.cli import lint

    if interactive:
        if values["verify"] is not None or values["observe"] is not None:
            raise click.UsageError("--interactive goes neither with --verify nor with --observe")
        from devlint.cli.interactive import fix_interactively

        return fix_interactively(paths, values)
    if values["observe"] is not None:
        if values["verify"] is not None:
            raise click.UsageError("--observe and --verify exclude each other")
        from devlint.cli.observed import observed_reports

        return lint.run_lint(paths, Mode.FIX, values, observed_reports(paths, values), own_process)
    if values["verify"] is None:
        if values["bisect"]:
            raise click.UsageError("--bisect needs --verify COMMAND")
        return lint.run_lint(paths, Mode.FIX, values, own_process=own_process)
    from devlint.cli.verified import verified_reports

    reports, dropped = verified_reports(paths, values)
    return 1 if reports is None else lint.run_lint(paths, Mode.FIX, values, reports, own_process, dropped)
