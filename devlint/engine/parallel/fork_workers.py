"""Worker processes made with fork: they share the modules this process has loaded and start in milliseconds."""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal

from devlint.engine.parallel.worker import FileAnalyzer, serve
from devlint.engine.parallel.worker_process import WorkerProcess, described, no_interrupt

_CHUNK_SIZE = 1 << 18


class ForkStarter:
    """Starts workers with fork."""

    def __init__(self, runner: FileAnalyzer) -> None:
        self._runner = runner
        self._processes: dict[int, _ForkedWorker] = {}
        """The running workers, by the file descriptor that their answers are read from."""
        self._poll = select.poll()

    def start(self) -> WorkerProcess:
        """Start one more worker; raises OSError."""
        tasks_out, tasks_in = os.pipe()
        answers_out, answers_in = os.pipe()
        gc.freeze()  # what is there stays where it is: memory is shared until somebody writes to it
        try:
            with no_interrupt():
                process = os.fork()
                if process == 0:
                    self._be_worker(tasks_out, answers_in, (tasks_in, answers_out))
        except OSError:
            for end in (tasks_in, answers_out):
                os.close(end)
            raise
        finally:
            gc.unfreeze()
            os.close(tasks_out)
            os.close(answers_in)
        worker = _ForkedWorker(process, tasks_in, answers_out)
        self._processes[answers_out] = worker
        self._poll.register(answers_out, select.POLLIN)
        return worker

    def receive(self, wait: bool) -> list[tuple[WorkerProcess, bytes]]:
        """Bytes that workers have sent, in chunks of any length; an empty one from a worker that has ended."""
        received: list[tuple[WorkerProcess, bytes]] = []
        for end, _ in self._poll.poll(None if wait else 0):
            chunk = os.read(end, _CHUNK_SIZE)
            received.append((self._processes[end], chunk))
            if not chunk:
                self._poll.unregister(end)
                del self._processes[end]
        return received

    def _be_worker(self, tasks: int, answers: int, others: tuple[int, ...]) -> None:
        """Work in the new process and exit, so that it never returns into the parent's code."""
        status = 1
        try:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes, and the parent ends these
            signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT,))
            for end in others:
                os.close(end)
            for process in self._processes.values():
                process.close()  # else a pipe to another worker would stay open when the parent is gone
            with open(tasks, "rb") as to_do, open(answers, "wb") as done:
                serve(self._runner, to_do, done)
            status = 0
        finally:
            os._exit(status)


class _ForkedWorker:
    """One forked worker."""

    def __init__(self, process: int, tasks: int, answers: int) -> None:
        self._process = process
        self._tasks = tasks
        self._answers = answers

    def send(self, data: bytes) -> None:
        """Send bytes to it while it waits for some."""
        with contextlib.suppress(BrokenPipeError):
            while data:
                data = data[os.write(self._tasks, data) :]

    def close(self) -> None:
        """Close this side of its pipes."""
        os.close(self._tasks)
        os.close(self._answers)

    def end(self) -> str:
        """Kill it if it still runs, and describe how it ended."""
        self.close()
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._process, signal.SIGKILL)
        try:
            _, status = os.waitpid(self._process, 0)
        except ChildProcessError:  # somebody has told the system not to keep them
            return "it is not known how"
        return described(os.waitstatus_to_exitcode(status))
