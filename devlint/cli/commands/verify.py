"""``devlint verify``."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import click

from devlint.cli.commands.click_options import options_for, paths_argument
from devlint.cli.output.style import visible
from devlint.config.finder import ConfigFinder
from devlint.config.option_table import overrides

if TYPE_CHECKING:
    from devlint.verify.comparing.verdict import Verdict
    from devlint.verify.observer import Observer
    from devlint.verify.rewrites.rewriting import Item

Command = Callable[..., Any]

_FOLDER: Any = {"type": click.Path(exists=True, file_okay=False), "metavar": "DIR"}


def limit_options(command: Command) -> Command:
    """Give a command the options that limit what a run may use."""
    for option in (
        click.option(
            "--pass-env",
            multiple=True,
            metavar="NAME",
            help="Let the programs see this variable of the environment although it looks like a secret.",
        ),
        click.option("--network", is_flag=True, help="Let the programs use the network."),
        click.option(
            "--memory",
            type=click.FloatRange(0.1),
            default=8,
            show_default=True,
            metavar="GIB",
            help="How much memory a run may take.",
        ),
        click.option(
            "--timeout",
            type=click.FloatRange(0, min_open=True),
            default=300,
            show_default=True,
            metavar="SECONDS",
            help="How long a run may take.",
        ),
        click.option(
            "--data",
            multiple=True,
            type=click.Path(exists=True),
            metavar="PATH",
            help="Copy this into the folder where the programs run.",
        ),
    ):
        command = option(command)
    return command


@click.command()
@paths_argument
@options_for("verify")
@click.option("--before", **_FOLDER, help="Compare the programs in this folder with those in --after.")
@click.option("--after", **_FOLDER, help="The other folder; PATHS are names in both.")
@click.option("--args", default="", metavar="ARGUMENTS", help='The arguments of the programs, such as "--epochs 1".')
@click.option(
    "--on",
    multiple=True,
    metavar="SETTINGS",
    help="Where to run: cpu, simulated, cuda, xpu, mps; default: all there are.",
)
@click.option(
    "--python",
    metavar="PATH",
    help="The Python or virtual environment that runs the programs; default: the active one, or the project's.",
)
@limit_options
@click.option(
    "--output-format",
    type=click.Choice(("text", "json", "junit")),
    default="text",
    show_default=True,
    help="How to print the verdicts.",
)
def verify(paths: tuple[str, ...], before: str | None, after: str | None, **values: Any) -> int:
    """Run the programs in PATHS as they are and as `devlint fix` would write them, and compare what they do.

    Each runs on the CPU, on a simulated GPU and on every accelerator of this computer, in a temporary folder, without
    network. In a folder with run.toml, that file says how to run its program. Exit codes: 0 all behave the same, 1 one
    behaves differently, 2 one cannot be compared, or runs none of the changed lines.
    """
    from devlint.engine.parallel.start_methods import usable_cpus
    from devlint.verify import reports
    from devlint.verify.comparing.verdict import exit_code
    from devlint.verify.interpreter import find_python
    from devlint.verify.observer import Observer

    if (before is None) != (after is None):
        raise click.UsageError("--before and --after go together")
    if not paths and before is None:
        raise click.UsageError("which programs? devlint verify FILE…")
    jobs = values["jobs"] or usable_cpus()
    with Observer(limits_of(values), find_python(values["python"]), values["pass_env"], jobs) as observer:
        settings = _settings(values["on"], observer)
        found: list[Verdict] = []
        for verdict in _verdicts(observer, settings, _items(observer, paths, (before, after), values)):
            found.append(verdict)
            if values["output_format"] == "text":
                click.echo("\n".join(map(visible, reports.line(verdict).splitlines())))
    if values["output_format"] == "text":
        click.echo(reports.summary(found))
    else:
        click.echo(reports.as_json(found) if values["output_format"] == "json" else reports.as_junit(found))
    return exit_code(found)


def limits_of(values: dict[str, Any]) -> Any:
    """The limits that the options ask for."""
    from devlint.verify.program import Limits

    return Limits(values["timeout"], int(values["memory"] * (1 << 30)), network=values["network"])


def _settings(named: tuple[str, ...], observer: Observer) -> list[str]:
    """The names of the places to run in: the CPU, the simulated GPU, accelerators."""
    there = ["cpu", "simulated", *observer.accelerators]
    chosen = [name.strip() for one in named for name in one.split(",") if name.strip()] or there
    missing = [name for name in chosen if name not in there]
    if missing:
        raise click.UsageError(f"--on {missing[0]}: this computer has {', '.join(there)}")
    if observer.accelerators and not named:
        chosen.remove("simulated")  # a CUDA build with a GPU is not simulated on
    return chosen


def _items(
    observer: Observer, paths: tuple[str, ...], trees: tuple[str | None, str | None], values: dict[str, Any]
) -> Iterator[Item]:
    from devlint.verify.rewrites.rewriting import Rewriter, folders

    try:
        args = tuple(shlex.split(values["args"]))
    except ValueError as error:
        raise click.UsageError(f"--args: {error}") from None
    if trees[0] is not None and trees[1] is not None:
        return folders(trees[0], trees[1], paths, args, values["data"])
    finder = ConfigFinder(overrides(values), values["config"], values["isolated"], baselines=False)
    return Rewriter(finder, observer.folder("rewritten"), args, values["data"]).items(paths)


def _verdicts(observer: Observer, settings: list[str], items: Iterator[Item]) -> Iterator[Verdict]:
    from devlint.verify import matrix
    from devlint.verify.comparing.verdict import Verdict

    for item in items:
        yield item if isinstance(item, Verdict) else matrix.verify(observer, item, settings)
        observer.forget()
