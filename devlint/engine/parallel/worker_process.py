"""How worker processes are started, spoken to, heard and ended; two ways, which are the same to those who use them."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from typing import Protocol


class Hand(Protocol):
    """One worker process, as the process sees it that has started it."""

    def send(self, data: bytes) -> None:
        """Give it bytes; it must be waiting for some. That it is dead is not told here: see ``Crew.hear``."""
        ...

    def end(self) -> str:
        """End it if it has not ended, and say how it did: ``exit code 3``, ``signal 11, SIGSEGV``."""
        ...


class Crew(Protocol):
    """The workers of a run."""

    def start(self) -> Hand:
        """One worker more; raises OSError."""
        ...

    def hear(self, wait: bool) -> list[tuple[Hand, bytes]]:
        """What workers have said, in pieces of any length; nothing at all from one that has ended."""
        ...


def described(status: int) -> str:
    """An exit status as people know it; negative for a signal."""
    if status >= 0:
        return f"exit code {status}"
    try:
        return f"signal {-status}, {signal.Signals(-status).name}"
    except ValueError:
        return f"signal {-status}"


@contextlib.contextmanager
def no_interrupt() -> Iterator[None]:
    """Keep Ctrl-C waiting while a process starts, which inherits that; where the system cannot, do nothing."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
