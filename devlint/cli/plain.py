"""Reads the command lines of every day, ``devlint check PATHS``, so that click need not be imported for them."""

from __future__ import annotations

import os

from devlint.cli.output.formats import FORMATS
from devlint.cli.values import COLOURS, DEFAULTS
from devlint.engine.report import Mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MODES = {"check": Mode.CHECK, "fix": Mode.FIX}
_FLAGS = {
    "-q": "quiet",
    "--quiet": "quiet",
    "--diff": "diff",
    "--exit-zero": "exit_zero",
    "--force-exclude": "force_exclude",
    "--isolated": "isolated",
    "--no-cache": "no_cache",
    "--unsafe-fixes": "unsafe_fixes",
}
"""Options without a value that are set more often than others, by editors, pre-commit and CI."""
_VALUED = {
    "--cache-dir": "cache_dir",
    "--color": "color",
    "--config": "config",
    "--extend-select": "extend_select",
    "--ignore": "ignore",
    "--jobs": "jobs",
    "--output-format": "output_format",
    "--select": "select",
    "--target": "target",
    "--torch-min-version": "torch_min_version",
}
_CHOICES = {"color": COLOURS, "output_format": FORMATS}
_EXPANDED = frozenset("*?[~$%")
"""What click makes other names of, on Windows."""


def plain(arguments: list[str]) -> tuple[tuple[str, ...], Mode, dict[str, Any]] | None:
    """Paths, mode and values of options; None for a command line that is more, or wrong, and click's to read."""
    if not arguments or arguments[0] not in _MODES or os.environ.get("_DEVLINT_COMPLETE"):
        return None
    values, paths = dict(DEFAULTS), []
    rest = iter(arguments[1:])
    for argument in rest:
        if _EXPANDED.intersection(argument):
            return None
        if argument in _FLAGS:
            values[_FLAGS[argument]] = True
        elif argument.startswith("-"):
            name, is_joined, text = argument.partition("=")
            if not _set(values, _VALUED.get(name, ""), text if is_joined else next(rest, "-")):
                return None
        elif os.access(argument, os.R_OK):
            paths.append(argument)
        else:
            return None
    return tuple(paths), _MODES[arguments[0]], values


def _set(values: dict[str, Any], key: str, text: str) -> bool:
    """Give an option its value; False where click is to say what it thinks of that."""
    if not key or text.startswith("-") or _EXPANDED.intersection(text) or text not in _CHOICES.get(key, (text,)):
        return False
    if key == "jobs":
        values[key] = int(text) if text.isascii() and text.isdigit() else 0
        return bool(values[key])
    values[key] = (*values[key], text) if isinstance(values[key], tuple) else text
    return True
