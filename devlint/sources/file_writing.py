"""Replaces files in one step, and never loses what another program writes into one at the same moment."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from functools import lru_cache

from devlint.core.errors import FileChangedError
from devlint.core.file_reading import open_regular_file, read_all
from devlint.core.lazy_regex import regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

_IS_WINDOWS = os.name == "nt"
"""There a file that a program has open is neither replaced nor removed, so that nothing needs a lock."""
if not _IS_WINDOWS:
    import fcntl

_CHANGED = "changed while devlint was working on it; nothing was written"
TEMPORARY = regex(r"\.devlint-[0-9a-f]{16}\.tmp")
"""What the temporary files are called. They are locked as long as the run that made them lives."""


def replace_file(path: str, data: bytes) -> None:
    """Put ``data`` in the place of a file, or where none is, in one step; or raise OSError."""
    _put(path, data, 0o666, lambda temporary: os.replace(temporary, path))


def rewrite_file(path: str, old: bytes, new: bytes) -> None:
    """Replace a file that holds ``old``, keeping its mode, owner and attributes; or raise and leave it as it is.

    A program that appends to the file meanwhile writes into the old one, which this keeps until it is certain that no
    program did, or puts back.
    """
    remove_leftovers(os.path.dirname(os.path.abspath(path)))  # before the lock: one may be another name of this file
    with open_regular_file(path) as file:
        status = os.fstat(file.fileno())
        if not _lock(file.fileno()):
            raise FileChangedError("another program has locked it; nothing was written")
        is_watched = _watch(file.fileno())
        _compare(file, old)
        if not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, "Permission denied", path)

        def replace(temporary: str) -> None:
            _copy_attributes(path, temporary, status)
            if _IS_WINDOWS:
                file.close()
                os.replace(temporary, path)
            else:
                _replace_kept(file, temporary, path, old, is_watched)

        _put(path, new, 0o600, replace)


@lru_cache(maxsize=1)  # a run writes one folder's files after one another
def remove_leftovers(folder: str) -> None:
    """Remove the temporary files of runs that were killed: those that no living run has locked."""
    with contextlib.suppress(OSError), os.scandir(folder) as listing:
        for name in [one.name for one in listing if TEMPORARY.fullmatch(one.name)]:
            path = os.path.join(folder, name)
            with contextlib.suppress(OSError), open_regular_file(path) as file:
                if not _IS_WINDOWS:
                    fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
                    os.unlink(path)
            if _IS_WINDOWS:
                with contextlib.suppress(OSError):
                    os.unlink(path)


def _put(path: str, data: bytes, mode: int, finish: Callable[[str], None]) -> None:
    """Write ``data`` into a temporary file beside ``path``, which ``finish`` moves to its place."""
    remove_leftovers(os.path.dirname(os.path.abspath(path)))
    while True:
        temporary = _temporary(path)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(temporary, flags, mode), "wb") as file:
            try:
                if not _lock(file.fileno()) or not os.path.exists(temporary):  # another run took it for a leftover
                    continue
                file.write(data)
                file.flush()
                if _IS_WINDOWS:
                    file.close()
                return finish(temporary)
            finally:
                with contextlib.suppress(OSError):
                    os.unlink(temporary)


def _temporary(path: str) -> str:
    """A name for a temporary file beside ``path``, however long its own name is."""
    return os.path.join(os.path.dirname(path), f".devlint-{os.urandom(8).hex()}.tmp")


def _compare(file: BinaryIO, old: bytes) -> None:
    """Raise FileChangedError if an open file does not hold ``old`` any more."""
    file.seek(0)
    if read_all(file) != old:
        raise FileChangedError(_CHANGED)


def _lock(descriptor: int) -> bool:
    """Lock a file against other runs of devlint; whether no program had done so."""
    try:
        if not _IS_WINDOWS:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # not all file systems have locks
        pass
    return True


def _watch(descriptor: int) -> bool:
    """Make programs wait that open the file to write, until it is closed; whether the system can (Linux).

    The signal that tells of one is chosen so that it is ignored: ``_has_writer`` asks.
    """
    if sys.platform != "linux":
        return False
    import signal

    try:
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except BlockingIOError:
        raise FileChangedError("another program has it open to write; nothing was written") from None
    except OSError:  # another user's file, or a file system without leases
        return False
    return True


def _has_writer(file: BinaryIO) -> bool:
    """Whether a program waits for a watched file."""
    return fcntl.fcntl(file.fileno(), fcntl.F_GETLEASE) != fcntl.F_RDLCK


def _replace_kept(file: BinaryIO, temporary: str, path: str, old: bytes, is_watched: bool) -> None:
    """Move a temporary file to ``path``, or leave the open file there if a program writes or will write into it."""
    spare = _temporary(path)
    try:
        with contextlib.suppress(OSError):
            os.link(path, spare)
            # Not the spare: on overlayfs the link makes another file, and may give that a number of its own.
            if not os.path.samestat(os.stat(path), os.fstat(file.fileno())):
                raise FileChangedError(_CHANGED)
        os.replace(temporary, path)
        try:
            _compare(file, old)
            if is_watched and _has_writer(file):
                raise FileChangedError(_CHANGED)
        except BaseException:
            if os.path.exists(spare):
                os.replace(spare, path)
            else:  # a file system without hard links
                file.seek(0)
                replace_file(path, read_all(file))
            raise
    finally:
        with contextlib.suppress(OSError):
            os.unlink(spare)


def _copy_attributes(path: str, copy: str, status: os.stat_result) -> None:
    """Give ``copy`` the mode of ``path`` and, where the system allows it, its owner, attributes and access rules."""
    if hasattr(os, "chown"):
        with contextlib.suppress(OSError):
            os.chown(copy, -1, status.st_gid)
        with contextlib.suppress(OSError):
            os.chown(copy, status.st_uid, -1)
    os.chmod(copy, stat.S_IMODE(status.st_mode))
    if hasattr(os, "listxattr"):
        with contextlib.suppress(OSError):
            for name in os.listxattr(path):
                with contextlib.suppress(OSError):
                    os.setxattr(copy, name, os.getxattr(path, name))
