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


def quoted(path: str) -> str:
    """A path in the header of a patch, as git writes it: in quotes where a character would end or hide the name."""
    name = path.replace(os.sep, "/")
    if name.isprintable() and '"' not in name and "\\" not in name and name == name.strip():
        return f"{name}\t" if " " in name else name  # the tab ends a name with spaces
    return '"' + "".join(one if one.isprintable() and one not in ' "\\' else _octal(one) for one in name) + '"'


def _octal(character: str) -> str:
    """The bytes of a character as escapes of three digits."""
    return "".join(f"\\{byte:03o}" for byte in character.encode("utf-8", "surrogateescape"))


def uri(path: str) -> str:
    """A portable path as a URI reference: relative as it is, absolute with its scheme."""
    from urllib.parse import quote

    quoted = quote(path.encode("utf-8", "surrogateescape"), safe="/")
    if path.startswith("/"):
        return f"file://{quoted}"
    drive, colon, rest = quoted.partition("%3A/")
    return f"file:///{drive}:/{rest}" if colon and len(drive) == 1 else quoted
