"""``devlint clean``."""

from __future__ import annotations

import os

import click

from devlint.cli.output.style import visible
from devlint.cli.values import cache_dir
from devlint.config.finder import ConfigFinder
from devlint.core.errors import DevlintError


@click.command(short_help="Remove what earlier runs have kept.")
@click.argument("paths", nargs=-1, type=click.Path(exists=True), metavar="[PATHS]...")
@click.option("--config", type=click.Path(), metavar="FILE", help="Use this configuration file for all paths.")
@click.option("--isolated", is_flag=True, help="Read no configuration file.")
@click.option("--cache-dir", type=click.Path(), metavar="DIR", help="Remove this cache too.")
def clean(paths: tuple[str, ...], config: str | None, isolated: bool, **values: str | None) -> int:
    """Remove the caches in PATHS (default: here), and those of the configuration that holds there.

    Nothing but what devlint has written goes, and only from folders that it has made for this.
    """
    from devlint.engine.cache import folder, folder_of

    finder = ConfigFinder(cache_dir(values), config, isolated, baselines=False)
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
