"""What the code of a behaviour can use, and the state in which each begins."""

from __future__ import annotations

import gc
import io
import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import distributed as dist
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from devlint.verify import child_environment
from tests.support.queued_calls import forget_queued_calls

_FORKS = """
import json, os, sys, traceback, torch
for line in iter(sys.stdin.readline, "\\n"):
    if not line:
        break
    code, arguments, environment = json.loads(line)
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(writing, 1)
        os.environ.update(environment)
        sys.argv[1:] = arguments
        try:
            exec(code, {"__name__": "__main__"})
        except BaseException as error:
            print(type(error).__name__, error)
        sys.stdout.flush()
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as output:
        text = output.read()
    os.waitpid(child, 0)
    print(json.dumps(text), flush=True)
"""


class Processes:
    """Runs programs in processes of their own, which are forks of one that has imported torch, but not used CUDA."""

    def __init__(self, simulated: bool) -> None:
        environment = {**os.environ, **(child_environment(2, "separate") if simulated else {})}
        pipe = subprocess.PIPE
        command = [sys.executable, "-W", "ignore", "-c", _FORKS]
        self._parent = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True, env=environment
        )

    def run(self, code: str, *arguments: str, **environment: str) -> None:
        """Print what the program prints."""
        assert self._parent.stdin is not None and self._parent.stdout is not None
        print(json.dumps([code, arguments, environment]), file=self._parent.stdin, flush=True)
        print(json.loads(self._parent.stdout.readline()), end="")

    def close(self) -> None:
        self._parent.communicate("\n")  # the end is said: a fork of this process may live on, and keep the pipe open


@contextmanager
def group(backend: str) -> Iterator[None]:
    """A process group with this process alone."""
    dist.init_process_group(backend, store=dist.HashStore(), rank=0, world_size=1)
    try:
        yield
    finally:
        dist.destroy_process_group()


@contextmanager
def machine(simulated: bool) -> Iterator[dict[str, Any]]:
    """The names that behaviours use: modules, and functions that save, run a program and make a group."""
    if simulated:
        forget_queued_calls()
    processes = Processes(simulated)
    with tempfile.TemporaryDirectory() as folder:

        def saved(value: object, name: str = "") -> str | io.BytesIO:
            """A file with the value, in memory if it has no name."""
            file = os.path.join(folder, name) if name else io.BytesIO()
            torch.save(value, file)
            if isinstance(file, io.BytesIO):
                file.seek(0)
            return file

        names = {"torch": torch, "nn": nn, "F": F, "np": np, "dist": dist, "cuda": torch.device("cuda")}
        names.update(DataLoader=DataLoader, TensorDataset=TensorDataset, group=group, run=processes.run, saved=saved)
        gc.collect()
        gc.freeze()  # what is there already need not be looked at whenever memory is counted
        try:
            yield names
        finally:
            gc.unfreeze()
            processes.close()


@contextmanager
def fresh(code: str) -> Iterator[None]:
    """As PyTorch is when CUDA has started, before and after the code."""
    torch.cuda.init()  # what is asked of CUDA before is only done when it starts, and `_restore` starts it for the next
    counts = "memory" in code
    if counts:
        gc.collect()
        gc.disable()  # what is left in cycles would be freed between one look at a counter and the next
    try:
        yield
    finally:
        if counts:
            gc.enable()
        _restore()


def _restore() -> None:
    torch.cuda.set_sync_debug_mode(0)
    torch.use_deterministic_algorithms(False)
    torch.set_default_device(None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.set_default_tensor_type(torch.FloatTensor)
    torch.cuda.set_device(0)
    torch.cuda.set_stream(torch.cuda.default_stream())
    torch.cuda.set_per_process_memory_fraction(1.0)
    torch.backends.cudnn.benchmark = torch.backends.cudnn.deterministic = False
    if dist.is_initialized():
        dist.destroy_process_group()
