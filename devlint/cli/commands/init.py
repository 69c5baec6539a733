"""``devlint init``."""

from __future__ import annotations

import os

import click

from devlint.cli.output.style import visible


@click.command()
@click.argument("folder", default=".", type=click.Path(exists=True, file_okay=False))
@click.option("--stdout", "to_stdout", is_flag=True, help="Print the configuration instead of writing it.")
def init(folder: str, to_stdout: bool) -> int:
    """Look at the project in FOLDER, and write a first configuration with comments for it.

    It is appended to pyproject.toml if there is one, otherwise written to devlint.toml. Nothing is written if devlint
    is already configured there.
    """
    from devlint.config.init_template import place, starter, write_starter
    from devlint.config.project_survey import survey

    root = os.path.abspath(folder)
    seen = survey(root)
    text = starter(seen, os.path.basename(place(root)) == "pyproject.toml")
    if to_stdout:
        click.echo(text, nl=False)
        return 0
    path = write_starter(root, text)
    uses = f"{seen.torch_files} of {seen.files} Python files speak of torch"
    click.echo(f"{uses}.\nWrote a configuration to {visible(os.path.relpath(path))}. Next: devlint check")
    return 0
