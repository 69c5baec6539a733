"""A process that has imported torch once and forks a child for each program to run.

Started as ``python -m tests.support.program_server``; requests and answers are JSON, one a line.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import importlib.util
import json
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from devlint.verify.simulation import OBSERVE
from tests.support.paths import ROOT

PRELOADED = (
    "numpy",
    "torch",
    "torch._dynamo",  # the first optimizer step imports it
    "torch.distributed",
    "torch.utils.data",
    "tests.support.identity_cuda",
    "devlint.verify.sim.installation",
    "devlint.verify.watch.installation",
)
ONE_THREAD = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


@dataclass(frozen=True)
class Request:
    """One program to run; ``driver`` is a script that imports it under the name ``program``.

    ``patched`` pretends that there is CUDA, with tensors that stay on the CPU; ``simulated`` has devlint simulate it.
    """

    program: str
    args: list[str] = field(default_factory=list)
    env: dict[str, str] = field(default_factory=dict)
    driver: str | None = None
    patched: bool = False
    simulated: bool = False
    device_count: int = 1
    timeout: float = 300.0


@dataclass(frozen=True)
class Result:
    """What a run did; ``used`` is how often it asked for each pretended GPU (patched runs only)."""

    code: int
    stdout: str
    stderr: str
    used: dict[str, int]
    seconds: float


class ProgramServer:
    """The caller's side: ``with ProgramServer() as server: server.run(Request(...))``."""

    def __enter__(self) -> ProgramServer:
        self.results: dict[str, Result] = {}
        self.process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            cwd=ROOT,
            env={**os.environ, **ONE_THREAD},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        return self

    def run(self, request: Request) -> Result:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps(asdict(request)) + "\n")
        self.process.stdin.flush()
        return Result(**json.loads(self.process.stdout.readline()))

    def run_once(self, request: Request) -> Result:
        """The same, for programs that do not change while the server runs: what they did is remembered."""
        asked = json.dumps(asdict(request))
        if asked not in self.results:
            self.results[asked] = self.run(request)
        return self.results[asked]

    def __exit__(self, *exc: object) -> None:
        self.process.communicate("\n")  # the end is said: a fork of this process may live on, and keep the pipe open


def serve() -> None:
    for module in PRELOADED:
        importlib.import_module(module)
    gc.freeze()
    for line in iter(sys.stdin.readline, "\n"):
        if not line:
            return
        result = run_forked(Request(**json.loads(line)))
        sys.stdout.write(json.dumps(asdict(result)) + "\n")
        sys.stdout.flush()


def run_forked(request: Request) -> Result:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "cwd").mkdir()
        started = time.monotonic()
        child = os.fork()
        if child == 0:
            be_the_child(request, folder)
        code = wait(child, started + request.timeout)
        used = folder / "used"
        return Result(
            code=code,
            stdout=(folder / "stdout").read_text("utf-8", "replace"),
            stderr=(folder / "stderr").read_text("utf-8", "replace"),
            used=json.loads(used.read_text()) if used.exists() else {},
            seconds=round(time.monotonic() - started, 3),
        )


def wait(child: int, deadline: float) -> int:
    """The exit status, or 124 after the deadline; whatever the child started is gone either way."""
    pid = status = 0
    while not pid and time.monotonic() < deadline:
        time.sleep(0.002)
        pid, status = os.waitpid(child, os.WNOHANG)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    if not pid:
        os.waitpid(child, 0)
        return 124
    return os.waitstatus_to_exitcode(status)


def be_the_child(request: Request, folder: Path) -> None:
    """Run the program in this forked process and leave; never returns."""
    os.setsid()
    redirect(folder)
    machine: Any = None
    try:
        machine = prepare(request, folder)
        run_program(request)
        code = 0
    except SystemExit as stop:
        code = exit_status(stop.code)
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    if machine is not None:
        (folder / "used").write_text(json.dumps(machine.used, sort_keys=True))
    os._exit(code)


def exit_status(code: object) -> int:
    """What the interpreter makes of ``sys.exit(code)``."""
    if code is None:
        return 0
    if isinstance(code, int):
        return code
    print(code, file=sys.stderr)
    return 1


def redirect(folder: Path) -> None:
    flags = os.O_WRONLY | os.O_CREAT
    for number, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(folder / name, flags, 0o600), number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for name, number, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        stream = open(number, mode, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)


def prepare(request: Request, folder: Path) -> Any:
    """Folder, arguments and environment of the program; the pretended machine where one was asked for."""
    import torch

    from devlint.verify import install
    from tests.support import identity_cuda

    os.chdir(folder / "cwd")
    os.environ.update(request.env)
    sys.argv = [request.driver or request.program, *request.args]
    torch.set_num_threads(1)
    if request.simulated:
        install(request.device_count)
    if OBSERVE in os.environ:
        from devlint.verify.watch.installation import watch

        watch()
    return identity_cuda.install(request.device_count) if request.patched else None


def run_program(request: Request) -> None:
    if request.driver is None:
        runpy.run_path(request.program, run_name="__main__")
        return
    spec = importlib.util.spec_from_file_location("program", request.program)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["program"] = module
    spec.loader.exec_module(module)
    runpy.run_path(request.driver, run_name="__main__")


if __name__ == "__main__":
    serve()
