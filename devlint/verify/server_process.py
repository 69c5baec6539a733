"""The process that runs programs: takes requests, and answers each when its program has ended."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from devlint.verify.errors import VerifyError
from devlint.verify.secret_variables import without_secrets

SERVER = "devlint.verify.child.server"
"""The module that is run; tests have one to which the simulated GPU is a real one."""
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


class ServerProcess:
    """A process of ``devlint.verify.child.server``, in the folder that holds those of all runs."""

    def __init__(self, python: str, folder: str, passed: Sequence[str], network: bool) -> None:
        """``passed`` are the variables of the environment that programs get although they look like secrets."""
        self._command = [python, "-m", SERVER, *["--network"] * network]
        self._folder = folder
        self._passed = passed
        self._process: subprocess.Popen[bytes] | None = None
        self._heard = b""

    def start(self) -> dict[str, Any]:
        """Start it; what it says of torch and of the accelerators of this computer."""
        given = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
        paths = [self._folder_with_devlint(), *map(os.path.abspath, given)]
        self._heard = b""
        self._process = subprocess.Popen(
            self._command,
            env={
                **without_secrets(os.environ, self._passed),
                **_ENVIRONMENT,
                "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths)),
            },
            cwd=self._folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        ready = self.answer()
        assert ready is not None
        return ready

    def _folder_with_devlint(self) -> str:
        """A folder that has devlint and nothing else that would hide the modules of another Python."""
        folder = os.path.join(self._folder, "devlint")
        os.makedirs(folder, exist_ok=True)
        link = os.path.join(folder, "devlint")
        if not os.path.lexists(link):
            os.symlink(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), link)
        return folder

    def stop(self) -> None:
        """End it: at once if an exception is on its way."""
        process = self._process
        if process is None:
            return
        try:
            if sys.exc_info()[0] is None:
                with suppress(VerifyError):
                    self.send({"end": True})  # a fork of this process may live on, and keep the pipe open
                process.communicate()
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
            process.communicate()
            self._process = None

    def restart(self) -> None:
        """Start it again after a program has killed it."""
        assert self._process is not None
        self._process.communicate()
        self.start()

    def send(self, request: dict[str, Any]) -> None:
        """Send a request: a program to run, or the number of a run to end."""
        assert self._process is not None and self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise VerifyError(_ENDED) from None

    def answer(self, seconds: float | None = None) -> dict[str, Any] | None:
        """The next answer; None if none comes for so long."""
        assert self._process is not None and self._process.stdout is not None
        deadline = None if seconds is None else time.monotonic() + seconds
        pipe = self._process.stdout.fileno()
        while b"\n" not in self._heard:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            if not select.select([pipe], [], [], left)[0]:
                return None
            more = os.read(pipe, 1 << 16)
            if not more:
                raise VerifyError(_ENDED)
            self._heard += more
        line, _, self._heard = self._heard.partition(b"\n")
        found: dict[str, Any] = json.loads(line)
        return found


_ENDED = "the process that runs programs has ended; is torch in order? python -c 'import torch'"
