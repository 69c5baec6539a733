"""``devlint report``."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Any

import click

from devlint.cli.commands.click_options import options_for, paths_argument
from devlint.cli.output.style import visible
from devlint.config.finder import ConfigFinder
from devlint.config.option_table import overrides
from devlint.core.errors import DevlintError
from devlint.report.formats import REPORT_FORMATS, format_of, rendered_report

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devlint.report.model import ProvenRun


@click.command()
@paths_argument
@options_for("report")
@click.option("-o", "--output", type=click.Path(dir_okay=False), metavar="FILE", help="The file to write.")
@click.option(
    "--format",
    "format_name",
    type=click.Choice(tuple(REPORT_FORMATS)),
    help="How to write it; default: as the name of FILE ends, else html.",
)
@click.option("-q", "--quiet", is_flag=True, help="Say nothing of what was written, and show no progress.")
@click.option("--title", default="", metavar="TEXT", help="The title; default: the name of the folder.")
@click.option(
    "--verify", metavar="COMMAND", help="Also run COMMAND with and without safe fixes, and say what it shows."
)
@click.option(
    "--verdicts",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    help="Also say what `devlint verify --output-format json` has printed into FILE.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    default=300,
    show_default=True,
    metavar="SECONDS",
    help="With --verify: how long a run of COMMAND may take.",
)
@click.option(
    "--python",
    metavar="PATH",
    help="With --verify: the Python or virtual environment; default: the active one, or the project's.",
)
def report(paths: tuple[str, ...], output: str | None, format_name: str | None, **values: Any) -> int:
    """Write a report on PATHS for whoever plans to make them portable: what works, what fixes do, what blocks.

    PATHS are files and folders, by default the current folder. Without -o the report goes to standard output. Exit
    codes: 0 it was written, whatever it says; 2 something could not be done, and what was left out is in the report.
    """
    from devlint.cli.lint import progress_bar
    from devlint.report.survey import migration_report

    if "-" in paths:
        raise click.UsageError("there is no report on standard input")
    chosen = format_name or (format_of(output) if output else None) or "html"
    if chosen == "html":
        from devlint.report.pages import require_templates

        require_templates()  # before any work is done
    paths = paths or (os.curdir,)
    finder = ConfigFinder(
        overrides(values), values["config"], values["isolated"], baselines=False, observed=values["observed"]
    )
    progress = progress_bar(paths, finder, values["quiet"])
    made = migration_report(
        paths,
        finder,
        values["jobs"],
        caching=not values["no_cache"] and not values["observed"],
        watch=progress.watch if progress else iter,
        title=values["title"],
        without=os.path.abspath(output) if output else "",
    )
    made = made.replace(proofs=tuple(_proofs(paths, finder, [one.path for one in made.files], values)))
    for path, said in made.failures:
        click.echo(f"error: {visible(path)}: {said}", err=True)
    _write(output, rendered_report(chosen, made))
    if output and not values["quiet"]:
        click.echo(_summary(output, made))
    return 2 if made.failures else 0


def _proofs(
    paths: tuple[str, ...], finder: ConfigFinder, files: list[str], values: dict[str, Any]
) -> Iterator[ProvenRun]:
    """What runs have shown, and what the one that was asked for shows."""
    from devlint.report import proofs

    for one in values["verdicts"]:
        yield from proofs.read_verdicts(one)
    yield from proofs.observed_run(os.getcwd(), files)
    if values["verify"] is not None:
        from devlint.verify.interpreter import find_python
        from devlint.verify.observer import Observer
        from devlint.verify.program import Limits

        if not shlex.split(values["verify"]):
            raise click.UsageError("--verify needs a command")
        with Observer(Limits(values["timeout"]), find_python(values["python"])) as observer:
            yield proofs.tried_command(observer, finder, paths, values["verify"])


def _write(output: str | None, text: str) -> None:
    """Write the report; a file that stands there is replaced in one step."""
    from devlint.core.file_reading import real_path
    from devlint.sources.file_writing import replace_file

    data = text.encode("utf-8", "replace")
    if output is None:
        click.echo(data, nl=False)
        return
    path = real_path(output)
    try:
        if os.path.exists(path) and not os.path.isfile(path):  # a pipe, or /dev/null
            with open(path, "wb") as file:
                file.write(data)
        else:
            replace_file(path, data)
    except OSError as error:
        raise DevlintError(f"{visible(output)}: cannot be written: {error.strerror}") from None


def _summary(output: str, made: Any) -> str:
    """The line that says what was written."""
    tally = made.tally
    shares = f"{tally.portable_share:.0%} portable, {tally.safe_share:.0%} after safe fixes"
    found = f"{tally.finding_count:,} finding{'' if tally.finding_count == 1 else 's'}"
    files = f"{tally.file_count:,} file{'' if tally.file_count == 1 else 's'}"
    return f"Wrote {visible(output)}: {found} in {files}; {shares}."
