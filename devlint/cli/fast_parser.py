"""Reads the usual command lines of ``check`` and ``fix``, so that click need not be imported for them."""

from __future__ import annotations

import os

from devlint.config.option_table import OPTIONS
from devlint.engine.report import Mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from devlint.config.option_table import Option

_MODES = {"check": Mode.CHECK, "fix": Mode.FIX}
_EXPANDED = frozenset("*?[~$%")
"""What click expands to file names or variables, on Windows."""


def parse_command_line(arguments: list[str]) -> tuple[tuple[str, ...], Mode, dict[str, Any]] | None:
    """Paths, mode and values of options; None for a command line that is wrong or not simple, and left to click."""
    if not arguments or arguments[0] not in _MODES or os.environ.get("_DEVLINT_COMPLETE"):
        return None
    options = {f"--{option.name}": option for option in OPTIONS}
    options.update({f"-{option.short}": option for option in OPTIONS if option.short})
    options.update({f"--no-{option.name}": option for option in OPTIONS if option.kind == "switch"})
    values, paths = {option.key: option.default for option in OPTIONS}, []
    rest = iter(arguments[1:])
    for argument in rest:
        name, is_joined, text = argument.partition("=") if argument.startswith("--") else (argument, "", "")
        option = options.get(name)
        if _EXPANDED.intersection(argument):
            return None
        if option is None:
            if argument.startswith("-") or not os.access(argument, os.R_OK):
                return None
            paths.append(argument)
        elif option.kind in ("flag", "switch"):
            if is_joined:
                return None
            values[option.key] = name != f"--no-{option.name}"
        elif not _set(values, option, text if is_joined else next(rest, "-")):
            return None
    return tuple(paths), _MODES[arguments[0]], values


def _set(values: dict[str, Any], option: Option, text: str) -> bool:
    """Give an option its value; False where that is left to click."""
    if text.startswith("-") or _EXPANDED.intersection(text):
        return False
    if option.kind == "choice" and text not in option.choices:
        return False
    if option.kind == "jobs":
        if not (text.isascii() and text.isdigit() and int(text)):
            return False
        values[option.key] = int(text)
    else:
        values[option.key] = (*values[option.key], text) if option.kind == "list" else text
    return True
