"""The processes that watch over programs: one for each run, so that several can run at the same time."""

from __future__ import annotations

import contextlib
import json
import os
import signal
from typing import Any

from devlint.verify.child.supervise import TERMINATED, adopt_orphans, end_family, supervise
from devlint.verify.namespaces import enter_own_network


class Watchers:
    """Forks a watcher for each request, which runs the program and answers."""

    def __init__(self, answers: int, own_network: bool) -> None:
        """``answers`` is where they are written; ``own_network``: programs at the same time may take the same port."""
        self._answers = answers
        self._own_network = own_network
        self._numbers: dict[int, int] = {}
        """The runs by the process id of their watcher."""
        self._cancelled: set[int] = set()

    @property
    def are_busy(self) -> bool:
        """Whether a program is running."""
        return bool(self._numbers)

    def answer(self, answer: dict[str, Any]) -> None:
        """Write an answer, in one piece, for watchers write too."""
        os.write(self._answers, json.dumps(answer).encode() + b"\n")

    def start(self, request: dict[str, Any]) -> None:
        """Run the program of a request."""
        child = os.fork()
        if child == 0:
            self._watch(request)
        self._numbers[child] = request["number"]

    def _watch(self, request: dict[str, Any]) -> None:
        """In the watcher: run the program, and answer; never returns."""
        code = 1
        try:
            adopt_orphans()
            if self._own_network:
                enter_own_network()
            self.answer({"number": request["number"], **supervise(request)})
            code = 0
        except SystemExit:
            code = TERMINATED
        finally:
            os._exit(code)

    def cancel(self, number: int) -> None:
        """End a run, if it has not ended yet."""
        for pid, other in self._numbers.items():
            if other == number:
                self._cancelled.add(number)
                os.kill(pid, signal.SIGTERM)

    def collect(self) -> None:
        """Answer for the watchers that have ended without an answer, and end what they have left running."""
        for pid in list(self._numbers):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                number = self._numbers.pop(pid)
                if status:
                    end_family(self._numbers)
                    word = "cancelled" if number in self._cancelled else "watcher"
                    self.answer({"number": number, "code": None, "ended": word, "seconds": 0.0})

    def end(self) -> None:
        """End all runs."""
        for number in list(self._numbers.values()):
            self.cancel(number)
        for pid in self._numbers:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
