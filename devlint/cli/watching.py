"""``devlint check --watch``: checks again whenever a file changes, until it is interrupted."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from devlint.cli import lint
from devlint.cli.terminal import is_terminal
from devlint.config.finder import NAMES
from devlint.config.settings import DEFAULT_EXCLUDE
from devlint.core.errors import DevlintError
from devlint.core.file_reading import real_path
from devlint.engine.report import Mode
from devlint.sources.discovery import is_below, is_looked_at

if TYPE_CHECKING:
    from collections.abc import Iterable

_WAIT = 100
"""Milliseconds before the first check, and between two looks at what has changed."""
_CLEAR = "\x1b[2J\x1b[3J\x1b[H"
_CONFIGURATION = (*NAMES, ".gitignore", "setup.cfg", "setup.py", "requirements.txt", "README.md", "README.rst")
"""Files that decide what is found in others."""
_INTERNAL = frozenset(DEFAULT_EXCLUDE)


def check_on_change(paths: tuple[str, ...], values: dict[str, Any]) -> int:
    """Check the paths now and after every change; returns when it is interrupted."""
    if "-" in paths or values["stdin_filename"]:
        raise click.UsageError("--watch goes with files and folders, not with standard input")
    try:
        from watchfiles import watch
    except ImportError:
        raise DevlintError("--watch needs watchfiles: pip install 'devlint[watch]'") from None
    watched = Watched(paths or (".",), values["output_file"])
    changes = watch(
        *watched.folders,
        watch_filter=lambda _, path: watched.concerns(path),
        raise_interrupt=True,
        rust_timeout=_WAIT,
        yield_on_timeout=True,
    )
    try:
        next(changes)  # from now on no change is missed
        _check(paths, values)
        for changed in changes:
            if changed:
                _check(paths, values)
    except KeyboardInterrupt:
        click.echo(err=True)
    return 0


class Watched:
    """Files and folders, and which changes below them may change what is found."""

    def __init__(self, paths: Iterable[str], output: str | None = None) -> None:
        """``output`` is the file that each run writes; raises DevlintError where a path does not exist."""
        named = [real_path(path) for path in paths]
        missing = [path for path in named if not os.path.exists(path)]
        if missing:
            raise DevlintError(f"{os.path.relpath(missing[0])}: No such file or directory")
        self._files = {path for path in named if not os.path.isdir(path)}
        self._roots = [path for path in named if os.path.isdir(path)]
        self._output = output and real_path(output)
        # Of a file, the folder is watched: editors put another file in its place.
        self.folders = sorted({*self._roots, *map(os.path.dirname, self._files)})

    def concerns(self, path: str) -> bool:
        """Whether a change of this file may change what is found."""
        name = os.path.basename(path)
        if path == self._output or name.startswith(".devlint-"):
            return False
        if path in self._files or (name in _CONFIGURATION and os.path.dirname(path) in self.folders):
            return True
        for root in self._roots:
            if is_below(path, root):
                parts = os.path.relpath(path, root).split(os.sep)
                # A new folder may hold files that came before it was watched.
                is_wanted = is_looked_at(name) or name in _CONFIGURATION or os.path.isdir(path)
                return _INTERNAL.isdisjoint(parts) and is_wanted
        return False


def _check(paths: tuple[str, ...], values: dict[str, Any]) -> None:
    """Check once; what cannot be done is said, and does not end the watch."""
    if is_terminal(sys.stdout):
        click.echo(_CLEAR, nl=False)
    try:
        lint.run_lint(paths, Mode.CHECK, values)
    except (DevlintError, OSError) as error:
        click.echo(f"error: {error}", err=True)
    click.echo("Watching for changes; Ctrl-C ends devlint.", err=True)
