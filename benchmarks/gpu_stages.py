"""Which part of the harness a GPU does not work in: each is tried by itself, in a process of its own, and then all."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

STAGES = {
    "nothing": "",
    "a fork once torch is imported": "fork()",
    "namespaces": "namespaces.separate((os.getcwd(),), False)",
    "a network of its own": "namespaces.enter_own_network()",
    "Landlock": "sandbox.confine((os.getcwd(), '/dev'), ('/proc',))",
    "the limits": "resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30,) * 2)",
    "the hook": "sandbox.install_sandbox((os.getcwd(),), False)",
    "the environment": "os.environ.update(server_process._ENVIRONMENT)",
    "determinism": "computer._make_repeatable()",
    "seeds": "computer.seed()",
    "counted copies": "random_replay.CopyCounter().__enter__()",
    "counted operators": "operator_counter.OperatorCounter().__enter__()",
    "replayed random numbers": "random_replay.RandomReplay().__enter__()",
    "what is imported ahead": "preloading.preload_for({'command': None, 'path': __file__, 'driver': None})",
}
_PROGRAM = """
import os, resource, sys
import torch
from devlint.verify import namespaces, sandbox, server_process
from devlint.verify.child import computer, operator_counter, preloading, random_replay
def fork():
    child = os.fork()
    if child:
        os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) & 255)
{stages}
x = torch.ones(4, 4, device={device!r}, requires_grad=True)
(x @ x + torch.rand(4, 4, device={device!r}) * 0).sum().backward()
print("works:", x.grad.sum().item())
"""


def stages(device: str) -> Iterator[str]:
    """A row of a table for each part: whether a program that computes on the device, back and forth, still works."""
    parts = {**STAGES, "all of them": "\n".join(STAGES.values())}
    with ThreadPoolExecutor(4) as pool:
        answers = pool.map(lambda part: _tried(part, device), parts.values())
        yield from ("| with | a product and its gradient on the device |", "| --- | --- |")
        yield from (f"| {name} | {answer} |" for name, answer in zip(parts, answers))


def _tried(part: str, device: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(_PROGRAM.format(stages=part, device=device))
        paths = os.pathsep.join(filter(None, [os.getcwd(), os.environ.get("PYTHONPATH")]))
        environment = {**os.environ, "PYTHONPATH": paths}
        done = subprocess.run(
            [sys.executable, path], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
    said = (done.stdout.strip() or done.stderr.strip() or "prints nothing").splitlines()
    return f"{said[-1][:200].replace('|', '/')}" + (f" (exit code {done.returncode})" if done.returncode else "")
