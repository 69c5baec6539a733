"""Puts a program into namespaces of its own, where Linux allows it.

In them only its own folders can be changed, down to the modes and times of files, and there is no other computer.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import socket
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

_NEW_FILES, _NEW_USER, _NEW_NETWORK = 0x00020000, 0x10000000, 0x40000000
_BIND, _RECURSIVE, _SLAVE = 0x1000, 0x4000, 0x80000
_MOUNT_SETATTR = 442
"""The system call, with the same number on all machines; Linux 5.12 has it."""
_HERE, _ALL_BELOW, _READ_ONLY = -100, 0x8000, 1
_SET_FLAGS, _SET_ADDRESS, _UP = 0x8914, 0x8916, 1
_CAPABILITIES = 0x20080522
_DRIVERS = ("/dev/nvidiactl", "/dev/dxg")
_KEPT_READ_ONLY = (b"/proc/sys", b"/proc/sysrq-trigger")
"""Below /proc, what changes the whole computer."""


def cuda_writes_to_proc() -> bool:
    """Whether CUDA may be used here: it names its threads through /proc, and fails with error 304 where it cannot."""
    return any(map(os.path.exists, _DRIVERS))


def can_separate(network: bool) -> bool:
    """Whether this computer has all that ``separate`` needs."""
    return _works(lambda: separate((os.getcwd(),), network))


def can_have_own_network() -> bool:
    """Whether this computer has all that ``enter_own_network`` needs."""
    return _works(enter_own_network)


def _works(attempt: Callable[[], None]) -> bool:
    """Whether something can be done: a process of its own tries it, for it may fail halfway."""
    if not sys.platform.startswith("linux"):
        return False
    child = os.fork()
    if child == 0:
        code = 1
        try:
            with contextlib.suppress(Exception):
                attempt()
                code = 0
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1] == 0


def separate(folders: Sequence[str], network: bool) -> None:
    """Let this process and its children change files in ``folders`` and devices only, and reach no other computer.

    Where CUDA may be used they can also write to /proc, except to what changes the whole computer. With ``network``
    they may reach all. Raises OSError where the kernel does not allow it, perhaps after a part of it.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    own = _own_addresses()
    with _namespace(libc, _NEW_FILES):
        _try(libc.mount, None, b"/", None, _SLAVE | _RECURSIVE, None)
        writable = [os.fsencode(os.path.realpath(folder)) for folder in folders]
        for folder in writable:
            _try(libc.mount, folder, folder, None, _BIND | _RECURSIVE, None)
        _set_read_only(libc, b"/", True)
        for folder in (*writable, b"/dev"):
            _set_read_only(libc, folder, False)
        if cuda_writes_to_proc():
            _open_proc(libc)
        if not network:
            _try(libc.unshare, _NEW_NETWORK)
            _start_loopback(own)
    os.chdir(os.getcwd())  # the folder there was is the read-only one


def enter_own_network() -> None:
    """Let this process and its children reach only each other, not even those that were separated with them before.

    Then programs that run at the same time can take the same port. Raises OSError where the kernel does not allow it.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    own = _own_addresses()
    with _namespace(libc, _NEW_NETWORK):
        _start_loopback(own)


@contextlib.contextmanager
def _namespace(libc: Any, kind: int) -> Iterator[None]:
    """Enter a new namespace, as root or in a user namespace, whose capabilities are given up at the end."""
    is_root = os.geteuid() == 0 and libc.unshare(kind) == 0
    if not is_root:
        _enter_user_namespace(libc)
        _try(libc.unshare, kind)
    yield
    if not is_root:
        _give_up_capabilities(libc)


def _give_up_capabilities(libc: Any) -> None:
    _try(libc.capset, struct.pack("=Ii", _CAPABILITIES, 0), bytes(24))


def _try(call: Callable[..., int], *arguments: Any) -> None:
    """Make a call of the C library, and raise what it says."""
    if call(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _enter_user_namespace(libc: Any) -> None:
    """Become the same user in a namespace where it may make the others."""
    user, group = os.geteuid(), os.getegid()
    _try(libc.unshare, _NEW_USER)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with open(f"/proc/self/{name}", "wb") as file:
            file.write(text.encode())


def _set_read_only(libc: Any, folder: bytes, wanted: bool) -> None:
    """Make a mount and all below it read-only, or a mount writable again."""
    attributes = struct.pack("=QQQQ", _READ_ONLY * wanted, _READ_ONLY * (not wanted), 0, 0)
    _try(libc.syscall, _MOUNT_SETATTR, _HERE, folder, _ALL_BELOW, attributes, ctypes.c_size_t(len(attributes)))


def _open_proc(libc: Any) -> None:
    """Make /proc writable, but for what is kept read-only."""
    for path in _KEPT_READ_ONLY:
        if os.path.exists(path):
            _try(libc.mount, path, path, None, _BIND, None)
    attributes = struct.pack("=QQQQ", 0, _READ_ONLY, 0, 0)
    _try(libc.syscall, _MOUNT_SETATTR, _HERE, b"/proc", 0, attributes, ctypes.c_size_t(len(attributes)))


def _own_addresses() -> list[str]:
    """The addresses that this computer's own name stands for, of those that are not known without a network."""
    found = []
    with contextlib.suppress(OSError, UnicodeError), open("/etc/hosts", encoding="utf-8") as file:
        for line in file:
            address, *names = line.partition("#")[0].split() or [""]
            if os.uname().nodename in names and "." in address and not address.startswith("127."):
                found.append(address)
    return found


def _start_loopback(addresses: Sequence[str]) -> None:
    """Let a process talk to others of its own network, also under the name of the computer."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, _SET_FLAGS, struct.pack("16sH14x", b"lo", _UP))
        for number, address in enumerate(addresses):
            with contextlib.suppress(OSError):
                place = struct.pack("=H2x4s8x", socket.AF_INET, socket.inet_aton(address))
                fcntl.ioctl(control, _SET_ADDRESS, struct.pack("16s16s", f"lo:{number + 1}".encode(), place))
