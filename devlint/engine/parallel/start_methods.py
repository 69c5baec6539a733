"""Which processes there may be: of what kind, how many, and after how much work they pay."""

from __future__ import annotations

import os
import sys
from math import ceil, inf

from devlint.engine.parallel.worker import Looks
from devlint.engine.parallel.worker_process import Crew

_MOST_UNASKED = 16
"""One process that reads and prints what the others say cannot keep more of them busy."""
_PAYS_AFTER = {"fork": 0.1, "spawn": 1.0}
"""Seconds of work, by how processes are started: 5 ms each, or 250."""


def crew_for(runner: Looks) -> Crew | None:
    """Workers of the kind that this process can have; None where it can have none."""
    kind = method()
    if kind == "fork":
        from devlint.engine.parallel.fork_workers import Forked

        return Forked(runner)
    if kind == "spawn":
        from devlint.engine.parallel.spawn_workers import Spawned

        return Spawned(runner)
    return None


def method() -> str | None:
    """How this process may start others: ``fork``, ``spawn`` or not at all.

    A copy of a process with threads has locks that nobody opens; on macOS the system's own libraries have threads.
    """
    if hasattr(os, "fork") and sys.platform.startswith(("linux", "freebsd")) and _threads() == 1:
        return "fork"
    return "spawn" if sys.executable and not getattr(sys, "frozen", False) else None


def pays_after() -> float:
    """The seconds of work after which more processes pay, if as much is still to come."""
    return _PAYS_AFTER.get(method() or "", inf)


def usable_cpus() -> int:
    """How many CPUs a run may keep busy unasked: those that it is bound to and has the time of."""
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
    """The CPUs whose time the container has that this runs in, where Linux says so."""
    try:
        with open("/proc/self/cgroup", encoding="utf-8") as file:
            group = next((line[3:].strip() for line in file if line.startswith("0::")), "/")
        with open(f"/sys/fs/cgroup{group.rstrip('/')}/cpu.max", encoding="utf-8") as file:
            time, period = file.read().split()
        return int(time) / int(period)
    except (OSError, ValueError, ZeroDivisionError):  # no such thing, or "max"
        return _MOST_UNASKED
