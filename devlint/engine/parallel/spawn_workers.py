"""Worker processes that are new interpreters, for systems without fork and for processes with threads.

Unlike those of ``multiprocessing``, they do not import the main module of the program that starts them.
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
from devlint.engine.parallel.worker import FileAnalyzer
from devlint.engine.parallel.worker_process import WorkerProcess, described, no_interrupt

_CHUNK_SIZE = 1 << 18
_PATIENCE = 0.2
"""Seconds after which a wait ends, so that Ctrl-C is noticed on systems where it does not interrupt one."""


class SpawnStarter:
    """Starts workers as new interpreters."""

    def __init__(self, runner: FileAnalyzer) -> None:
        """Raises an error of pickle's if the runner cannot be pickled."""
        self._runner = framed(pickle.dumps(runner, pickle.HIGHEST_PROTOCOL))
        self._received: queue.SimpleQueue[tuple[WorkerProcess, bytes]] = queue.SimpleQueue()

    def start(self) -> WorkerProcess:
        """Start one more worker; raises OSError."""
        return _SpawnedWorker(self._runner, self._received)

    def receive(self, wait: bool) -> list[tuple[WorkerProcess, bytes]]:
        """Bytes that workers have sent, in chunks of any length; an empty one from a worker that has ended."""
        received: list[tuple[WorkerProcess, bytes]] = []
        with contextlib.suppress(queue.Empty):
            while wait and not received:
                with contextlib.suppress(queue.Empty):
                    received.append(self._received.get(timeout=_PATIENCE))
            while True:
                received.append(self._received.get_nowait())
        return received


class _SpawnedWorker:
    """One interpreter, and the thread that reads its answers."""

    def __init__(self, runner: bytes, heard: queue.SimpleQueue[tuple[WorkerProcess, bytes]]) -> None:
        with no_interrupt():  # which it inherits: Ctrl-C reaches all processes, and the parent ends these
            self._process = subprocess.Popen(
                _command(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # the same for Windows
            )
        self._runner = runner
        self._received = heard
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        """Pass on its answers until it ends."""
        self.send(self._runner)
        assert self._process.stdout is not None
        chunk: bytes | None = None
        while chunk != b"":
            chunk = os.read(self._process.stdout.fileno(), _CHUNK_SIZE)
            self._received.put((self, chunk))

    def send(self, data: bytes) -> None:
        """Send bytes to it while it waits for some."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # a broken pipe, which has several errors on Windows
            view = memoryview(data)
            while view:
                view = view[self._process.stdin.write(view) or 0 :]

    def end(self) -> str:
        """Kill it if it still runs, and describe how it ended."""
        self._process.kill()
        status = self._process.wait()
        self._listener.join()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        return described(status)


def _command() -> list[str]:
    """The command line of a worker, which imports from ``sys.path`` of this process and not from the current folder."""
    flags = [f"-Xutf8={sys.flags.utf8_mode}", *(f"-W{option}" for option in sys.warnoptions)]
    flags += [
        flag for flag, is_set in (("-B", sys.dont_write_bytecode), ("-E", sys.flags.ignore_environment)) if is_set
    ]
    program = f"import sys; sys.path[:] = {ascii(sys.path)}; from devlint.engine.parallel.worker import main; main()"
    return [sys.executable, *flags, "-c", program]
