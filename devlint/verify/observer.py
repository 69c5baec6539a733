"""Runs programs, and reads what was observed of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from types import TracebackType

from devlint.verify.comparing.observation import Observation
from devlint.verify.errors import VerifyError
from devlint.verify.program import Limits, Program, Setting
from devlint.verify.runs import Runs
from devlint.verify.scratch_folder import scratch_folder
from devlint.verify.server_process import ServerProcess


class Observer:
    """Runs programs: ``with Observer() as observer: observer.observe(program, CPU)``."""

    def __init__(
        self, limits: Limits | None = None, python: str = sys.executable, passed: Sequence[str] = (), jobs: int = 1
    ) -> None:
        """``passed`` are the variables of the environment that programs get although they look like secrets."""
        self.limits = limits or Limits()
        self._passed = passed
        self._python = python
        self._jobs = jobs
        self.torch = ""
        self.accelerators: tuple[str, ...] = ()
        """The real accelerators of this computer: cuda, xpu, mps."""
        self._remembered: dict[tuple[Program, Setting], Observation] = {}

    def __enter__(self) -> Observer:
        if not hasattr(os, "fork"):
            raise VerifyError("verifying needs an operating system with fork: Linux or macOS")
        with ExitStack() as until_started:
            self._folder = until_started.enter_context(scratch_folder())
            server = ServerProcess(self._python, self._folder, self._passed, self.limits.network)
            until_started.callback(server.stop)
            ready = server.start()
            self._at_end = until_started.pop_all()
        self.torch, self.accelerators = ready["torch"], tuple(ready["accelerators"])
        self._runs = Runs(server, lambda: self.limits, self._folder, self._jobs)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._at_end.__exit__(kind, error, trace)

    def folder(self, name: str) -> str:
        """A temporary folder of that name, removed at the end."""
        path = os.path.join(self._folder, name)
        os.makedirs(path, exist_ok=True)
        return path

    def ahead(self, runs: Iterable[tuple[Program, Setting]]) -> None:
        """Begin with runs that will be observed, side by side, if there may be several at a time."""
        self._runs.ahead(key for key in runs if key not in self._remembered)

    def observe(self, program: Program, setting: Setting, again: bool = False) -> Observation:
        """Run a program in a setting; the same run is remembered, unless ``again``."""
        key = program, setting
        if not again and key in self._remembered:
            return self._remembered[key]
        found = self._runs.result(program, setting, again)
        if not again:
            self._remembered[key] = found
        return found

    def give_up(self, *runs: tuple[Program, Setting]) -> None:
        """End runs that were begun ahead and that nobody needs."""
        self._runs.give_up(runs or None)

    def forget_beside(self) -> bool:
        """Forget the runs that had others beside them, and end those begun ahead; whether there were any to forget."""
        self.give_up()
        found = self._remembered.keys() & self._runs.beside
        for key in found:
            del self._remembered[key]
        return bool(found)

    def forget(self) -> None:
        """Forget all runs."""
        self._remembered.clear()
        self._runs.beside.clear()
