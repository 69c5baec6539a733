"""Forks the child that runs a program, kills it at its limits, and kills what it leaves running."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Collection, Iterator
from typing import Any

_LINUX = sys.platform.startswith("linux")
_GLANCE = 0.25
"""Seconds between two checks of the limits."""


TERMINATED = 143
"""The exit code of a process that was asked to end, and has left nothing running."""


def adopt_orphans() -> None:
    """Become the subreaper of orphaned processes, and end when the parent process ends."""
    signal.signal(signal.SIGTERM, _leave)
    if _LINUX:
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
    _end_with_parent(signal.SIGTERM)


def _leave(*_: object) -> None:
    """Leave, and let nobody interrupt that."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(TERMINATED)


def _end_with_parent(number: int) -> None:
    """Ask for a signal when the parent process ends."""
    if _LINUX:
        ctypes.CDLL(None).prctl(1, number, 0, 0, 0)


def supervise(request: dict[str, Any]) -> dict[str, Any]:
    """Run the program of a request; return its exit code, the limit it hit, and its time."""
    limits = request["limits"]
    started = time.monotonic()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        _become(request)
    try:
        status, ended = _wait(child, started + limits["seconds"], limits["memory"], limits["processes"])
    finally:
        _end(child)
        end_family()
    code = None if status is None else _exit_code(status)
    return {"code": code, "ended": ended, "seconds": round(time.monotonic() - started, 3)}


def _become(request: dict[str, Any]) -> None:
    """Run the program in the forked child; never returns."""
    code = 70
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        _end_with_parent(signal.SIGKILL)
        os.setsid()
        from devlint.verify.child.observe import observe_program

        code = observe_program(request)
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        os._exit(code)


def _exit_code(status: int) -> int:
    """The exit code, negative for a signal."""
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def _wait(child: int, deadline: float, memory: int, processes: int) -> tuple[int | None, str | None]:
    """Wait for the child; return its status, or the limit that it exceeded."""
    glance, pause = time.monotonic() + _GLANCE, 0.002
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return status, None
        now = time.monotonic()
        if now > deadline:
            return None, "time"
        if now > glance:
            glance = now + _GLANCE
            family = list(_family())
            if len(family) > processes:
                return None, "processes"
            if sum(map(_resident, family)) > memory and sum(map(_own, family)) > memory:
                return None, "memory"
        time.sleep(pause)
        pause = min(pause * 1.5, 0.05)


def _end(child: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        if not os.waitpid(child, os.WNOHANG)[0]:  # it has not become the leader of a group yet, or is ending
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def end_family(spared: Collection[int] = ()) -> None:
    """Kill all descendants, also those in other sessions; but not some children, and theirs."""
    for _ in range(200):
        family = list(_family(spared))
        for pid in family:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pid in family:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        if not family:
            return
        time.sleep(0.005)


def _family(spared: Collection[int] = ()) -> Iterator[int]:
    """Process ids of all descendants but ``spared`` ones and theirs, read from /proc."""
    if not _LINUX:
        return
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError, IndexError, ValueError), open(f"/proc/{name}/stat", "rb") as file:
                parents[int(name)] = int(file.read().rpartition(b")")[2].split()[1])
    me = os.getpid()
    for pid in parents:
        above: int | None = pid
        while above is not None and above != me and above not in spared:
            above = parents.get(above)
        if above == me and pid != me:
            yield pid


def _resident(pid: int) -> int:
    """Resident memory of a process in bytes, shared pages included."""
    with contextlib.suppress(OSError, IndexError, ValueError), open(f"/proc/{pid}/statm", "rb") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def _own(pid: int) -> int:
    """Proportional memory of a process in bytes; slower to read."""
    with contextlib.suppress(OSError, IndexError, ValueError), open(f"/proc/{pid}/smaps_rollup", "rb") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith(b"Pss:"))
    return _resident(pid)
