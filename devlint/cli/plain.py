"""Reads the command lines of every day, ``devlint check PATHS``, so that click need not be imported for them."""

from __future__ import annotations

import os

from devlint.cli.values import DEFAULTS
from devlint.report import Mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

_MODES = {"check": Mode.CHECK, "fix": Mode.FIX}
_FLAGS = {
    "-q": "quiet",
    "--quiet": "quiet",
    "--force-exclude": "force_exclude",
    "--isolated": "isolated",
    "--no-cache": "no_cache",
}
"""Options without a value that are set more often than others, by editors and pre-commit."""
_EXPANDED = frozenset("*?[~$%")
"""What click makes other names of, on Windows."""


def plain(arguments: list[str]) -> Optional[tuple[tuple[str, ...], Mode, dict[str, Any]]]:
    """Paths, mode and values of options; None for a command line that is more, or wrong, and click's to read."""
    if not arguments or arguments[0] not in _MODES or os.environ.get("_DEVLINT_COMPLETE"):
        return None
    values, paths = dict(DEFAULTS), []
    for argument in arguments[1:]:
        if argument in _FLAGS:
            values[_FLAGS[argument]] = True
        elif argument.startswith("-") or _EXPANDED.intersection(argument) or not os.access(argument, os.R_OK):
            return None
        else:
            paths.append(argument)
    return tuple(paths), _MODES[arguments[0]], values
