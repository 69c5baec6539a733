"""Files to work on, and devlint beside them: what it does there is counted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.corpus_packages import ROOT
from benchmarks.speed_files import aware, program, tied
from benchmarks.speed_measure import Command, SpeedError, measure
from benchmarks.speed_tools import options_in

COUNTER = Path(__file__).with_name("speed_count.py")
OLD = 1_000_000_000
"""When the files were written: long ago, for a cache may look twice at what is new."""
_CLEAN, _PROJECT, _ONE = "clean", "project", "one"
SCENES = {
    "a clean file": ("check", _CLEAN),
    "a project": ("check", _PROJECT),
    "a fix": ("fix", "--diff", _ONE),
}
CACHED = "a project that a cache knows"
_SETTLING = 2.5
"""Seconds after which a cache relies on the times of a file, and a run that knows it has nothing to write."""
REFERENCE = """
import pathlib, sys
import libcst
class Count(libcst.CSTVisitor):
    def on_visit(self, node):
        return True
for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.py")):
    libcst.parse_module(path.read_bytes()).visit(Count())
"""
"""A program whose time is the unit of that of devlint; it must stay as it is."""


class Yard:
    """A folder of files to work on, and devlint beside it."""

    def __init__(self, folder: Path, root: Path = ROOT) -> None:
        self.folder = folder
        self.variables = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
        self.variables.update(PYTHONPATH=str(root), PYTHONHASHSEED="0")
        folder.joinpath(".git").mkdir()  # what stands beside the folder, or above it, is not asked for versions
        steps: dict[str, list[str]] = {"clean": [], "aware": aware(1), "tied": tied(1)}
        self._write(_CLEAN, {"clean": program(1400)})
        self._write(_ONE, {"tied": program(80, tied(1))})
        self._write(
            _PROJECT, {f"{kind}{size}": program(size, text) for size in (60, 90) for kind, text in steps.items()}
        )
        self._settled = time.monotonic() + _SETTLING
        self.options = {action: options_in(self._said(action, "--help")) for action in ("check", "fix")}

    def scenes(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """What is counted, and the arguments of it."""
        for name, (action, *rest) in SCENES.items():
            yield name, (action, *self.given(action, "--no-cache"), *rest)
        if "--cache-dir" in self.options["check"]:
            arguments = ("check", *self.given("check", "--cache-dir", "cache"), _PROJECT)
            time.sleep(max(self._settled - time.monotonic(), 0))
            self._said(*arguments)
            yield CACHED, arguments

    def given(self, action: str, option: str, *value: str) -> Sequence[str]:
        """An option where there is one, and those that all runs have."""
        options = ["--isolated", *(["--jobs", "1"] if "--jobs" in self.options[action] else [])]
        return [*options, option, *value] if option in self.options[action] else options

    def count(self, arguments: Sequence[str]) -> dict[str, float]:
        """The lines that run."""
        target = self.folder / "counts.json"
        self._said(*arguments, program=(str(COUNTER), str(target)))
        counts: dict[str, float] = json.loads(target.read_text(encoding="utf-8"))
        return counts

    def cpu(self, runs: int = 7) -> dict[str, float]:
        """Processor time of devlint, in that of a fixed program: the least of several runs of each."""
        arguments = ("-m", "devlint", "check", *self.given("check", "--no-cache"), _PROJECT, _CLEAN)
        variables = tuple(self.variables.items())
        own = Command("devlint", (sys.executable, *arguments), variables)
        unit = Command("reference", (sys.executable, "-c", REFERENCE, _PROJECT), variables)
        pairs = [(measure(own, self.folder).cpu, measure(unit, self.folder).cpu) for _ in range(runs)]
        return {"of the reference": round(min(one for one, _ in pairs) / min(one for _, one in pairs), 3)}

    def _said(self, *arguments: str, program: tuple[str, ...] = ("-m", "devlint")) -> str:
        command = [sys.executable, *program, *arguments]
        done = subprocess.run(
            command, cwd=self.folder, env=self.variables, capture_output=True, encoding="utf-8", check=False
        )
        if done.returncode not in (0, 1) or "Traceback" in done.stderr:
            raise SpeedError(f"devlint {' '.join(arguments)}: {(done.stderr.strip() or 'it failed').splitlines()[-1]}")
        return done.stdout

    def _write(self, name: str, files: Mapping[str, str]) -> None:
        folder = self.folder / name
        folder.mkdir()
        for stem, text in files.items():
            path = folder / f"{stem}.py"
            path.write_text(text, encoding="utf-8")
            os.utime(path, (OLD, OLD))
