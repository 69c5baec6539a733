"""Which kind of worker processes this system supports, how many are useful, and after how much work they pay."""

from __future__ import annotations

import os
import sys
from math import ceil, inf

from devlint.engine.parallel.worker import FileAnalyzer
from devlint.engine.parallel.worker_process import WorkerStarter

_MOST_UNASKED = 16
"""The main process, which collects and prints reports, cannot keep more workers busy."""
_PAYS_AFTER = {"fork": 0.1, "spawn": 1.0}
"""Seconds of work after which workers pay, by start method; starting one takes 5 ms or 250 ms."""


def worker_starter(runner: FileAnalyzer) -> WorkerStarter | None:
    """What starts the workers of this process; None if it cannot have any."""
    kind = method()
    if kind == "fork":
        from devlint.engine.parallel.fork_workers import ForkStarter

        return ForkStarter(runner)
    if kind == "spawn":
        from devlint.engine.parallel.spawn_workers import SpawnStarter

        return SpawnStarter(runner)
    return None


def method() -> str | None:
    """How this process can start workers: ``fork``, ``spawn``, or None for not at all.

    A fork of a process with threads may deadlock on their locks; on macOS system libraries have threads.
    """
    if hasattr(os, "fork") and sys.platform.startswith(("linux", "freebsd")) and _threads() == 1:
        return "fork"
    return "spawn" if sys.executable and not getattr(sys, "frozen", False) else None


def pays_after() -> float:
    """Seconds of work after which workers pay if as much work is left."""
    return _PAYS_AFTER.get(method() or "", inf)


def usable_cpus() -> int:
    """How many CPUs to use by default: those in the affinity mask, within the CPU quota."""
    if hasattr(os, "process_cpu_count"):
        count = os.process_cpu_count()
    elif hasattr(os, "sched_getaffinity"):
        count = len(os.sched_getaffinity(0))
    else:
        count = os.cpu_count()
    return max(1, min(count or 1, _MOST_UNASKED, ceil(_quota())))


def _threads() -> int:
    """How many threads this process has."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        import threading

        return threading.active_count()


def _quota() -> float:
    """The CPU quota of the container on Linux, in CPUs."""
    try:
        with open("/proc/self/cgroup", encoding="utf-8") as file:
            group = next((line[3:].strip() for line in file if line.startswith("0::")), "/")
        with open(f"/sys/fs/cgroup{group.rstrip('/')}/cpu.max", encoding="utf-8") as file:
            time, period = file.read().split()
        return int(time) / int(period)
    except (OSError, ValueError, ZeroDivisionError):  # no such thing, or "max"
        return _MOST_UNASKED
