"""What a command costs: processor time, wall clock and memory, its child processes included."""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

LIMIT = 1500.0
"""Seconds after which a command is given up."""


class SpeedError(Exception):
    """Something cannot be measured: said in one line, without a traceback."""


class Run(NamedTuple):
    """One run of a command."""

    cpu: float
    """Seconds of processor time, of the user and of the system, of all its processes."""
    wall: float
    """Seconds by the clock."""
    memory: float
    """Megabytes that its largest process had at once; never less than this process has."""


@dataclass(frozen=True)
class Command:
    """Something to measure."""

    name: str
    arguments: tuple[str, ...]
    variables: tuple[tuple[str, str], ...] = ()
    """Environment variables that it needs."""
    prepare: Callable[[], None] | None = None
    """Puts its files in order before each run."""
    missing: str = ""
    """Why it cannot be run, where it cannot."""


def measure(command: Command, folder: Path) -> Run:
    """Run a command in a folder; an exit code that is not 0 or 1 (findings) is an error."""
    if command.missing:
        raise SpeedError(command.missing)
    if command.prepare is not None:
        command.prepare()
    with tempfile.TemporaryFile() as said:
        code, run = _run(command, folder, said)
        said.seek(0)
        lines = said.read().decode("utf-8", "replace").replace(f"{folder}{os.sep}", "").strip().splitlines()
    if code == -signal.SIGKILL and run.wall >= LIMIT:
        raise SpeedError(f"{command.name}: more than {LIMIT:.0f} s")
    if code not in (0, 1) or any(line.startswith("Traceback") for line in lines):
        raise SpeedError(f"{command.name}: exit code {code}: {lines[-1] if lines else 'it said nothing'}")
    return run


def _run(command: Command, folder: Path, said: Any) -> tuple[int, Run]:
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV_"))}
    variables.update(command.variables)
    start = time.perf_counter()
    process = subprocess.Popen(
        command.arguments,
        cwd=folder,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=said,
        start_new_session=True,  # so that its workers can be ended with it
    )
    timer = threading.Timer(LIMIT, os.killpg, (process.pid, signal.SIGKILL))
    timer.start()
    try:
        _, status, usage = os.wait4(process.pid, 0)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    finally:
        timer.cancel()
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    unit = 1 if sys.platform == "darwin" else 1024
    return process.returncode, Run(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * unit / 1e6)


def summary(runs: Sequence[Run]) -> dict[str, float]:
    """The medians of the times, and the largest memory, as they are kept."""
    return {
        "cpu": round(statistics.median(run.cpu for run in runs), 4),
        "wall": round(statistics.median(run.wall for run in runs), 4),
        "memory": round(max(run.memory for run in runs), 1),
        "runs": len(runs),
    }


def alternate(
    commands: Iterable[Command], folder: Path, repeats: int, budget: float = LIMIT
) -> dict[str, dict[str, Any]]:
    """Run the commands in turn, again and again, while there is time; what cannot be run says why."""
    runs: dict[str, list[Run]] = {}
    missing: dict[str, str] = {}
    wanted = list(commands)
    end = time.perf_counter() + budget
    for turn in range(repeats):
        if turn and time.perf_counter() > end:
            break
        for command in wanted:
            if command.name not in missing:
                try:
                    runs.setdefault(command.name, []).append(measure(command, folder))
                except SpeedError as error:
                    missing[command.name] = str(error)
    return {
        one.name: {"missing": missing[one.name]} if one.name in missing else summary(runs[one.name]) for one in wanted
    }
