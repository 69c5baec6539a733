"""Keeps a program from writing outside its folder, from the network and from other programs.

The hook sees what Python does, refuses and logs; the kernel, where it has Landlock, sees what everything does that the
program starts.
This protects from accidents, not from malice.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys
from collections.abc import Sequence
from typing import Any

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGES = {
    "os.mkdir": 1,
    "os.rmdir": 1,
    "os.remove": 1,
    "os.truncate": 1,
    "os.chmod": 1,
    "os.chflags": 1,
    "os.chown": 1,
    "os.removexattr": 1,
    "os.setxattr": 1,
    "os.utime": 1,
    "os.rename": 2,
    "os.link": 2,
    "os.symlink": 2,
}
"""Events with the number of paths they are about; a link may point anywhere, so of those only the last path counts."""
_LOCAL = ("127.", "localhost", "::1", "0.0.0.0")
_DEVICES = ("/dev/", "/proc/self/")

VARIABLE = "DEVLINT_SANDBOX"
"""Tells the Pythons that a program starts where it may write, and whether it may use the network."""


class SandboxHook:
    """An audit hook, which cannot be removed, that refuses writes and connections."""

    def __init__(self, folders: Sequence[str], network: bool) -> None:
        """The first of the folders also gets the list of what was refused."""
        self._allowed = (*(os.path.realpath(folder) + os.sep for folder in folders), *_DEVICES)
        self._network = network
        self._log = os.open(os.path.join(folders[0], "refused"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def __call__(self, event: str, args: tuple[Any, ...]) -> None:
        """The audit hook."""
        if event == "open":
            path, _, flags = args
            if isinstance(flags, int) and flags & _WRITES:
                self._write(path)
        elif event in _CHANGES:
            first = 1 if event in ("os.link", "os.symlink") else 0
            for path in args[first : _CHANGES[event]]:
                self._write(path)
        elif event in ("socket.connect", "socket.sendto") and not self._network:
            self._reach(args[-1])
        elif event == "socket.getaddrinfo" and not self._network:
            self._reach((args[0],))
        elif event in ("os.kill", "os.killpg") and args[1] != 0:
            self._signal(event, *args)

    def _write(self, path: Any) -> None:
        if not isinstance(path, (str, bytes, os.PathLike)):
            return
        real = os.path.realpath(os.fsdecode(path))
        if (real + os.sep).startswith(self._allowed):
            return
        self._refuse("writes outside its scratch folder", real)
        raise PermissionError(errno.EACCES, "devlint: while it is verified, a program writes to its folder only", real)

    def _reach(self, address: Any) -> None:
        host = address[0] if isinstance(address, tuple) and address else None
        host = host.decode("ascii", "replace") if isinstance(host, bytes) else host
        if not isinstance(host, str) or host.startswith(_LOCAL) or host == os.uname().nodename:
            return
        self._refuse("uses the network", host)
        raise ConnectionRefusedError(errno.ECONNREFUSED, f"devlint: no network while a program is verified: {host}")

    def _signal(self, event: str, process: int, number: int) -> None:
        """The kernel refuses it where it can, and says so of signal 0, too, which does nothing."""
        try:
            (os.kill if event == "os.kill" else os.killpg)(process, 0)
        except PermissionError as error:
            self._refuse("sends a signal to another program", str(number))
            message = "devlint: while it is verified, a program sends signals to its own processes only"
            raise PermissionError(errno.EPERM, message) from error
        except OSError:
            pass

    def _refuse(self, what: str, name: str) -> None:
        os.write(self._log, f"{what}: {name}\n".encode("utf-8", "backslashreplace"))


def install_sandbox(folders: Sequence[str], network: bool) -> None:
    """Start the sandbox in this process and, through the environment, in the Pythons it starts."""
    os.environ[VARIABLE] = os.pathsep.join([str(int(network)), *folders])
    sys.addaudithook(SandboxHook(folders, network))


def install_from_environment() -> None:
    """Start the sandbox in a Python that a sandboxed one has started."""
    network, *folders = os.environ.get(VARIABLE, "").split(os.pathsep)
    if folders and os.path.isdir(folders[0]):
        sys.addaudithook(SandboxHook(folders, network == "1"))


_READ_ONLY_RIGHTS = 0b1101  # execute, read a file, list a folder
_RIGHTS_OF_VERSION = {1: (1 << 13) - 1, 2: (1 << 14) - 1}
_WRITE_FILE, _TRUNCATE = 1 << 1, 1 << 14
SIGNALS_SINCE, _SIGNALS = 6, 1 << 1
"""From this version on Landlock keeps signals to the processes of a program (Linux 6.12)."""


def landlock_version() -> int:
    """What the kernel's Landlock can do; less than 1 where there is none."""
    if not sys.platform.startswith("linux"):
        return 0
    version: int = ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), 1)
    return version


def confine(folders: Sequence[str], written: Sequence[str] = ()) -> bool:
    """Let this process and its children write below ``folders``, and send signals to one another, only (Landlock).

    Below ``written`` they can also write to files that are there. False if the kernel cannot; one before 6.12 does not
    look at signals.
    """
    version = landlock_version()
    if version < 1:
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    rights = _RIGHTS_OF_VERSION.get(version, (1 << 15) - 1) & ~_READ_ONLY_RIGHTS
    handled = struct.pack("QQQ", rights, 0, _SIGNALS) if version >= SIGNALS_SINCE else struct.pack("Q", rights)
    rules = libc.syscall(444, handled, ctypes.c_size_t(len(handled)), 0)
    if rules < 0:
        return False
    for folder in folders:
        _allow(libc, rules, folder, rights)
    for folder in written:
        _allow(libc, rules, folder, rights & (_WRITE_FILE | _TRUNCATE))
    no_new_privileges = libc.prctl(38, 1, 0, 0, 0) == 0
    locked: bool = no_new_privileges and libc.syscall(446, rules, 0) == 0
    os.close(rules)
    return locked


def _allow(libc: Any, rules: int, folder: str, rights: int, flags: int | None = None) -> None:
    """Add a folder in which everything may be written."""
    number = os.open(folder, getattr(os, "O_PATH", 0) if flags is None else flags)
    rule = struct.pack("=Qi", rights, number)
    libc.syscall(445, rules, 1, rule, 0)
    os.close(number)
