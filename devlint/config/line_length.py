"""The length of lines that a project asks for, in the configuration of its formatter, linter or sorter of imports."""

from __future__ import annotations

import configparser
import os
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from devlint.core.toml import TOMLError, load_toml

_BLACK = 88
"""What Black and Ruff take where nothing is said."""
_INI = ("setup.cfg", "tox.ini", ".flake8", ".pycodestyle", ".style.yapf")
_INI_KEYS = (
    ("flake8", "max-line-length"),
    ("flake8", "max_line_length"),
    ("pycodestyle", "max-line-length"),
    ("pycodestyle", "max_line_length"),
    ("pep8", "max-line-length"),
    ("autopep8", "max_line_length"),
    ("yapf", "column_limit"),
    ("style", "column_limit"),
    ("isort", "line_length"),
)
_TOML_KEYS = (
    ("ruff", "line-length"),
    ("black", "line-length"),
    ("flake8", "max-line-length"),
    ("autopep8", "max_line_length"),
    ("yapf", "column_limit"),
    ("isort", "line_length"),
)


def line_length(folder: str) -> int | None:
    """The length for files in a folder, from the nearest folder that says one; None where nobody does."""
    while True:
        found, is_last = of_folder(folder)
        if is_last:
            return found
        folder = os.path.dirname(folder)


@lru_cache(maxsize=256)
def of_folder(folder: str) -> tuple[int | None, bool]:
    """The length that a folder itself says, and whether those above it do not count."""
    found = next(_said_in(folder), None)
    is_top = os.path.dirname(folder) == folder or os.path.exists(os.path.join(folder, ".git"))
    return found, is_top or found is not None


def _said_in(folder: str) -> Iterator[int]:
    """What the files of one folder say, those of formatters first."""
    for name in ("ruff.toml", ".ruff.toml"):
        table = _toml(os.path.join(folder, name))
        if table is not None:
            yield _number(table.get("line-length")) or _BLACK
    tools = (_toml(os.path.join(folder, "pyproject.toml")) or {}).get("tool")
    tools = tools if isinstance(tools, dict) else {}
    yield from filter(None, (_number(_table(tools, tool).get(key)) for tool, key in _TOML_KEYS))
    for name in _INI:
        ini = _ini(os.path.join(folder, name))
        if ini is not None:
            yield from filter(None, (_number(ini.get(part, key, fallback=None)) for part, key in _INI_KEYS))
    if "black" in tools or "ruff" in tools:
        yield _BLACK


def _table(tools: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    table = tools.get(name)
    return table if isinstance(table, dict) else {}


def _number(value: object) -> int | None:
    """A length that somebody may mean; 0 and very long lines say that there is none."""
    text = str(value).strip()
    return int(text) if text.isascii() and text.isdigit() and 40 <= int(text) <= 1000 else None


def _read(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read(1_000_000)
    except (OSError, ValueError):
        return None


def _toml(path: str) -> Mapping[str, Any] | None:
    text = _read(path)
    try:
        return load_toml(text) if text is not None else None
    except TOMLError:
        return None


def _ini(path: str) -> configparser.RawConfigParser | None:
    text = _read(path)
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(text or "")
    except configparser.Error:
        return None
    return parser if text is not None else None
