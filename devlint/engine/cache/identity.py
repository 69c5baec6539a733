"""What results depend on besides files and settings: the code of devlint, LibCST and Python."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from devlint import __version__
from devlint.core.hashing import digest

_FORMAT = 2
"""Of the files of a cache."""


def code_digest() -> str:
    """A digest of all that; found without an import of LibCST, and in a millisecond."""
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    python = f"{sys.implementation.cache_tag} {sys.hexversion}"
    parts = (str(_FORMAT), __version__, python, _libcst(), _installed(package) or "\n".join(_files(package)))
    return digest("\0".join(parts).encode("utf-8", "surrogateescape"))


def _installed(package: str) -> str:
    """The digests of the files of a package as they were installed; two versions of a branch may share their number."""
    return _text(os.path.join(os.path.dirname(package), f"devlint-{__version__}.dist-info", "RECORD"))


def _files(package: str) -> Iterator[str]:
    """Sizes and times of the files of a package that somebody may be working on."""
    try:
        with os.scandir(package) as listing:
            entries = sorted(listing, key=lambda one: one.name)
    except OSError:  # in an archive, which has no times
        return
    for one in entries:
        if one.is_dir():
            if one.name != "__pycache__":
                yield from _files(one.path)
        elif one.name.endswith(".py"):
            status = one.stat()
            yield f"{one.path} {status.st_size} {status.st_mtime_ns}"


def _libcst() -> str:
    """The version of LibCST, as its own module has it: ``importlib.metadata`` takes longer than the rest of a run."""
    from importlib.machinery import PathFinder

    spec = PathFinder.find_spec("libcst")
    text = _text(os.path.join(os.path.dirname(spec.origin), "_version.py")) if spec and spec.origin else ""
    if text:
        return text
    from importlib.metadata import version

    return version("libcst")


def _text(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8", "surrogateescape")
    except OSError:
        return ""
