"""Where the contests are held: the files, the tools, and how often each runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import speed_files
from benchmarks.speed_measure import Command, alternate
from benchmarks.speed_tools import Devlint, Environment

Contest = dict[str, dict[str, Any]]
"""What was measured, by the name of the command."""
BUDGET = 240.0
"""Seconds after which a contest has no further turn."""


@dataclass
class Ground:
    """What the contests need: where the files are, the tools, and how often to run."""

    folder: Path
    devlint: Devlint
    python: str
    """The interpreter that devlint runs in."""
    peers: dict[str, Environment]
    repeats: int
    heavy_repeats: int
    two_processes: bool = False
    """Whether the peers that take minutes also run with two processes."""

    def path(self, name: str) -> str:
        """A folder of files, made where it is missing."""
        folder = self.folder / name
        if not folder.exists():
            if name == "C":
                speed_files.write_corpus(folder)
            elif name == "S":
                speed_files.write_sample(Path(self.path("C")), folder)
            elif name == "files":
                speed_files.write_files(folder)
            else:
                speed_files.write_copies(Path(self.path(name[-1])), folder)
        return str(folder)

    def fresh(self, name: str) -> Path:
        """The place of a cache that does not exist yet."""
        return self.folder / "caches" / name

    def run(self, *commands: Command, repeats: int = 0) -> Contest:
        """Run commands in turn."""
        return alternate(commands, self.folder, repeats or self.repeats, BUDGET)
