"""The commands, one module each, imported when that command is asked for; click reads their options."""

from __future__ import annotations

import importlib

import click

from devlint.cli.version import versions

COMMANDS = {
    "check": ("check", "Find code that runs on one kind of device only."),
    "fix": ("check", "Rewrite code so that it runs on any device."),
    "baseline": ("baseline", "Record the current findings, so that only new ones are reported."),
    "report": ("report", "Write a report for whoever plans to make a project portable."),
    "rules": ("rules", "List all rules."),
    "explain": ("rules", "Print the manual of a rule."),
    "clean": ("clean", "Delete the caches of earlier runs."),
    "init": ("init", "Write a first configuration for a project."),
    "observe": ("observe", "Run a command, and find the tensors that are on the wrong device."),
    "server": ("server", "Check files in an editor while they are written."),
    "simulate": ("simulate", "Run a program with simulated CUDA devices."),
    "verify": ("verify", "Run programs before and after fixes, and compare what they do."),
    "fleet": ("fleet", "Check thousands of repositories, here or on a cluster."),
    "completion": ("completion", "Print the script for completion in a shell."),
}
"""The module in which each command is defined under its own name, and its line in the list of commands."""


class _Commands(click.Group):
    """Imports the module of a command when the command is asked for."""

    def list_commands(self, _context: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module, help_text = COMMANDS[name]
        command: click.Command = getattr(importlib.import_module(f"devlint.cli.commands.{module}"), name)
        command.short_help = help_text
        return command

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_text) for name, (_, help_text) in sorted(COMMANDS.items())])


def _show_version(context: click.Context, _parameter: object, wanted: bool) -> None:
    """Print the versions and exit."""
    if wanted and not context.resilient_parsing:
        click.echo(versions(), nl=False)
        context.exit()


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "-V",
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_show_version,
    help="Show the versions of devlint, Python, LibCST and torch, and exit.",
)
def command_line() -> None:
    """Find PyTorch code that runs on one kind of device only, and rewrite it so that it runs on any."""


def run(arguments: list[str] | None) -> int:
    """Run a command, and return its exit code."""
    try:
        code: int | None = command_line.main(
            arguments, prog_name="devlint", standalone_mode=False, obj=arguments is None
        )
    except click.ClickException as error:
        error.show()
        return 2
    except click.Abort:
        raise KeyboardInterrupt from None
    return code or 0
