"""File systems that a process of its own mounts to disturb `devlint fix` there: overlayfs, and tmpfs that fills up.

No root is needed, but namespaces that users may make (Linux); quotas do need root, and are only failing calls here.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import sys
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from benchmarks.fault_ground import COUNT, Ground

_NEW_FILES, _NEW_USER, _PRIVATE, _REMOUNT, _DETACH = 0x00020000, 0x10000000, 0x44000, 32, 2
FULL = (
    *(f"size={4 * pages}k" for pages in (COUNT, COUNT + 1)),
    *(f"nr_inodes={COUNT + 1 + more}" for more in range(4)),
)
"""Of tmpfs, which stores whole pages of 4 KiB, and whose own folder is an inode."""


def in_own_mounts(task: Callable[[], int]) -> int | None:
    """What a task returns in a process that may mount; None where the system allows none."""
    if not sys.platform.startswith("linux"):
        return None
    child = os.fork()
    if child == 0:
        code = 98
        try:
            if _may_mount():
                code = 1  # until the task has ended well
                code = task()
            sys.stdout.flush()
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return None if code == 98 else code


def _may_mount() -> bool:
    user, group, libc = os.geteuid(), os.getegid(), ctypes.CDLL(None)
    if libc.unshare(_NEW_USER | _NEW_FILES) != 0:
        return False
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1")):
        Path("/proc/self", name).write_text(text)
    return bool(libc.mount(None, b"/", None, _PRIVATE, None) == 0)


def _mount(kind: str, folder: Path, options: str, flags: int = 0) -> None:
    """Put a new file system in the place of a folder; raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(kind.encode(), bytes(folder), kind.encode(), flags, options.encode()) != 0:
        raise OSError(ctypes.get_errno(), f"cannot mount {kind} with {options}")


def _unmount(folder: Path) -> None:
    ctypes.CDLL(None).umount2(bytes(folder), _DETACH)


class OverlayGround(Ground):
    """Files of the lower layer of an overlay, as those of an image are in a container."""

    def __init__(self, folder: Path, is_lower_elsewhere: bool) -> None:
        layers = folder / "layers"
        layers.mkdir()
        _mount("tmpfs", layers, "size=64m")
        self._lower = (folder if is_lower_elsewhere else layers) / "lower"
        self._upper, self._work = layers / "upper", layers / "work"
        (layers / "merged").mkdir()
        super().__init__(layers / "merged")

    def reset(self) -> None:
        """Mount the overlay anew."""
        _unmount(self.folder)
        for folder in (self._lower, self._upper, self._work):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
        self.write(self._lower)
        _mount("overlay", self.folder, f"lowerdir={self._lower},upperdir={self._upper},workdir={self._work}")


def full_disks() -> Iterator[tuple[str, Callable[[Ground], tuple[int, str]]]]:
    """Runs on a tmpfs without room for all that they write; what looks at the files afterwards has enough."""

    def run(options: str, ground: Ground) -> tuple[int, str]:
        _mount("tmpfs", ground.folder, options)
        ground.write(ground.folder)
        done = ground.run()
        _mount("tmpfs", ground.folder, "size=4m,nr_inodes=1k", _REMOUNT)
        return done

    for options in FULL:
        yield f"full disks: {options}", partial(run, options)
