"""Reads case folders: a program, its rewritten copy, and run.toml, which says how to run both (fixtures/README.md)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from devlint.core.errors import DevlintError
from devlint.core.toml import load_toml
from devlint.sources.source import Source
from devlint.verify.matrix import Task
from devlint.verify.program import Program
from devlint.verify.rewrites.changed_lines import changed_lines

_KEYS = {"description", "entry", "device_count", "fix", "remains", "targets", "run"}
_RUN_KEYS = {"args", "env", "fails_on_cpu", "fixed_needs", "accelerator_needs", "moves_differ", "differs_on_cpu"}
_FILE = "run.toml"


@dataclass(frozen=True)
class Run:
    """One command line of a case."""

    args: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict, hash=False)
    fails_on_cpu: bool = True
    fixed_needs: str | None = None
    """Why fixed.py still fails on CPU."""
    accelerator_needs: str | None = None
    """Why only the fix for target "accelerator" does."""
    moves_differ: str | None = None
    """Why fixed.py moves something to the same GPUs more or less often than input.py."""
    differs_on_cpu: dict[str, str] = field(default_factory=dict, hash=False)
    """What it prints or computes on the CPU that is another thing on a GPU, with the reasons."""


@dataclass(frozen=True)
class Case:
    """One case folder: a program, its rewritten copy, and the command lines to run both with."""

    name: str
    folder: Path
    description: str
    runs: tuple[Run, ...]
    fix: dict[str, Any] = field(default_factory=dict, hash=False)
    """Keywords for devlint: target, unsafe."""
    entry: str | None = None
    device_count: int = 1
    remains: tuple[str, ...] = ()
    """The rules that still find something in fixed.py."""
    targets: tuple[str, ...] = ()
    """The other targets with a golden file."""

    @property
    def original(self) -> Path:
        """The program with hard-coded CUDA."""
        return self.folder / "input.py"

    @property
    def fixed(self) -> Path:
        """The rewritten program."""
        return self.folder / "fixed.py"

    @property
    def findings(self) -> Path:
        """The expected findings."""
        return self.folder / "findings.txt"

    def task(self, run: Run, fixed: Path | None = None) -> Task:
        """Compare the program with its rewritten copy, or with another file."""
        driver = str(self.folder / self.entry) if self.entry else None
        before, after = (Program(str(path), run.args, run.env, driver) for path in (self.original, fixed or self.fixed))
        name = " ".join([self.name, *run.args])
        task = Task(name, before, after, self.device_count, run.fixed_needs is None, run.differs_on_cpu)
        texts = [(path, Source.from_bytes(path, Path(path).read_bytes()).text) for path in (before.path, after.path)]
        return task.watching(changed_lines(self.original.name, *texts))


def is_case_folder(folder: Path) -> bool:
    """Whether a folder is a case folder or contains some."""
    return (folder / _FILE).is_file() or any(folder.glob(f"*/{_FILE}"))


def find_cases(folder: Path, names: Sequence[str] = ()) -> Iterator[Case]:
    """Yield the cases in a folder, or the folder itself if it is one."""
    files = [folder / _FILE] if (folder / _FILE).is_file() else sorted(folder.glob(f"*/{_FILE}"))
    return (read_case(path.parent) for path in files if not names or path.parent.name in names)


def read_case(folder: Path) -> Case:
    """Read one case folder; raises DevlintError if its run.toml is wrong."""
    try:
        table = load_toml((folder / _FILE).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise DevlintError(f"{folder / _FILE}: {error}") from None
    runs = table.get("run", [{}])
    unknown = (table.keys() - _KEYS) | {key for run in runs for key in run.keys() - _RUN_KEYS}
    if unknown:
        raise DevlintError(f"{folder / _FILE}: unknown keys {sorted(unknown)}")
    return Case(
        name=folder.resolve().name,
        folder=folder.absolute(),
        description=table.get("description", ""),
        runs=tuple(Run(**{**run, "args": tuple(run.get("args", ()))}) for run in runs),
        fix=table.get("fix", {}),
        entry=table.get("entry"),
        device_count=table.get("device_count", 1),
        remains=tuple(table.get("remains", ())),
        targets=tuple(table.get("targets", ())),
    )
