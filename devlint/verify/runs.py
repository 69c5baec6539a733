"""Runs programs side by side, and those that it must be sure of alone."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from devlint.verify.comparing.observation import Observation
from devlint.verify.errors import VerifyError
from devlint.verify.free_memory import free_memory
from devlint.verify.program import Limits, Program, Setting, request
from devlint.verify.server_process import ServerProcess

ROOM = 2 << 30
"""Bytes that must be free for a run to start beside another one."""
SHORT = 1 << 30
"""Where less than this is free, the run that has started last gives way."""
_GLANCE = 0.25
_WATCHER_KILLED: dict[str, Any] = {"code": None, "ended": "watcher", "seconds": 0.0}


@dataclass(eq=False)
class _Run:
    """One run of a program, from when it is wanted until it is over."""

    program: Program
    setting: Setting
    alone: bool
    """Whether no other may run at the same time."""
    number: int = 0
    folder: str = ""
    beside: bool = False
    """Whether another one ran at the same time."""
    is_given_up: bool = False
    found: Observation | None = field(default=None, repr=False)


class Runs:
    """The runs of one server process: one at a time, or up to ``most`` of those that are known ahead."""

    def __init__(self, server: ServerProcess, limits: Callable[[], Limits], folder: str, most: int = 1) -> None:
        self._server = server
        self._limits = limits
        self._folder = folder
        self._most = most if most == 1 or free_memory() is not None else 1
        self._ahead: dict[tuple[Program, Setting], _Run] = {}
        self._waiting: list[_Run] = []
        self._running: dict[int, _Run] = {}
        self._count = 0
        self.beside: set[tuple[Program, Setting]] = set()
        """Those of which the result counts although another one ran at the same time."""

    def ahead(self, runs: Iterable[tuple[Program, Setting]]) -> None:
        """Begin with runs that will be asked for, if there may be several at a time.

        Not those that share a folder, where each finds what the one before has left, nor those on a real accelerator,
        of which there may be one only.
        """
        if self._most == 1:
            return
        for key in runs:
            program, setting = key
            if program.folder is None and setting.name in ("cpu", "simulated") and key not in self._ahead:
                self._ahead[key] = run = _Run(program, setting, alone=False)
                self._waiting.append(run)
        self._start()

    def result(self, program: Program, setting: Setting, again: bool = False) -> Observation:
        """What a run did, begun ahead or now; one that fails beside others is repeated alone before it is believed."""
        run = None if again else self._ahead.pop((program, setting), None)
        found = None if run is None else self._finished(run)
        if run is not None and found is not None:
            if not run.beside:
                return found
            if found.works or found.wants_cuda:
                self.beside.add((program, setting))
                return found
        self.beside.discard((program, setting))
        run = _Run(program, setting, alone=True)
        self._waiting.insert(0, run)
        return self._finished(run)

    def give_up(self, runs: Iterable[tuple[Program, Setting]] | None = None) -> None:
        """End some runs that nobody will ask for, or all that were begun ahead."""
        for key in list(self._ahead) if runs is None else runs:
            run = self._ahead.pop(key, None)
            if run in self._waiting:
                self._waiting.remove(run)
            elif run is not None and run.found is None:
                run.is_given_up = True
                self._server.send({"cancel": run.number})
        if runs is None:
            while self._running:
                self._hear()

    def _finished(self, run: _Run) -> Observation:
        while run.found is None:
            self._start()
            self._hear()
        return run.found

    def _start(self) -> None:
        """Start those waiting that may run now."""
        while self._waiting and self._may_start(self._waiting[0]):
            run = self._waiting.pop(0)
            for other in (*self._running.values(), *[run] * bool(self._running)):
                other.beside = True
            self._send(run)

    def _may_start(self, run: _Run) -> bool:
        if not self._running:
            return True
        if run.alone or len(self._running) >= self._most or any(one.alone for one in self._running.values()):
            return False
        return _is_free(ROOM)

    def _send(self, run: _Run) -> None:
        self._count += 1
        run.number, run.folder = self._count, tempfile.mkdtemp(dir=self._folder)
        self._running[run.number] = run
        scratch = os.path.join(run.folder, "scratch")
        os.mkdir(scratch)
        os.mkdir(os.path.join(run.folder, "tmp"))
        for path in run.program.data:
            os.symlink(os.path.abspath(path), os.path.join(scratch, os.path.basename(os.path.abspath(path))))
        try:
            self._server.send({"number": run.number, **request(run.program, run.setting, self._limits(), run.folder)})
        except VerifyError:
            self._start_anew()

    def _hear(self) -> None:
        """Wait for a moment for an answer, and see that the memory suffices."""
        try:
            answer = self._server.answer(_GLANCE)
        except VerifyError:
            self._start_anew()
            return
        if answer is None:
            self._make_room()
            return
        self._end(self._running.pop(answer["number"]), answer)

    def _end(self, run: _Run, answer: dict[str, Any]) -> None:
        """Read what a run did, or let it wait again if it had to give way."""
        try:
            if run.is_given_up:
                return
            if answer["ended"] == "cancelled":
                self._waiting.insert(0, _again(run))
            else:
                run.found = Observation.read(run.program, run.setting, self._limits(), run.folder, answer)
        finally:
            shutil.rmtree(run.folder, ignore_errors=True)

    def _make_room(self) -> None:
        """End the run that has started last if the memory does not suffice for all; it will be run alone."""
        if len(self._running) > 1 and not _is_free(SHORT):
            last = self._running[max(self._running)]
            if not last.alone:
                last.alone = True
                self._server.send({"cancel": last.number})

    def _start_anew(self) -> None:
        """A program has killed the server process: of several nobody knows which, so each runs alone."""
        runs = list(self._running.values())
        self._running.clear()
        self._server.restart()
        for run in reversed(runs):
            if len(runs) == 1:
                self._end(run, _WATCHER_KILLED)
            elif not run.is_given_up:
                shutil.rmtree(run.folder, ignore_errors=True)
                self._waiting.insert(0, _again(run))


def _again(run: _Run) -> _Run:
    run.alone, run.beside = True, False
    return run


def _is_free(memory: int) -> bool:
    free = free_memory()
    return free is not None and free > memory
