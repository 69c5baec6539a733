"""The command line: parses and prints, decides nothing."""

from __future__ import annotations

import sys
from typing import Optional

import click

from devlint.cli.baseline import baseline
from devlint.cli.check import check, fix
from devlint.cli.init import init
from devlint.cli.manual import explain, rules
from devlint.cli.shell import completion
from devlint.cli.simulate import simulate
from devlint.cli.verify import verify
from devlint.cli.version import show_version
from devlint.errors import DevlintError


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "-V",
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=show_version,
    help="Show the versions of devlint, Python, LibCST and torch, and leave.",
)
def command() -> None:
    """Find and rewrite what ties PyTorch code to one kind of device."""


for subcommand in (check, fix, baseline, rules, explain, init, simulate, verify, completion):
    command.add_command(subcommand)


def main(arguments: Optional[list[str]] = None) -> None:
    """Run devlint and leave with its exit code: 0 clean, 1 findings, 2 it could not do its work."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a name or a line that the terminal cannot show must not end the run
            stream.reconfigure(errors="backslashreplace")
    try:
        code = command.main(arguments, prog_name="devlint", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        code = 2
    except DevlintError as error:
        click.echo(f"error: {error}", err=True)
        code = 2
    except click.Abort:
        click.echo("interrupted", err=True)
        code = 130
    sys.exit(code)
