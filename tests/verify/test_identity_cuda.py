"""The identity patch: hard-coded CUDA runs on CPU, wrong devices still fail, and other programs are as before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.program_server import ProgramServer, Request, Result
from tests.support.torch_build import is_cuda_build

pytest.importorskip("torch", reason="the programs need torch")


@pytest.fixture(scope="module")
def server() -> Iterator[ProgramServer]:
    with ProgramServer() as running:
        yield running


def run(server: ProgramServer, folder: Path, text: str, **options: object) -> Result:
    program = folder / "program.py"
    program.write_text("import torch, sys\n" + text, "utf-8")
    return server.run(Request(str(program), **{"patched": True, **options}))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("expression", "moves"),
    [
        ("torch.ones(2).cuda()", 1),
        ("torch.ones(2).cuda(0, non_blocking=True)", 1),
        ("torch.ones(2).to('cuda')", 1),
        ("torch.ones(2).to(0)", 1),
        ("torch.ones(2).to(device='cuda:0', dtype=torch.float64).float()", 1),
        ("torch.ones(2, device='cuda')", 1),
        ("torch.ones_like(torch.ones(2), device=torch.device('cuda'))", 1),
        ("torch.ones(2).new_ones(2, device='cuda')", 1),
        ("torch.cuda.FloatTensor([1, 1])", 1),
        ("torch.ones(2).type('torch.cuda.FloatTensor')", 1),
        ("torch.ones(2).type(torch.cuda.FloatTensor)", 1),
        ("torch.ones(2, dtype=torch.float32).to('cpu')", 0),
        ("torch.nn.Linear(1, 2).cuda().bias.data.fill_(1)", 2),
        ("torch.nn.Linear(1, 2).to('cuda').bias.data.fill_(1)", 2),
        ("torch.nn.Linear(1, 2).to(0).bias.data.fill_(1)", 2),
        ("torch.nn.Linear(1, 2, device='cuda').bias.data.fill_(1)", 2),
        ("torch.ones(2).pin_memory().cuda(non_blocking=True)", 1),
        ("torch.ones(2, generator=None) if False else torch.ones(2, pin_memory=True)", 0),
    ],
)
def test_places_that_name_cuda(server: ProgramServer, tmp_path: Path, expression: str, moves: int) -> None:
    result = run(server, tmp_path, f"x = {expression}\nprint(x.tolist(), x.dtype, x.device)")
    assert (result.stdout, result.code) == ("[1.0, 1.0] torch.float32 cpu\n", 0), result.stderr
    assert sum(result.used.values()) == moves


@pytest.mark.parametrize(
    "statement",
    [
        "with torch.device('cuda'): x = torch.zeros(1)",
        "torch.set_default_device('cuda'); x = torch.zeros(1)",
        "torch.set_default_tensor_type('torch.cuda.FloatTensor')",
        "torch.randperm(3, generator=torch.Generator('cuda'), device='cuda')",
        "torch.cuda.set_device(0); torch.cuda.synchronize(); torch.cuda.Event(enable_timing=True).record()",
        "with torch.cuda.stream(torch.cuda.Stream()): torch.ones(1).cuda().record_stream(torch.cuda.current_stream())",
        "torch.nn.DataParallel(torch.nn.Linear(1, 1).cuda(), device_ids=[0])(torch.ones(1, 1).cuda())",
        "torch.save(torch.ones(1), 'a'); torch.load('a', map_location='cuda')",
        "torch.save(torch.ones(1), 'a'); torch.load('a', map_location=lambda storage, place: storage.cuda())",
        "assert torch.cuda.is_available() and torch.cuda.device_count() == 1",
        "assert isinstance(torch.ones(1), torch.cuda.FloatTensor)",
    ],
)
def test_statements_that_need_cuda(server: ProgramServer, tmp_path: Path, statement: str) -> None:
    assert run(server, tmp_path, statement).code == 0
    if "set_default_tensor_type" not in statement or not is_cuda_build():  # it makes no tensor, and a CUDA build has it
        assert run(server, tmp_path, statement, patched=False).code != 0


def test_backward_functions_and_threads_are_patched_too(server: ProgramServer, tmp_path: Path) -> None:
    text = """
import threading
class Double(torch.autograd.Function):
    forward = staticmethod(lambda ctx, x: x * 2)
    backward = staticmethod(lambda ctx, grad: grad * torch.full((1,), 2.).cuda())
x = torch.ones(1, requires_grad=True)
Double.apply(x).backward()
thread = threading.Thread(target=lambda: print(x.grad.cuda().tolist()))
thread.start(); thread.join()
"""
    assert run(server, tmp_path, text).stdout == "[2.0]\n"


def test_a_device_that_is_not_there(server: ProgramServer, tmp_path: Path) -> None:
    result = run(server, tmp_path, "torch.ones(1).cuda(1)")
    assert result.code == 1
    assert "invalid device ordinal 1" in result.stderr
    assert run(server, tmp_path, "torch.ones(1).cuda(1)", device_count=2).used == {"cuda:1": 1}
    inside = "with torch.cuda.device(1): torch.ones(1).cuda()\ntorch.ones(1).cuda()"
    assert run(server, tmp_path, inside, device_count=2).used == {"cuda:0": 1, "cuda:1": 1}


def test_exit_codes_arguments_and_folders(server: ProgramServer, tmp_path: Path) -> None:
    result = run(server, tmp_path, "open('scratch', 'w').close(); print(sys.argv[1:]); sys.exit(3)", args=["-x"])
    assert (result.code, result.stdout) == (3, "['-x']\n")
    assert not (tmp_path / "scratch").exists()
    assert run(server, tmp_path, "sys.exit('no')").stderr == "no\n"
    assert run(server, tmp_path, "import os; print(os.environ['A'])", env={"A": "b"}).stdout == "b\n"


@pytest.mark.slow
def test_a_program_that_hangs(server: ProgramServer, tmp_path: Path) -> None:
    assert run(server, tmp_path, "while True: pass", timeout=0.5).code == 124
