"""Tensors on a simulated device that other processes receive: they see the same memory, as with CUDA IPC."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

BOTH_WAYS = """\
import torch
import torch.multiprocessing as mp


def child(given, model, inbox, outbox):
    assert given.device == torch.device("cuda", 1) and given.tolist() == [0, 1, 2]
    given.add_(5)
    with torch.no_grad():
        model.weight.fill_(3)
    assert isinstance(model.weight, torch.nn.Parameter) and model.weight.requires_grad
    first, second, rest = inbox.get()
    first.add_(1)
    assert second.tolist() == [2] and rest.shape == (0, 3) and str(rest.device) == "cuda:0"
    assert inbox.get().to_dense().tolist() == [[1, 0], [0, 1]]
    outbox.put((first * 2, torch.ones(4, device="cuda:1", dtype=torch.bfloat16)[1:3]))
    assert inbox.get() == "received"
    outbox.put(first)  # CUDA cannot pass it on
    outbox.put("after it")
    assert inbox.get() == "the end"


if __name__ == "__main__":
    context = mp.get_context("spawn")
    inbox, outbox = context.Queue(), context.Queue()
    given, model = torch.arange(3, device="cuda:1"), torch.nn.Linear(2, 2).cuda()
    process = context.Process(target=child, args=(given, model, inbox, outbox))
    process.start()
    x = torch.ones(2, device="cuda")
    view, before = x[1:], x.untyped_storage()._cdata
    inbox.put((x, view, torch.empty(0, 3, device="cuda")))
    inbox.put(torch.eye(2, device="cuda").to_sparse())
    doubled, part = outbox.get(timeout=600)
    assert doubled.tolist() == [4, 4] and doubled.is_cuda
    assert part.tolist() == [1, 1] and part.get_device() == 1 and part.dtype is torch.bfloat16
    assert given.tolist() == [5, 6, 7] and model.weight.eq(3).all()
    assert x.tolist() == [2, 2] and view.tolist() == [2] and x.untyped_storage()._cdata == before
    model(torch.ones(1, 2, device="cuda")).sum().backward()
    inbox.put("received")
    try:
        outbox.get(timeout=600)
    except RuntimeError as error:
        print(error)
    print(outbox.get(timeout=600))
    inbox.put("the end")
    process.join()
    assert process.exitcode == 0
"""

EVENTS = """\
import torch
import torch.multiprocessing as mp


def child(events):
    event = events.get()
    assert event.query()
    event.wait()


if __name__ == "__main__":
    try:
        torch.cuda.Event().ipc_handle()
    except RuntimeError as error:
        print(error)
    events = mp.get_context("spawn").SimpleQueue()
    process = mp.get_context("spawn").Process(target=child, args=(events,))
    process.start()
    event = torch.cuda.Event(interprocess=True)
    event.record()
    events.put(event)
    process.join()
    print(process.exitcode)
"""


OUTLIVING = """\
import torch
import torch.multiprocessing as mp


def child(outbox, received):
    outbox.put(torch.ones(2, device="cuda"))
    received.wait()


if __name__ == "__main__":
    context = mp.get_context("spawn")
    outbox, received = context.Queue(), context.Event()
    process = context.Process(target=child, args=(outbox, received))
    process.start()
    x = outbox.get(timeout=600)
    received.set()
    process.join()
    print(x.tolist())
"""


def output_of(program: str, folder: Path) -> list[str]:
    """What a program prints on two simulated devices."""
    (folder / "program.py").write_text(program)
    command = [sys.executable, "-m", "devlint", "simulate", "--devices", "2", "program.py"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    result = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, env=environment, check=False, timeout=900
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


@pytest.mark.slow
def test_tensors_are_shared(tmp_path: Path) -> None:
    refusal = "Attempted to send CUDA tensor received from another process; this is not currently supported. Consider "
    assert output_of(BOTH_WAYS, tmp_path) == [refusal + "cloning before sending.", "after it"]


@pytest.mark.slow
def test_events_are_shared(tmp_path: Path) -> None:
    assert output_of(EVENTS, tmp_path) == ["CUDA error: invalid resource handle", "0"]
