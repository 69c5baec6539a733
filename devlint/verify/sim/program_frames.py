"""Finds the line of the user's program that is being run, below the frames of torch and of devlint."""

from __future__ import annotations

import os
import sys
import threading
from typing import Any

import torch

_LIBRARY = (
    os.path.dirname(os.path.abspath(torch.__file__)),
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
    "<",
)
_INSTALLED = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}", os.path.dirname(os.__file__) + os.sep)


def is_of_a_library(name: str) -> bool:
    """Whether a file of this name is no part of the program: of torch, devlint, Python, what is installed."""
    return name.startswith(_LIBRARY) or any(part in name for part in _INSTALLED)


def program_line() -> tuple[str, int] | None:
    """File and line of the innermost frame of the program; if there is none, of the innermost outside torch.

    In the threads that autograd starts for a GPU nothing of the program runs: its main thread waits for them.
    """
    found, outside = _lines_of(sys._getframe())
    if found is None and threading.get_ident() != threading.main_thread().ident:
        found, _ = _lines_of(sys._current_frames().get(threading.main_thread().ident or 0))
    return found or outside


def _lines_of(frame: Any) -> tuple[tuple[str, int] | None, tuple[str, int] | None]:
    """The innermost line of the program, and the innermost outside torch; the second only where there is no first."""
    outside: tuple[str, int] | None = None
    while frame is not None:
        name = frame.f_code.co_filename
        if not is_of_a_library(name):
            return (name, frame.f_lineno), None
        if not name.startswith(_LIBRARY):
            outside = outside or (name, frame.f_lineno)
        frame = frame.f_back
    return None, outside


def program_place() -> str:
    """The line of the program, as people are told of it; empty if there is none."""
    found = program_line()
    return f"{os.path.basename(found[0])}:{found[1]}" if found else ""
