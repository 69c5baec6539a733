"""The options of ``check`` and ``fix``; their values are checked where those of a configuration file are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from devlint.cli import shell
from devlint.cli.output.formats import FORMATS
from devlint.cli.values import COLOURS

Command = Callable[..., Any]


def _jobs(_context: object, _parameter: object, value: str) -> int | None:
    """The number of processes; None for as many as pay."""
    if value == "auto":
        return None
    if not value.isascii() or not value.isdigit() or not int(value):
        raise click.BadParameter(f"{value!r} is neither 'auto' nor a number of processes, 1 or more.")
    return int(value)


_CODES: Any = {"multiple": True, "metavar": "CODES", "shell_complete": shell.codes}
_TARGET: Any = {"metavar": "cuda|accelerator|project", "shell_complete": shell.targets}
_JOBS: Any = {
    "metavar": "N|auto",
    "default": "auto",
    "show_default": True,
    "callback": _jobs,
    "shell_complete": shell.jobs,
}

_CHOICE = (
    click.option("--select", **_CODES, help="Run only these rules: codes or prefixes, or ALL."),
    click.option("--ignore", **_CODES, help="Do not run these rules."),
    click.option("--extend-select", **_CODES, help="Run these rules too."),
    click.option("--target", **_TARGET, help="What a device becomes."),
    click.option("--device", metavar="EXPRESSION", help="The project's own device, with --target project."),
    click.option("--device-import", metavar="IMPORT", help="The import that --device needs."),
    click.option("--torch-min-version", metavar="VERSION", help="The oldest torch that fixed code must run on."),
    click.option("--document-code/--no-document-code", default=None, help="Also Python in Markdown and .rst files."),
    click.option("--docstring-code/--no-docstring-code", default=None, help="Also examples in docstrings."),
    click.option("--config", type=click.Path(), metavar="FILE", help="Use this configuration file for all files."),
    click.option("--isolated", is_flag=True, help="Read no configuration file."),
    click.option("--exclude", multiple=True, metavar="PATTERNS", help="Leave out these files, and no default ones."),
    click.option("--extend-exclude", multiple=True, metavar="PATTERNS", help="Leave out these files too."),
    click.option("--force-exclude/--no-force-exclude", default=None, help="Exclude even files that are named."),
    click.option(
        "--respect-gitignore/--no-respect-gitignore", default=None, help="Leave out what git ignores (default)."
    ),
)
"""Which files to look at, and what for."""

_OUTCOME = (
    click.option(
        "--unsafe-fixes/--no-unsafe-fixes", default=None, help="Also fixes that may change what a program does."
    ),
    click.option("--diff", is_flag=True, help="Show what fixes would change, and write nothing."),
    click.option("--diff-base", metavar="REV", help="Only findings on lines that changed since HEAD left REV (git)."),
    click.option("--baseline", type=click.Path(), metavar="FILE", help="Only findings that FILE does not list."),
    click.option("--no-baseline", is_flag=True, help="Also findings that a configured baseline lists."),
    click.option("--output-format", type=click.Choice(tuple(FORMATS)), default="text", show_default=True),
    click.option("--statistics", is_flag=True, help="Count findings by rule instead of showing them."),
    click.option("-q", "--quiet", is_flag=True, help="Print findings and nothing else."),
    click.option("--color", type=click.Choice(COLOURS), default="auto", show_default=True),
    click.option("--exit-zero", is_flag=True, help="Exit with 0 even where there are findings."),
    click.option("--exit-non-zero-on-fix", is_flag=True, help="Exit with 1 even where all findings were fixed."),
    click.option("--no-cache", is_flag=True, help="Look at every file anew, and keep nothing."),
    click.option("--cache-dir", type=click.Path(), metavar="DIR", help="Keep what was found here for the next run."),
    click.option("-j", "--jobs", **_JOBS, help="How many processes to use at most."),
    click.option("--stdin-filename", metavar="PATH", help="The name of what is read from standard input."),
)
"""What becomes of findings."""


def run_options(command: Command) -> Command:
    """Give a command the paths and options of a run."""
    return selection_options(_with(command, _OUTCOME))


def selection_options(command: Command) -> Command:
    """Give a command the paths of a run, and the options that say what to look for."""
    return click.argument("paths", nargs=-1, type=click.Path(), metavar="[PATHS]...")(_with(command, _CHOICE))


def _with(command: Command, options: Sequence[Callable[[Command], Command]]) -> Command:
    for option in reversed(options):
        command = option(command)
    return command
