"""``devlint observe``."""

from __future__ import annotations

import sys

import click

from devlint.cli.commands.click_options import options_for
from devlint.cli.output.style import Style, visible
from devlint.cli.terminal import use_colour
from devlint.core.lazy_regex import regex

_MADE = regex(r"(\S+:\d+:\d+|\(in other code\))(: .*)?")
_MEETS = regex(r"(    meets )(\S+)( at )(\S+)(: .*)?")


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option(
    "--paths",
    multiple=True,
    type=click.Path(exists=True),
    metavar="PATH",
    help="The files and folders to report on; default: all code that is not installed.",
)
@click.option(
    "--output-format",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
    help="How to print what was seen; with json, the command's own output goes to standard error.",
)
@click.option(
    "--devices",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    metavar="N",
    help="How many devices to simulate.",
)
@click.option(
    "--python",
    metavar="PATH",
    help="The Python or virtual environment of the command; default: the active one, or the project's.",
)
@options_for("observe")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def observe(
    paths: tuple[str, ...], output_format: str, devices: int, python: str | None, color: str, command: tuple[str, ...]
) -> int:
    """Run COMMAND on a GPU, and report where tensors on the CPU were made that meet others on the device.

    The GPU is simulated where there is none. Where tensors of two devices meet, they are moved and the program goes
    on, so one run finds all. What is found is also kept in .devlint/observed.json, for `devlint check --observed`.
    Exit codes: 0 no tensors of two devices met, 1 some did, 2 the command could not be observed, or failed.
    """
    from devlint.config.finder import ConfigFinder
    from devlint.sources.discovery import Found, discover
    from devlint.verify.observing.command import ObservedCommand
    from devlint.verify.observing.report import ObservedReport
    from devlint.verify.observing.store import store_observed

    code, seen = ObservedCommand(command, paths, python, devices).run(
        output=sys.stderr.fileno() if output_format == "json" else None, may_be_interrupted=True
    )
    store_observed(seen)
    found = discover(paths or (".",), ConfigFinder(baselines=False))
    files = [one.absolute for one in found if isinstance(one, Found) and one.path.endswith(".py")]
    report = ObservedReport(seen, code, files)
    if output_format == "json":
        click.echo(report.as_json())
    else:
        style = Style(use_colour(color, sys.stdout))
        headline, *lines = map(visible, report.as_text().splitlines())
        shown = [style(headline, "bold", "red" if report.exit_code == 1 else "green")]
        click.echo("\n".join(shown + [_coloured(line, style) for line in lines]), color=True)
    return report.exit_code


def _coloured(line: str, style: Style) -> str:
    """A line of the report, with the places and devices in it made visible."""
    if made := _MADE.fullmatch(line):
        return style(made[1], "bold", "cyan") + (made[2] or "")
    if meets := _MEETS.fullmatch(line):
        return f"{meets[1]}{style(meets[2], 'red')}{meets[3]}{style(meets[4], 'cyan')}{meets[5] or ''}"
    return style(line, "bold") if line.endswith(":") and not line.startswith(" ") else line
