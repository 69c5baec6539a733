"""``devlint observe``."""

from __future__ import annotations

import sys

import click

from devlint.cli.output.style import visible


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
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def observe(
    paths: tuple[str, ...], output_format: str, devices: int, python: str | None, command: tuple[str, ...]
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
        click.echo("\n".join(map(visible, report.as_text().splitlines())))
    return report.exit_code
