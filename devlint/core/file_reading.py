"""Reads whole files, but only regular files of a reasonable size.

Opening a pipe without a writer would block, and a device may have no end.
"""

from __future__ import annotations

import errno
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

MAX_BYTES = 100_000_000
"""The largest file to lint, or baseline to read; notebooks with pictures and long baselines come near it."""
MAX_SETTINGS = 1_000_000
"""The largest configuration or ignore file in bytes; the largest in public projects have a hundredth of it."""


def read_file(path: str, most: int = MAX_BYTES) -> bytes:
    """The bytes of a file; raises OSError."""
    with open_regular_file(path, most) as file:
        return read_all(file, most)


def open_regular_file(path: str, most: int = MAX_BYTES) -> BinaryIO:
    """Open a file for reading; raises OSError for a device, a pipe, or a file of more than ``most`` bytes."""
    file = open(path, "rb", opener=_without_waiting)  # noqa: SIM115 -- the caller closes it
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


def read_all(file: BinaryIO, most: int = MAX_BYTES) -> bytes:
    """The rest of a file from ``open_regular_file``; raises OSError if it has grown beyond ``most`` bytes."""
    size = os.fstat(file.fileno()).st_size
    data: bytes | None = file.read(size + 1)
    if data is None:  # the system has nothing to give at the moment
        raise OSError(errno.EINVAL, "is neither a file nor a folder", file.name)
    if len(data) > size:  # it grows, or is one of those of the system that have no size
        data += file.read(most + 1 - len(data))
    if len(data) > most:
        raise _too_large(file.name, most)
    return data


def read_stream(file: BinaryIO, name: str) -> bytes:
    """Everything from a stream; raises OSError if it is more than ``MAX_BYTES``."""
    data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise _too_large(name, MAX_BYTES)
    return data


def real_path(path: str) -> str:
    """The absolute path without symbolic links; with them where one cannot be read, as some of /proc."""
    try:
        return os.path.realpath(path)
    except OSError:
        return os.path.abspath(path)


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _too_large(path: str, most: int) -> OSError:
    return OSError(errno.EFBIG, f"is larger than {most:,} bytes, left alone", path)
