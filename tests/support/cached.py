"""A project with a cache, and what of it a run looks at."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from devlint.analysis.project import disk
from devlint.cli import main
from devlint.core.hashing import digest
from devlint.engine import runner as running
from devlint.engine.report import FileReport
from devlint.sources.discovery import Found

FINDING = "import torch\n\nx = torch.zeros(2).cuda()\n"
CLEAN = "import torch\n\nok = torch.cuda.is_available()\nif ok:\n    torch.cuda.synchronize()\n"
"""Rules look at it, and find nothing."""
PLAIN = "x = 1\n"
"""No rule looks at it."""

NOTEBOOK = json.dumps(
    {
        "cells": [
            {"cell_type": "code", "source": "import torch\nx = torch.zeros(2)FIX", "metadata": {}, "outputs": []}
        ],
        "metadata": {"kernelspec": {"language": "python"}},
        "nbformat": 4,
        "nbformat_minor": 4,
    },
    indent=1,
)


@dataclass
class Result:
    code: Any
    out: str
    err: str
    looked: list[str] = field(compare=False)
    """The files that were not known."""


class Project:
    """The current folder, and runs in it as the command line makes them."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
        self.root = root
        self._capsys = capsys
        self._looked: list[str] = []
        original = running.Runner.analyze

        def look(runner: running.Runner, found: Found, data: Any = None) -> FileReport:
            self._looked.append(found.path)
            return original(runner, found, data)

        monkeypatch.setattr(running.Runner, "analyze", look)

    def write(self, name: str, text: str = FINDING) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        return path

    def run(self, *arguments: str) -> Result:
        """Run in this process alone: what worker processes look at is not seen, and a busy computer starts some."""
        self._looked.clear()
        if arguments[0] in ("check", "fix") and not any(one.startswith(("-j", "--jobs")) for one in arguments):
            arguments = (arguments[0], "--jobs=1", *arguments[1:])
        with pytest.raises(SystemExit) as left:
            main(list(arguments))
        out, err = self._capsys.readouterr()
        looked = [name.replace(os.sep, "/") for name in self._looked if not name.endswith(".toml")]
        return Result(left.value.code or 0, out, err, looked)

    def check(self, *arguments: str) -> Result:
        """A check, which must say the same as one without a cache."""
        result = self.run("check", *arguments)
        looked = list(result.looked)
        assert result == self.run("check", "--no-cache", *arguments)
        result.looked = looked
        return result

    @property
    def folder(self) -> Path:
        return self.root / ".devlint_cache"

    @property
    def stores(self) -> list[Path]:
        return sorted(self.folder.glob("*.json"))

    def entries(self, store: Path | None = None) -> dict[str, Any]:
        """What a file of the cache holds, by the names of files in the project."""
        if store is None:
            (store,) = self.stores
        held = json.loads(store.read_bytes().partition(b"\n")[2])
        return {Path(path).relative_to(self.root).as_posix(): entry for path, entry in held.items()}


def whole(store: Path, body: bytes) -> bytes:
    """A file of a cache with this in it."""
    return digest(store.name.encode() + body).encode() + b"\n" + body


@pytest.fixture
def cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Project:
    """An empty project; no file is so small, or so new, that something else than the cache is tried first."""
    root = tmp_path / "project"
    root.mkdir()
    monkeypatch.chdir(root)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.delenv("DEVLINT_CACHE_DIR", raising=False)
    monkeypatch.setattr(running, "_FEW", 0)
    monkeypatch.setattr(disk, "SETTLED", -1)
    return Project(root, monkeypatch, capsys)
