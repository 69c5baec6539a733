"""What other files of the project define: read only where a name imported from them decides a finding."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from functools import lru_cache

from devlint.core.file_reading import read_file
from devlint.core.hashing import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_BYTES = 2_000_000
_LEVELS = 6
_recorded: dict[str, str] | None = None
"""The questions asked of the disk with their answers, while they are recorded; no other module asks any."""


@contextmanager
def recorded_lookups() -> Iterator[dict[str, str]]:
    """Record every question to the disk with its answer, for ``repeat_lookup`` to compare later."""
    global _recorded
    before, _recorded = _recorded, {}
    try:
        yield _recorded
    finally:
        _recorded = before


def repeat_lookup(question: str) -> str:
    """What the disk answers now to a recorded question."""
    kind, _, path = question.partition(":")
    return str(os.path.exists(path)) if kind == _EXISTS else _contents.__wrapped__(path)[1]


_EXISTS, _READ = "exists", "read"


def defines_method(path: str, origin: str, method: str) -> bool:
    """Whether what ``path`` imports as ``origin`` ("storage.RolloutStorage") is the project's class with ``method``."""
    module, _, name = origin.rpartition(".")
    if not module or not name.isidentifier():
        return False
    body = _class_text(os.path.dirname(os.path.abspath(path)), module, name, _LEVELS)
    return body is not None and re.search(rf"^[ \t]+def {re.escape(method)}\b", body, re.MULTILINE) is not None


def module_source(path: str, module: str) -> str | None:
    """The source of the project's module that ``path`` imports under a name; None for other libraries."""
    found = _module_text(os.path.dirname(os.path.abspath(path)), module)
    return found[0] if found is not None else None


def _class_text(folder: str, module: str, name: str, hops: int) -> str | None:
    """The source of a class, followed through re-exports of packages."""
    text = _module_text(folder, module)
    if text is None or hops == 0:
        return None
    start = re.search(rf"^class {re.escape(name)}\b", text[0], re.MULTILINE)
    if start is not None:
        end = re.compile(r"^\S", re.MULTILINE).search(text[0], start.end())
        return text[0][start.start() : end.start() if end else len(text[0])]
    exported = re.search(rf"^from\s+([.\w]+)\s+import\s[^#\n]*\b{re.escape(name)}\b", text[0], re.MULTILINE)
    return _class_text(os.path.dirname(text[1]), exported.group(1), name, hops - 1) if exported else None


def _module_text(folder: str, module: str) -> tuple[str, str] | None:
    """Source and path of a module as imported from a file in ``folder``."""
    dots = len(module) - len(module.lstrip("."))
    parts = [part for part in module.split(".") if part]
    for _ in range(max(dots - 1, 0)):
        folder = os.path.dirname(folder)
    for level in range(1 if dots else _LEVELS):
        base = os.path.join(folder, *parts)
        for path in (f"{base}.py", os.path.join(base, "__init__.py")):
            text = _read(path)
            if text is not None:
                return text, path
        if level and not _exists(os.path.join(folder, "__init__.py")) and _is_root(folder):
            return None
        folder = os.path.dirname(folder)
    return None


def _is_root(folder: str) -> bool:
    """Whether a folder is the top of a project."""
    return any(_exists(os.path.join(folder, mark)) for mark in (".git", "pyproject.toml", "setup.py"))


def _exists(path: str) -> bool:
    there = os.path.exists(path)
    if _recorded is not None:
        _recorded[f"{_EXISTS}:{path}"] = str(there)
    return there


def _read(path: str) -> str | None:
    text, name = _contents(path)
    if _recorded is not None:
        _recorded[f"{_READ}:{path}"] = name
    return text


@lru_cache(maxsize=256)
def _contents(path: str) -> tuple[str | None, str]:
    """The text of a file and the digest of its bytes; None and nothing where it cannot be read."""
    try:
        data = read_file(path, _MAX_BYTES)
    except OSError:
        return None, ""
    return data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n"), digest(data)
