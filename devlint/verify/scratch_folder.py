"""The folder in which programs run: locked while the run lives, so that the next can remove what a killed one left."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator

_PREFIX = "devlint-verify-"
_LOCK = "lock"


@contextlib.contextmanager
def scratch_folder() -> Iterator[str]:
    """A new folder, removed at the end; what killed runs of the same user left is removed first."""
    import fcntl  # not on Windows, where programs cannot be run either

    _remove_leftovers()
    folder = tempfile.mkdtemp(prefix=_PREFIX)
    try:
        new = os.path.join(folder, "new")
        with open(new, "wb") as lock:
            fcntl.flock(lock.fileno(), fcntl.LOCK_EX)
            os.rename(new, os.path.join(folder, _LOCK))  # from here on another run may look
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _remove_leftovers() -> None:
    import fcntl

    with contextlib.suppress(OSError), os.scandir(tempfile.gettempdir()) as listing:
        for one in [one for one in listing if one.name.startswith(_PREFIX)]:
            with contextlib.suppress(OSError):
                if one.is_dir(follow_symlinks=False) and one.stat(follow_symlinks=False).st_uid == os.getuid():
                    with open(os.path.join(one.path, _LOCK), "rb") as lock:
                        fcntl.flock(lock.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
                        shutil.rmtree(one.path, ignore_errors=True)
