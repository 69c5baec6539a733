"""``devlint fleet``."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from devlint.cli.commands.click_options import options_for
from devlint.cli.output.style import visible
from devlint.config.option_table import overrides
from devlint.core.errors import DevlintError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from devlint.fleet.audit import Audit, AuditRequest
    from devlint.fleet.partitions import PartitionOutcome

_EXTRA = "devlint fleet needs pyarrow: pip install 'devlint[fleet]'"


@click.group()
def fleet() -> None:
    """Check many repositories, on this computer or on a cluster, and report on them (docs/audits.md)."""
    try:
        import pyarrow  # noqa: F401
    except ModuleNotFoundError:
        raise DevlintError(_EXTRA) from None


@fleet.command("check")
@click.argument("input_path", metavar="INPUT", type=click.Path())
@click.option("--output", "-o", required=True, type=click.Path(), metavar="DIR", help="Where the tables go.")
@click.option(
    "--engine",
    type=click.Choice(("local", "ray", "spark")),
    default="local",
    show_default=True,
    help="What does the work.",
)
@click.option(
    "--jobs", "-j", type=click.IntRange(1), metavar="N", help="How many workers; default: as many as there are CPUs."
)
@click.option("--fix", "fixing", is_flag=True, help="Also keep what `devlint fix` would write.")
@options_for("fleet")
@click.option("--max-bytes", type=click.IntRange(1), metavar="N", help="Leave larger files alone; default: 1,000,000.")
@click.option(
    "--whole-repositories",
    is_flag=True,
    help="Rows of Parquet stand together by repository, so that its files know of one another.",
)
@click.option(
    "--partition-size", type=click.IntRange(1), metavar="N", help="How many files a worker does at a time; about 2,000."
)
def check_fleet(input_path: str, output: str, engine: str, jobs: int | None, **values: Any) -> int:
    """Check the repositories in INPUT, and write tables of findings (Parquet) into DIR.

    INPUT is Parquet (a file or a folder; columns for repository, path and content), a folder of repositories, or a
    text file with a git directory per line (after tabs: a revision and a name), which is read without a checkout. The
    repositories' own configurations are not read. What is done is not done again: the same command resumes a run.
    Exit codes: 0 nothing was found, 1 something was, 2 a repository cannot be read or a partition is not done.
    """
    from devlint.engine.parallel.start_methods import usable_cpus
    from devlint.fleet.audit import load_engine, open_audit

    run = load_engine(engine)
    audit = open_audit(_request(input_path, output, values))
    before = len(audit.done())
    outcomes = list(_watched(audit.run(run, jobs or usable_cpus()), audit.files))
    return _told(audit, outcomes, before)


def _watched(outcomes: Iterator[PartitionOutcome], files: int) -> Iterator[PartitionOutcome]:
    """The outcomes as they come, with a bar on a terminal that shows how many files are done."""
    if not sys.stderr.isatty():
        yield from outcomes
        return
    with click.progressbar(length=files, label="files", file=sys.stderr) as bar:
        for outcome in outcomes:
            yield outcome
            bar.update(outcome.files)


def _request(input_path: str, output: str, values: dict[str, Any]) -> AuditRequest:
    """What the options ask for; raises ConfigError for one that is wrong."""
    from devlint.fleet.audit import PARTITION_SIZE, AuditRequest
    from devlint.fleet.file_checker import FileChecker
    from devlint.fleet.options import FleetOptions
    from devlint.fleet.repository import UnknownTree

    given = {key.replace("-", "_"): value for key, value in overrides(values).items()}
    given.pop("cache_dir", None)
    fields: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in given.items()}
    if values["max_bytes"] is not None:
        fields["max_bytes"] = values["max_bytes"]
    options = FleetOptions(**fields, whole_repositories=values["whole_repositories"])
    FileChecker(UnknownTree(), options, fixing=False)
    return AuditRequest(input_path, output, options, values["fixing"], values["partition_size"] or PARTITION_SIZE)


def _told(audit: Audit, outcomes: list[PartitionOutcome], before: int) -> int:
    """Say what has become of a run, and return its exit code."""
    problems = [*audit.problems, *(f"partition {one.number}: {one.error}" for one in outcomes if one.error)]
    for problem in problems:
        click.echo(f"error: {visible(problem)}", err=True)
    findings = sum(one.findings for one in outcomes)
    failed = sum(one.failed for one in outcomes)
    click.echo(
        f"Checked {sum(one.files for one in outcomes):,} files in {len(outcomes):,} partitions"
        f"{f' ({before:,} of them before)' if before else ''}: {findings:,} findings"
        f"{f', {failed:,} files that cannot be checked' if failed else ''}."
    )
    if any(one.error for one in outcomes):
        click.echo("The same command does the missing partitions again.", err=True)
    return 2 if problems else 1 if findings else 0


@fleet.command("report")
@click.argument("output", metavar="DIR", type=click.Path())
@click.option("-o", "--page", required=True, type=click.Path(), metavar="FILE", help="Where the page goes.")
@click.option("--since", type=click.Path(), metavar="DIR", help="An earlier run to compare with.")
@click.option("--title", default="Audit", show_default=True, metavar="TEXT", help="What the page is about.")
def report_fleet(output: str, page: str, since: str | None, title: str) -> int:
    """Make a page of the run in DIR: a ranking of the repositories, rules by repository, and what has changed."""
    from devlint.fleet.overview import overview
    from devlint.fleet.page import overview_page
    from devlint.sources.file_writing import replace_file

    found = overview(output, since)
    text = overview_page(found, title, os.path.basename(os.path.abspath(since)) if since else "")
    try:
        replace_file(os.path.realpath(page), text.encode())
    except OSError as error:
        raise DevlintError(f"{visible(page)}: cannot be written: {error.strerror}") from None
    tally = found.tally
    click.echo(
        f"Wrote {visible(page)}: {tally.finding_count:,} findings in {len(found.repositories):,} repositories"
        f"{f'; {found.undone:,} partitions are not done' if found.undone else ''}."
    )
    return 0
