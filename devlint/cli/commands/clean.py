"""``devlint clean``."""

from __future__ import annotations

import os
from typing import Any

import click

from devlint.cli.commands.click_options import options_for
from devlint.cli.output.style import visible
from devlint.config.finder import ConfigFinder
from devlint.config.option_table import overrides
from devlint.core.errors import DevlintError


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(exists=True), metavar="[PATHS]...")
@options_for("clean")
def clean(paths: tuple[str, ...], **values: Any) -> int:
    """Delete the caches below PATHS, and the one that --cache-dir or the configuration names.

    PATHS are folders, by default the current one. Only files that devlint has written are deleted, and only in folders
    that it has made for them.
    """
    from devlint.engine.cache import folder, folder_of

    finder = ConfigFinder(overrides(values), values["config"], values["isolated"], baselines=False)
    found: dict[str, str] = {}
    for path in paths or (os.curdir,):
        absolute = os.path.abspath(path)
        configured = folder_of(finder.settings(absolute if os.path.isdir(absolute) else os.path.dirname(absolute)))
        for one in (*folder.below(path), *([configured] if os.path.isdir(configured) else ())):
            found.setdefault(os.path.realpath(one), visible(one))
    ours = [one for one in found if folder.is_ours(one)]
    for one in ours:
        try:
            folder.remove(one)
        except OSError as error:
            raise DevlintError(f"{found[one]}: cannot be removed: {error.strerror}") from None
        click.echo(f"Removed {found[one]}")
    for one in found:
        if one not in ours:
            click.echo(f"error: {found[one]}: is no cache of devlint's, left alone", err=True)
    if not found:
        click.echo("No cache found.")
    return 0 if len(ours) == len(found) else 2
