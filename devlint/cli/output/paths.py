"""Paths in reports: relative to the repository and with forward slashes, so that they mean the same everywhere."""

from __future__ import annotations

import os
from types import ModuleType

_STDIN = "-"


def portable(path: str, root: str, flavour: ModuleType = os.path) -> str:
    """``path`` relative to ``root``, or absolute where it is not below it; ``flavour`` is ``os.path`` or its like."""
    if path == _STDIN:
        return path
    absolute = flavour.abspath(path)
    try:
        relative = flavour.relpath(absolute, root)
    except ValueError:  # another drive
        relative = flavour.pardir
    outside = relative.split(flavour.sep)[0] == flavour.pardir
    return str((absolute if outside else relative).replace(flavour.sep, "/"))


def uri(path: str) -> str:
    """A portable path as a URI reference: relative as it is, absolute with its scheme."""
    from urllib.parse import quote

    quoted = quote(path.encode("utf-8", "surrogateescape"), safe="/")
    if path.startswith("/"):
        return f"file://{quoted}"
    drive, colon, rest = quoted.partition("%3A/")
    return f"file:///{drive}:/{rest}" if colon and len(drive) == 1 else quoted
