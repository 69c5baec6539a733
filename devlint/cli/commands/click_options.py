"""The options of the table as click takes them; their values are checked where those of a configuration file are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from devlint.cli.commands import completion
from devlint.config.option_table import Option, options_of

Command = Callable[..., Any]


def options_for(command: str) -> Callable[[Command], Command]:
    """Give a function the options of a command."""

    def decorate(function: Command) -> Command:
        for option in reversed(list(options_of(command))):
            function = _click_option(option)(function)
        return function

    return decorate


def paths_argument(function: Command) -> Command:
    """Give a function the files and folders to look at."""
    return click.argument("paths", nargs=-1, type=click.Path(readable=False), metavar="[PATHS]...")(function)


def _click_option(option: Option) -> Callable[[Command], Command]:
    """One option as click has it."""
    names = [f"-{option.short}"] * bool(option.short) + [f"--{option.name}"]
    given: dict[str, Any] = {"help": option.help, "default": option.default}
    if option.kind == "flag":
        given["is_flag"] = True
    elif option.kind == "switch":
        names = [f"--{option.name}/--no-{option.name}"]
    elif option.kind == "choice":
        given.update(type=click.Choice(option.choices), show_default=True)
    else:
        given.update(metavar=option.value, shell_complete=_completion(option))
    if option.kind == "path":
        given["type"] = click.Path()
    elif option.kind == "list":
        given["multiple"] = True
    elif option.kind == "jobs":
        given.update(default="auto", show_default=True, callback=_jobs)
    return click.option(*names, **given)


def _completion(option: Option) -> Any:
    """What completes the value of an option in a shell; None for click's own."""
    if option.value == "CODES":
        return completion.codes
    if not option.choices:
        return None
    return lambda _context, _parameter, typed: [one for one in option.choices if one.startswith(typed)]


def _jobs(_context: object, _parameter: object, value: str) -> int | None:
    """The number of processes; None for as many as make the run faster."""
    if value == "auto":
        return None
    if not value.isascii() or not value.isdigit() or not int(value):
        raise click.BadParameter(f"{value!r} is neither 'auto' nor a number of processes, 1 or more.")
    return int(value)
