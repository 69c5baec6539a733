"""In the child: relative entries of ``sys.path`` lead where they led from the folder that the user is in.

A program runs in an empty folder, but ``sys.path.append("..")`` and ``os.path.abspath("src")`` mean its project's.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.machinery import (
    BYTECODE_SUFFIXES,
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    ModuleSpec,
    SourceFileLoader,
    SourcelessFileLoader,
)
from typing import Any


def import_relative_to(scratch: str, folders: Sequence[str]) -> None:
    """Look for what is relative to ``scratch`` in these folders, too."""
    runs = os.path.dirname(os.path.dirname(os.path.realpath(scratch))) + os.sep
    scratch = os.path.realpath(scratch)

    def hook(path: str) -> Any:
        absolute = os.path.realpath(os.path.join(scratch, path))
        if os.path.isabs(path) and not (absolute + os.sep).startswith(runs):
            raise ImportError
        relative = os.path.relpath(absolute, scratch) if os.path.isabs(path) else path
        found = (os.path.normpath(os.path.join(folder, relative)) for folder in (scratch, *folders))
        there = [folder for folder in dict.fromkeys(found) if os.path.isdir(folder)]
        if not there:  # a file, as runpy.run_path has it, is for Python's own hooks
            raise ImportError
        return _Finders(there)

    sys.path_hooks.insert(0, hook)


class _Finders:
    """Finds modules in several folders."""

    def __init__(self, folders: Sequence[str]) -> None:
        loaders = (
            (ExtensionFileLoader, EXTENSION_SUFFIXES),
            (SourceFileLoader, SOURCE_SUFFIXES),
            (SourcelessFileLoader, BYTECODE_SUFFIXES),
        )
        self._finders = [FileFinder(folder, *loaders) for folder in folders]

    def find_spec(self, name: str, target: Any = None) -> ModuleSpec | None:
        """The first module or package of that name; else the first folder of that name."""
        found = [spec for spec in (finder.find_spec(name, target) for finder in self._finders) if spec is not None]
        return next((spec for spec in found if spec.loader is not None), found[0] if found else None)

    def invalidate_caches(self) -> None:
        """Look anew."""
        for finder in self._finders:
            finder.invalidate_caches()
