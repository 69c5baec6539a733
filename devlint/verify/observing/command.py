"""Runs a command on a simulated GPU, or a real one, and collects what the processes that import torch have seen."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence

from devlint.verify.errors import VerifyError
from devlint.verify.interpreter import find_python
from devlint.verify.observing.seen import Seen, read_notes
from devlint.verify.simulation import OBSERVE, child_environment, site_environment

_NOT_FOUND = 127
_MOST_SECONDS_TO_END = 20.0
_SECONDS_BETWEEN_LOOKS = 0.5


class ObservedCommand:
    """A command that can be run again and again."""

    def __init__(
        self,
        words: Sequence[str] | str,
        paths: Sequence[str] = (),
        python: str | None = None,
        devices: int = 1,
        timeout: float | None = None,
    ) -> None:
        """A text is for the shell; code outside ``paths`` is taken for a library's, if there are some."""
        self._words = words
        self._paths = [os.path.abspath(path) for path in paths]
        self._python = find_python(python)
        self._devices = devices
        self._timeout = timeout

    def run(
        self,
        mends: bool = True,
        functions: bool = True,
        output: int | None = None,
        may_be_interrupted: bool = False,
    ) -> tuple[int, Seen]:
        """The exit code of the command, and what was seen; its standard output goes to ``output``.

        With ``may_be_interrupted`` what was seen until then is given back if somebody presses Ctrl-C.
        """
        with tempfile.TemporaryDirectory(prefix="devlint-observe-") as folder:
            wish = {"folder": folder, "paths": self._paths, "mends": mends, "functions": functions}
            environment = {**self._environment(), OBSERVE: json.dumps(wish)}
            code = self._execute(environment, output, may_be_interrupted)
            return code, read_notes(folder)

    def _environment(self) -> dict[str, str]:
        simulated = child_environment(self._devices, "shared") if not has_real_gpu() else site_environment()
        path = os.pathsep.join([os.path.dirname(self._python), os.environ.get("PATH", "")])
        return {**os.environ, "TORCHDYNAMO_DISABLE": "1", "PATH": path, **simulated}

    def _execute(self, environment: dict[str, str], output: int | None, may_be_interrupted: bool) -> int:
        shell = isinstance(self._words, str)
        if not shell and shutil.which(self._words[0], path=environment["PATH"]) is None:
            script = self._words[0] == "-m" or self._words[0].endswith(".py")
            meant = f"; for a program of Python: devlint observe -- python {shlex.join(self._words)}" if script else ""
            raise VerifyError(f"there is no command {self._words[0]!r}{meant}")
        sys.stdout.flush()
        try:
            with subprocess.Popen(self._words, shell=shell, env=environment, stdout=output) as process:
                code = self._wait(process, may_be_interrupted)
        except OSError as error:
            raise VerifyError(f"the command cannot be started: {error.strerror}") from None
        if shell and code == _NOT_FOUND:
            raise VerifyError(f"the shell does not find a command in {self._words!r}")
        return code

    def _wait(self, process: subprocess.Popen[bytes], may_be_interrupted: bool) -> int:
        """The exit code of a process; one that takes too long is killed."""
        end = time.monotonic() + self._timeout if self._timeout is not None else None
        with _interruptions(may_be_interrupted) as interrupted:
            while True:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    return process.wait(_SECONDS_BETWEEN_LOOKS)
                if interrupted and time.monotonic() > interrupted[0] + _MOST_SECONDS_TO_END:
                    process.kill()
                    return process.wait()
                if end is not None and not interrupted and time.monotonic() > end:
                    process.kill()
                    raise VerifyError(f"the command did not end within {self._timeout:g} s")


@contextlib.contextmanager
def _interruptions(wanted: bool) -> Iterator[list[float]]:
    """When somebody pressed Ctrl-C, which the command is told as well; here it raises nothing if that is ``wanted``.

    An exception between the end of a process and the note of how it ended would lose its exit code.
    """
    found: list[float] = []
    if not wanted or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield found
        return
    signal.signal(signal.SIGINT, lambda *_: found.append(time.monotonic()))
    try:
        yield found
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def has_real_gpu() -> bool:
    """Whether there is a GPU that CUDA can use; asked of its driver, since torch takes seconds to start."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is not None and not visible.replace(",", "").isdigit():
        return False
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int(0)
    return driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0
