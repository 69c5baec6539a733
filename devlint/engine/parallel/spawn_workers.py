"""Workers that are fresh interpreters: where there is no fork, or it is not safe, and for processes with threads.

Nothing of the program that has started them is run again, guarded or not: it is no business of theirs.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import subprocess
import sys
import threading

from devlint.engine.parallel.messages import framed
from devlint.engine.parallel.worker import Looks
from devlint.engine.parallel.worker_process import Hand, described, no_interrupt

_PIECE = 1 << 18
_PATIENCE = 0.2
"""Seconds: where a wait cannot be interrupted, it must end by itself for Ctrl-C to be noticed."""


class Spawned:
    """A crew of fresh interpreters."""

    def __init__(self, runner: Looks) -> None:
        """Raises what pickle raises where that cannot be sent."""
        self._runner = framed(pickle.dumps(runner, pickle.HIGHEST_PROTOCOL))
        self._heard: queue.SimpleQueue[tuple[Hand, bytes]] = queue.SimpleQueue()

    def start(self) -> Hand:
        """One worker more; raises OSError."""
        return _Interpreter(self._runner, self._heard)

    def hear(self, wait: bool) -> list[tuple[Hand, bytes]]:
        """What workers have said, in pieces of any length; nothing at all from one that has ended."""
        heard: list[tuple[Hand, bytes]] = []
        with contextlib.suppress(queue.Empty):
            while wait and not heard:
                with contextlib.suppress(queue.Empty):
                    heard.append(self._heard.get(timeout=_PATIENCE))
            while True:
                heard.append(self._heard.get_nowait())
        return heard


class _Interpreter:
    """One fresh interpreter, and the thread that listens to it."""

    def __init__(self, runner: bytes, heard: queue.SimpleQueue[tuple[Hand, bytes]]) -> None:
        with no_interrupt():  # which it inherits: Ctrl-C reaches all processes, and the parent ends these
            self._process = subprocess.Popen(
                _command(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # the same for Windows
            )
        self._runner = runner
        self._heard = heard
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        """Pass on what it says, until it ends."""
        self.send(self._runner)
        assert self._process.stdout is not None
        piece: bytes | None = None
        while piece != b"":
            piece = os.read(self._process.stdout.fileno(), _PIECE)
            self._heard.put((self, piece))

    def send(self, data: bytes) -> None:
        """Give it bytes; it must be waiting for some."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # a broken pipe, which has several errors on Windows
            view = memoryview(data)
            while view:
                view = view[self._process.stdin.write(view) or 0 :]

    def end(self) -> str:
        """End it if it has not ended, and say how it did."""
        self._process.kill()
        status = self._process.wait()
        self._listener.join()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        return described(status)


def _command() -> list[str]:
    """What starts a worker that imports from where this process does, and from nowhere else: not the current folder."""
    flags = [f"-Xutf8={sys.flags.utf8_mode}", *(f"-W{option}" for option in sys.warnoptions)]
    flags += [
        flag for flag, is_set in (("-B", sys.dont_write_bytecode), ("-E", sys.flags.ignore_environment)) if is_set
    ]
    program = f"import sys; sys.path[:] = {ascii(sys.path)}; from devlint.engine.parallel.worker import main; main()"
    return [sys.executable, *flags, "-c", program]
