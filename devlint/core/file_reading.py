"""Reads whole files, and only what is a file and not larger than anything that devlint has a use for.

A pipe without a writer would be waited for, and a device may have no end.
"""

from __future__ import annotations

import errno
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

MAX_BYTES = 100_000_000
"""Of a file to look at: a notebook with many pictures, or a list of a million findings, may have so many."""
MAX_SETTINGS = 1_000_000
"""Bytes of a file that says what is to be done; the largest of public projects have a hundredth of it."""


def contents(path: str, most: int = MAX_BYTES) -> bytes:
    """The bytes of a file; raises OSError."""
    with opened(path, most) as file:
        return whole(file, most)


def opened(path: str, most: int = MAX_BYTES) -> BinaryIO:
    """The file, to be read; raises OSError for what is none, or has more than that many bytes."""
    file = open(path, "rb", opener=_without_waiting)  # noqa: SIM115 -- whoever asked closes it
    try:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "is neither a file nor a folder", path)
        if status.st_size > most:
            raise _too_large(path, most)
    except BaseException:
        file.close()
        raise
    return file


def whole(file: BinaryIO, most: int = MAX_BYTES) -> bytes:
    """What is in a file from ``opened``, which may have grown since; raises OSError if there is more than that."""
    size = os.fstat(file.fileno()).st_size
    data = file.read(size + 1)
    if len(data) > size:  # it grows, or is one of those of the system that have no size
        data += file.read(most + 1 - len(data))
    if len(data) > most:
        raise _too_large(file.name, most)
    return data


def streamed(file: BinaryIO, name: str) -> bytes:
    """All that comes from a stream that may have no end; raises OSError if that is too much."""
    data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise _too_large(name, MAX_BYTES)
    return data


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _too_large(path: str, most: int) -> OSError:
    return OSError(errno.EFBIG, f"is larger than {most:,} bytes, left alone", path)
