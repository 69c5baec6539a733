"""The values of the options of ``check`` and ``fix``: what they come to in a configuration; knows no click."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

DEFAULTS: dict[str, Any] = {
    "baseline": None,
    "cache_dir": None,
    "color": "auto",
    "config": None,
    "device": None,
    "device_import": None,
    "diff": False,
    "diff_base": None,
    "docstring_code": None,
    "document_code": None,
    "exclude": (),
    "exit_non_zero_on_fix": False,
    "exit_zero": False,
    "extend_exclude": (),
    "extend_select": (),
    "force_exclude": None,
    "ignore": (),
    "isolated": False,
    "jobs": None,
    "no_baseline": False,
    "no_cache": False,
    "output_format": "text",
    "quiet": False,
    "respect_gitignore": None,
    "select": (),
    "statistics": False,
    "stdin_filename": None,
    "target": None,
    "torch_min_version": None,
    "unsafe_fixes": None,
}
"""What the options of a run are where none is given, as click has them; a test compares the two."""
COLOURS = ("auto", "always", "never")

_LISTS = ("select", "extend-select", "ignore", "exclude", "extend-exclude")
_SETTINGS = (
    "target device device-import torch-min-version document-code docstring-code unsafe-fixes force-exclude baseline"
).split()


def overrides(values: Mapping[str, Any]) -> dict[str, object]:
    """The options that stand in for keys of a configuration file, under those keys."""
    found: dict[str, object] = {}
    for key in _LISTS:
        items = list(_split(values[key.replace("-", "_")]))
        if items:
            found[key] = items
    for key in (*_SETTINGS, "respect-gitignore"):
        value = values.get(key.replace("-", "_"))
        if value is not None:
            found[key] = value
    found.update(cache_dir(values))
    if values.get("no_baseline"):
        found["baseline"] = False
    return found


def cache_dir(values: Mapping[str, Any]) -> dict[str, object]:
    """Where the option, or else the environment, says that results are kept."""
    folder = values.get("cache_dir") or os.environ.get("DEVLINT_CACHE_DIR")
    return {"cache-dir": folder} if folder else {}


def _split(values: Iterable[str]) -> Iterable[str]:
    """The items of comma lists."""
    return (item.strip() for value in values for item in value.split(",") if item.strip())
