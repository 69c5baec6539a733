"""The common interface of forked and spawned worker processes."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from typing import Protocol


class WorkerProcess(Protocol):
    """One worker process, as seen from its parent."""

    def send(self, data: bytes) -> None:
        """Send bytes to it while it waits for some; ``WorkerStarter.receive`` tells whether it has died."""
        ...

    def end(self) -> str:
        """Kill it if it still runs, and describe how it ended: ``exit code 3``, ``signal 11, SIGSEGV``."""
        ...


class WorkerStarter(Protocol):
    """Starts the workers of a run and receives their answers."""

    def start(self) -> WorkerProcess:
        """Start one more worker; raises OSError."""
        ...

    def receive(self, wait: bool) -> list[tuple[WorkerProcess, bytes]]:
        """Bytes that workers have sent, in chunks of any length; an empty one from a worker that has ended."""
        ...


def described(status: int) -> str:
    """An exit status in words; a negative one is a signal."""
    if status >= 0:
        return f"exit code {status}"
    try:
        return f"signal {-status}, {signal.Signals(-status).name}"
    except ValueError:
        return f"signal {-status}"


@contextlib.contextmanager
def no_interrupt() -> Iterator[None]:
    """Block SIGINT while a process starts, which inherits that; does nothing on systems without signal masks."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
