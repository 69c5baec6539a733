"""The command line as click has it; the module of a command is imported when that command is asked for."""

from __future__ import annotations

import importlib

import click

from devlint.cli.version import versions

COMMANDS = {
    "check": ("check", "Find code that is tied to one kind of device."),
    "fix": ("check", "Rewrite code so that it runs on any device."),
    "baseline": ("baseline", "List the findings of today, so that only new ones show."),
    "rules": ("manual", "List all rules."),
    "explain": ("manual", "Print the manual of a rule."),
    "clean": ("clean", "Remove what earlier runs have kept."),
    "init": ("init", "Look at the project, and write a first configuration."),
    "simulate": ("simulate", "Run a program as on a computer with CUDA."),
    "verify": ("verify", "Run programs as they are and as fixed, and compare what they do."),
    "completion": ("shell", "Print the script that completes commands in a shell."),
}
"""The module of each command, where it stands under its own name, and what the list of commands says of it."""


class _Commands(click.Group):
    """The commands of the table."""

    def list_commands(self, _context: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module, help_text = COMMANDS[name]
        command: click.Command = getattr(importlib.import_module(f"devlint.cli.{module}"), name)
        command.short_help = help_text
        return command

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_text) for name, (_, help_text) in sorted(COMMANDS.items())])


def _show_version(context: click.Context, _parameter: object, wanted: bool) -> None:
    """Print the versions and leave."""
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
    help="Show the versions of devlint, Python, LibCST and torch, and leave.",
)
def command() -> None:
    """Find and rewrite what ties PyTorch code to one kind of device."""


def run(arguments: list[str] | None) -> int:
    """Run a command line, and return its exit code."""
    try:
        code: int | None = command.main(arguments, prog_name="devlint", standalone_mode=False, obj=arguments is None)
    except click.ClickException as error:
        error.show()
        return 2
    except click.Abort:
        click.echo("interrupted", err=True)
        return 130
    return code or 0
