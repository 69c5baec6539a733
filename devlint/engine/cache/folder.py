"""The folder of a cache: which one is devlint's own, what is in it, and how it is made, kept small and removed."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator

from devlint.core.file_reading import open_regular_file
from devlint.core.lazy_regex import regex

NAME = ".devlint_cache"
_TAG = "CACHEDIR.TAG"
_SIGNATURE = b"Signature: 8a477f597d28d172789f06886806bc55\n# This file is a cache directory tag created by devlint.\n"
_ABOUT = b"# What it means: https://bford.info/cachedir/\n# `devlint clean` removes this folder.\n"
_MARKS = {_TAG: _SIGNATURE + _ABOUT, ".gitignore": b"*\n"}
_RESULTS = regex(r"[0-9a-f]{12}-[0-9a-f]{20}\.json")
_MOST = 64
"""Files of one devlint that are kept: one for each set of options."""
_MOST_OF_OTHERS = 8
_LONGEST = 30 * 24 * 3600
"""Seconds after which a file that nobody uses goes."""
_DAY = 24 * 3600


def file_name(code: str, context: str) -> str:
    """The name of the file for results of some code under some settings."""
    return f"{code[:12]}-{context[:20]}.json"


def is_ours(folder: str) -> bool:
    """Whether a folder was made by devlint for this."""
    try:
        with open_regular_file(os.path.join(folder, _TAG)) as file:
            return file.read(len(_SIGNATURE)) == _SIGNATURE
    except (OSError, ValueError):
        return False


def prepare_folder(folder: str) -> bool:
    """Make a folder devlint's own; False where it belongs to somebody else. May raise OSError or ValueError."""
    if is_ours(folder):
        return True
    os.makedirs(folder, exist_ok=True)
    if os.listdir(folder):
        return is_ours(folder)  # another run may have made it just now
    for name, data in _MARKS.items():
        with contextlib.suppress(FileExistsError), open(os.path.join(folder, name), "xb") as file:
            file.write(data)
    return True


def used(path: str) -> None:
    """Remember that a file of a cache is of use."""
    with contextlib.suppress(OSError):
        if time.time() - os.stat(path).st_mtime > _DAY:
            os.utime(path)


def tidy(folder: str, code: str) -> None:
    """Remove what is old, and the files of other code but for a few: another devlint may be in use too."""
    with contextlib.suppress(OSError):
        with os.scandir(folder) as listing:
            found = sorted((one.stat().st_mtime, one.name) for one in listing if _RESULTS.fullmatch(one.name))
        left = {True: _MOST, False: _MOST_OF_OTHERS}
        for changed, name in sorted(found, reverse=True):
            is_own = name.startswith(code[:12])
            left[is_own] -= 1
            if left[is_own] < 0 or time.time() - changed >= _LONGEST:
                os.unlink(os.path.join(folder, name))


def below(path: str) -> Iterator[str]:
    """The folders below ``path``, and it itself, that are called as caches are."""
    if os.path.basename(os.path.abspath(path)) == NAME:
        yield path
        return
    waiting = [path]
    while waiting:  # the walk of Python before 3.12 ends in folders a thousand deep
        folder = waiting.pop()
        inner = _folders_in(folder)
        if NAME in inner:
            yield os.path.normpath(os.path.join(folder, NAME))
        waiting += [os.path.join(folder, name) for name in inner if name not in (NAME, ".git")]


def _folders_in(folder: str) -> list[str]:
    """The names of the folders in a folder, the last first; a cache may be a link to one."""
    with contextlib.suppress(OSError), os.scandir(folder) as listing:
        return sorted((one.name for one in listing if one.is_dir(follow_symlinks=one.name == NAME)), reverse=True)
    return []


def remove(folder: str) -> None:
    """Remove what devlint has put into a folder of its own, and the folder where nothing else is in it."""
    from devlint.sources.file_writing import remove_leftovers

    remove_leftovers(folder)
    for name in sorted(os.listdir(folder), key=lambda name: name == _TAG):  # the tag goes last
        if name in _MARKS or _RESULTS.fullmatch(name):
            os.unlink(os.path.join(folder, name))
    with contextlib.suppress(OSError):
        os.rmdir(folder)
