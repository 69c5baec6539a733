"""How much memory a new process could take without another one having to give some up."""

from __future__ import annotations

import contextlib


def free_memory() -> int | None:
    """The free memory of this computer, or of the container if that is less, in bytes; None where nobody says."""
    found = [number for number in (_of_computer(), _of_container()) if number is not None]
    return min(found, default=None)


def _of_computer() -> int | None:
    with contextlib.suppress(OSError, ValueError, StopIteration), open("/proc/meminfo", encoding="ascii") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("MemAvailable:"))
    return None


def _of_container() -> int | None:
    """What is left of the limit of the container on Linux; the cache of files, which can be dropped, is free."""
    try:
        with open("/proc/self/cgroup", encoding="utf-8") as file:
            group = next((line[3:].strip() for line in file if line.startswith("0::")), "/")
        folder = f"/sys/fs/cgroup{group.rstrip('/')}"
        with open(f"{folder}/memory.max", encoding="ascii") as file:
            most = int(file.read())
        with open(f"{folder}/memory.stat", encoding="ascii") as file:
            parts = dict(line.split() for line in file)
        return most - int(parts["anon"]) - int(parts.get("kernel", "0"))
    except (OSError, ValueError, KeyError):  # no such thing, or "max"
        return None
