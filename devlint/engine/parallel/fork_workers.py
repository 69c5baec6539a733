"""Workers that are copies of this process: they have loaded what it has, and are there in a few milliseconds."""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal

from devlint.engine.parallel.worker import Looks, serve
from devlint.engine.parallel.worker_process import Hand, described, no_interrupt

_PIECE = 1 << 18


class Forked:
    """A crew of copies."""

    def __init__(self, runner: Looks) -> None:
        self._runner = runner
        self._hands: dict[int, _Copy] = {}
        """The workers that are heard, by the end of the pipe where they are."""
        self._poll = select.poll()

    def start(self) -> Hand:
        """One worker more; raises OSError."""
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
        hand = _Copy(process, tasks_in, answers_out)
        self._hands[answers_out] = hand
        self._poll.register(answers_out, select.POLLIN)
        return hand

    def hear(self, wait: bool) -> list[tuple[Hand, bytes]]:
        """What workers have said, in pieces of any length; nothing at all from one that has ended."""
        heard: list[tuple[Hand, bytes]] = []
        for end, _ in self._poll.poll(None if wait else 0):
            piece = os.read(end, _PIECE)
            heard.append((self._hands[end], piece))
            if not piece:
                self._poll.unregister(end)
                del self._hands[end]
        return heard

    def _be_worker(self, tasks: int, answers: int, others: tuple[int, ...]) -> None:
        """Work in the new process, which ends here whatever happens: what runs above is the parent's business."""
        status = 1
        try:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes, and the parent ends these
            signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT,))
            for end in others:
                os.close(end)
            for hand in self._hands.values():
                hand.close()  # else a pipe to another worker would stay open when the parent is gone
            with open(tasks, "rb") as to_do, open(answers, "wb") as done:
                serve(self._runner, to_do, done)
            status = 0
        finally:
            os._exit(status)


class _Copy:
    """One forked worker."""

    def __init__(self, process: int, tasks: int, answers: int) -> None:
        self._process = process
        self._tasks = tasks
        self._answers = answers

    def send(self, data: bytes) -> None:
        """Give it bytes; it must be waiting for some."""
        with contextlib.suppress(BrokenPipeError):
            while data:
                data = data[os.write(self._tasks, data) :]

    def close(self) -> None:
        """Close this side of its pipes."""
        os.close(self._tasks)
        os.close(self._answers)

    def end(self) -> str:
        """End it if it has not ended, and say how it did."""
        self.close()
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._process, signal.SIGKILL)
        try:
            _, status = os.waitpid(self._process, 0)
        except ChildProcessError:  # somebody has told the system not to keep them
            return "it is not known how"
        return described(os.waitstatus_to_exitcode(status))
