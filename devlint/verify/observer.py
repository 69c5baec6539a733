"""Starts the server process that runs programs, sends it requests, and reads the observations."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Any

from devlint.verify.comparing.observation import Observation
from devlint.verify.errors import VerifyError
from devlint.verify.program import Limits, Program, Setting, request
from devlint.verify.scratch_folder import scratch_folder
from devlint.verify.secret_variables import without_secrets

_ENVIRONMENT: Mapping[str, str] = {
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MPLBACKEND": "Agg",
    "HF_HUB_OFFLINE": "1",
    "WANDB_MODE": "disabled",
    "COLUMNS": "80",
}


class Observer:
    """Runs programs: ``with Observer() as observer: observer.observe(program, CPU)``."""

    def __init__(self, limits: Limits | None = None, python: str = sys.executable, passed: Sequence[str] = ()) -> None:
        """``passed`` are the variables of the environment that programs get although they look like secrets."""
        self.limits = limits or Limits()
        self._passed = passed
        self._python = python
        self.torch = ""
        self.accelerators: tuple[str, ...] = ()
        """The real accelerators of this computer: cuda, xpu, mps."""
        self._process: subprocess.Popen[str] | None = None
        self._remembered: dict[tuple[Program, Setting], Observation] = {}

    def __enter__(self) -> Observer:
        if not hasattr(os, "fork"):
            raise VerifyError("verifying needs an operating system with fork: Linux or macOS")
        with ExitStack() as until_started:
            self._folder = until_started.enter_context(scratch_folder())
            self._start()
            self._at_end = until_started.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()
        self._at_end.close()

    def folder(self, name: str) -> str:
        """A temporary folder of that name, removed at the end."""
        path = os.path.join(self._folder, name)
        os.makedirs(path, exist_ok=True)
        return path

    def _start(self) -> None:
        given = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
        paths = [self._folder_with_devlint(), *map(os.path.abspath, given)]
        self._process = subprocess.Popen(
            [self._python, "-m", "devlint.verify.child.server", *["--network"] * self.limits.network],
            env={
                **without_secrets(os.environ, self._passed),
                **_ENVIRONMENT,
                "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths)),
            },
            cwd=self._folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            start_new_session=True,
        )
        ready = self._answer()
        self.torch, self.accelerators = ready["torch"], tuple(ready["accelerators"])

    def _folder_with_devlint(self) -> str:
        """A folder that has devlint and nothing else that would hide the modules of another Python."""
        folder = self.folder("devlint")
        link = os.path.join(folder, "devlint")
        if not os.path.lexists(link):
            os.symlink(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), link)
        return folder

    def _stop(self) -> None:
        process = self._process
        if process is None:
            return
        try:
            if sys.exc_info()[0] is None:
                process.communicate()
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
            process.communicate()
            self._process = None

    def _restart(self) -> None:
        """Start the server process again after a program has killed it."""
        assert self._process is not None
        self._process.communicate()
        self._start()

    def _answer(self) -> dict[str, Any]:
        assert self._process is not None and self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise VerifyError("the process that runs programs has ended; is torch in order? python -c 'import torch'")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def observe(self, program: Program, setting: Setting, again: bool = False) -> Observation:
        """Run a program in a setting; the same run is remembered, unless ``again``."""
        key = program, setting
        if not again and key in self._remembered and self._remembered[key].program.env == program.env:
            return self._remembered[key]
        found = self._observe(program, setting)
        if not again:
            self._remembered[key] = found
        return found

    def forget(self) -> None:
        """Forget all runs."""
        self._remembered.clear()

    def _observe(self, program: Program, setting: Setting) -> Observation:
        assert self._process is not None and self._process.stdin is not None
        folder = tempfile.mkdtemp(dir=self._folder)
        try:
            scratch = os.path.join(folder, "scratch")
            os.mkdir(scratch)
            os.mkdir(os.path.join(folder, "tmp"))
            for path in program.data:
                os.symlink(os.path.abspath(path), os.path.join(scratch, os.path.basename(os.path.abspath(path))))
            self._process.stdin.write(json.dumps(request(program, setting, self.limits, folder)) + "\n")
            self._process.stdin.flush()
            try:
                answer = self._answer()
            except VerifyError:
                self._restart()
                answer = {"code": None, "ended": "watcher", "seconds": 0.0}
            return Observation.read(program, setting, self.limits, folder, answer)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
