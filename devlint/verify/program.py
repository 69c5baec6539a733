"""What the harness runs and how: plain values that are sent to the server process."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from devlint.verify.executed_lines import Spot


@dataclass(frozen=True)
class Program:
    """A script with a command line, or a module with a driver that imports it under the name ``program``."""

    path: str
    args: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict, hash=False)
    driver: str | None = None
    data: tuple[str, ...] = ()
    """Files and folders that it finds in its scratch folder."""
    folder: str | None = None
    """A copy of its project to run in, in place of an empty scratch folder."""
    command: str | None = None
    """For the shell, in place of a script."""
    watched: dict[str, list[Spot]] = field(default_factory=dict, hash=False)
    """Lines, by file, of which the execution is noted."""
    project: str | None = None
    """The folder of its project."""
    started_in: str | None = None
    """The folder that the user is in, in the copy of the project if it is part of it."""
    original_project: str | None = None
    """Where ``project`` is a copy: the project that it is imported in place of."""


@dataclass(frozen=True)
class Setting:
    """The devices a program is run with."""

    name: str
    """``cpu``: no accelerator can be seen; ``simulated``: a simulated GPU; else a real one: cuda, xpu or mps."""
    devices: int = 1
    """How many GPUs to simulate."""
    autocast: bool = True
    """Whether autocast does anything: the lists of operators and the types differ between devices by design."""
    replay: bool = False
    """Whether random numbers for a real accelerator are drawn from the generator of the CPU."""
    within_tolerance: bool = False
    """Whether its numbers are compared within a tolerance, which takes more than whether they are the same."""
    tells_births: bool = False
    """Whether the error of a program that mixes devices is told with where its CPU tensors were made."""

    @property
    def title(self) -> str:
        """The name that is shown."""
        return "simulated cuda" if self.name == "simulated" else self.name


CPU = Setting("cpu")
SIMULATED = Setting("simulated")


@dataclass(frozen=True)
class Limits:
    """The limits at which a run is killed."""

    seconds: float = 300.0
    memory: int = 8 << 30
    """Of all its processes together, in bytes."""
    file_size: int = 1 << 30
    processes: int = 64
    network: bool = False


def request(program: Program, setting: Setting, limits: Limits, folder: str) -> dict[str, Any]:
    """The request that is sent to the server process."""
    return {
        "program": vars(program),
        "setting": vars(setting),
        "limits": vars(limits),
        "folder": folder,
    }
