"""A move gains nothing by itself where something else fails without CUDA, whatever the move does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

_TRAINER = """import torch
import torch.distributed as dist


class Trainer:
    def __init__(self, net, card, many):
        {first}
        self.net = net

    def step(self, x):
        return self.net(x.cuda())

    {decorator}def score(x):
        return x.cuda().sum()
"""


def _fixed(tmp_path: Path, text: str) -> str:
    return fix_files(write_files(tmp_path, {"main.py": text})).get("main.py", text)


@pytest.mark.parametrize(
    ("first", "is_left"),
    [
        ('dist.init_process_group("nccl")', True),
        ('if many:\n            dist.init_process_group("nccl")', False),
        ('if not many:\n            return\n        dist.init_process_group("nccl")', False),
        ("self.scale = torch.ones(1).cuda(card)", True),
        ("self.scale = torch.ones(1).cuda(card) if many else torch.ones(1)", False),
        ("make = lambda: torch.ones(1).cuda(card)", False),
        ('assert next(net.parameters()).device.type == "cuda"', True),
    ],
)
def test_what_init_fails_at_no_method_is_reached_without(tmp_path: Path, first: str, is_left: bool) -> None:
    after = _fixed(tmp_path, _TRAINER.format(first=first, decorator="@staticmethod\n    "))
    assert ("self.net(x.cuda())" in after) is is_left
    assert "x.cuda().sum()" not in after


@pytest.mark.parametrize(
    ("head", "is_left"),
    [("net = net.cuda(card)", True), ("if many:\n        net = net.cuda(card)", False), ("net = net.cuda()", False)],
)
def test_a_function_in_one_that_fails(tmp_path: Path, head: str, is_left: bool) -> None:
    text = (
        f"import torch\n\n\ndef run(net, card, many):\n    {head}\n\n    def step(x):\n        return net(x.cuda())\n\n"
    )
    after = _fixed(tmp_path, text + "    return step\n")
    assert ("net(x.cuda())" in after) is is_left


def test_a_function_that_a_table_names_fails_for_no_other_one(tmp_path: Path) -> None:
    first = "def first(x, card):\n    return x.cuda(card)\n\n\n"
    text = f"import torch\n\n\n{first}def second(x):\n    return x.cuda() * 2\n\n\nCHOICES = {{1: first, 2: second}}\n"
    assert "x.cuda() * 2" not in _fixed(tmp_path, text)


@pytest.mark.parametrize(
    ("beside", "is_left"),
    [
        ("import pytorch_lightning as pl\n    pl.Trainer(gpus=1).fit(net)", True),
        ("import pytorch_lightning as pl\n    pl.Trainer(accelerator='gpu', devices=[0, 1]).fit(net)", True),
        ("import pytorch_lightning as pl\n    pl.Trainer(accelerator='gpu', devices=1).fit(net)", False),
        ("import pytorch_lightning as pl\n    if many:\n        pl.Trainer(gpus=1).fit(net)", False),
        ("torch.cuda.nccl.all_reduce([x])", True),
        ("name = torch.cuda.get_device_name()", True),
        ("name = torch.cuda.get_device_name() if torch.cuda.is_available() else 'cpu'", False),
        ("print(torch.cuda.get_device_name())", False),
        ("import importlib\n    kernel = importlib.import_module('fused_adam_cuda')", True),
        ("import importlib\n    kernel = importlib.import_module('decimal')", False),
    ],
)
def test_a_call_that_fails_beside_a_move(tmp_path: Path, beside: str, is_left: bool) -> None:
    text = f"import torch\n\n\ndef run(net, x, many):\n    {beside}\n    return net(x.cuda(), torch.ones(2, device='cuda'))\n"
    after = _fixed(tmp_path, text)
    assert ("net(x.cuda()" in after) is is_left
    assert ("device='cuda'" in after) is is_left


def test_autocast_beside_a_card_that_stays(tmp_path: Path) -> None:
    text = (
        "import torch\nfrom torch.cuda.amp import autocast\n\n\ndef run(net, x, card):\n    x = x.cuda(card)\n"
        "    with autocast():\n        return net(x)\n"
    )
    assert "from torch.cuda.amp import autocast" in _fixed(tmp_path, text)
    other = text + "\n\ndef evaluate(net, x):\n    with autocast():\n        return net(x)\n"
    assert "from torch.cuda.amp import autocast" not in _fixed(tmp_path, other)


@pytest.mark.parametrize("asked", ["device > -1", "0 <= device", "device is not None"])
def test_what_is_asked_whether_it_is_more_than_a_number_is_no_device(tmp_path: Path, asked: str) -> None:
    text = (
        f"import torch\n\n\ndef put(x, device):\n    if {asked}:\n        x = x.cuda(device=device)\n    return x\n\n\n"
        'print(put(torch.ones(2), torch.device("cuda")))\n'
    )
    assert ("x.to(device)" in _fixed(tmp_path, text)) is (asked == "device is not None")


def test_a_type_beside_a_copy_between_cards(tmp_path: Path) -> None:
    text = "import torch\n\n\ndef search(n):\n    start = torch.cuda.FloatTensor(n).zero_()\n    return {}(start)\n"
    stays = text.format("torch.cuda.comm.broadcast")
    assert _fixed(tmp_path, stays) == stays
    assert "torch.cuda.FloatTensor" not in _fixed(tmp_path, text.format("print"))


_GROUPS = """import torch
import torch.distributed as dist


def begin(kind, backend="nccl", **others):
    if kind == "env":
        _begin(backend, **others)


def _begin(backend, **others):
    torch.cuda.set_device(0)
    dist.init_process_group(backend=backend, **others)


def total(x, few, many):
    if few == many:
        return x
    y = x * torch.ones(2).cuda()
    {together}
    return y
"""
_MAIN = "import torch\nfrom groups import begin\n\nbegin('env'{given})\nprint(torch.ones(2).cuda())\n"


@pytest.mark.parametrize(
    ("given", "other", "together", "starts", "fails"),
    [
        ("", "", "dist.all_reduce(y)", True, True),
        (", backend='nccl'", "", "dist.all_reduce(y)", True, True),
        (", 'nccl', world_size=2", "", "dist.barrier()", True, True),
        (", 'gloo'", "", "dist.all_reduce(y)", False, False),
        (", backend='gloo'", "", "dist.all_reduce(y)", False, False),
        (", **dict(backend='gloo')", "", "dist.all_reduce(y)", False, False),
        ("", "'gloo'", "dist.all_reduce(y)", True, False),
        ("", "'nccl'", "dist.all_reduce(y)", True, True),
        ("", "", "dist.all_reduce(y, group=few)", True, False),
        ("", "", "dist.barrier(few)", True, False),
        ("", "", "for one in many:\n        dist.all_reduce(one)", True, False),
        ("", "", "if many:\n        dist.all_reduce(y)", True, False),
        ("", "", "try:\n        dist.all_reduce(y)\n    except RuntimeError:\n        pass", True, False),
        ("", "", "if few:\n        return y\n    dist.all_reduce(y)", True, False),
        ("", "", "print(y)", True, False),
    ],
)
def test_what_only_runs_in_groups_of_nccl(
    tmp_path: Path, given: str, other: str, together: str, starts: bool, fails: bool
) -> None:
    files = {"groups.py": _GROUPS.format(together=together), "main.py": _MAIN.format(given=given)}
    if other:
        files["check.py"] = f"import torch.distributed as dist\n\ndist.init_process_group({other})\n"
    fixed = fix_files(write_files(tmp_path, files))
    after = fixed.get("groups.py", files["groups.py"])
    assert ("\n    torch.cuda.set_device(0)" in after) is starts
    assert ("torch.ones(2).cuda()" in after) is fails
    assert "torch.ones(2).cuda()" not in fixed["main.py"]


_OPTIONS = """import argparse

import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--backend", default="{backend}")
parser.add_argument("--world", default=1, type=int)
parser.add_argument("--card", default=None)


def work(net, args):
    args.spread = args.world > 1
    if args.spread:
        dist.init_process_group(backend=args.backend)
    if args.spread:
        if args.card is not None:
            {kept}
        net = torch.nn.parallel.DistributedDataParallel(net)
    else:
        {otherwise}
    return net(torch.ones(2).cuda())


def step(x):
    return x.cuda()


if __name__ == "__main__":
    work(torch.nn.Linear(2, 2), parser.parse_args())
"""


@pytest.mark.parametrize(
    ("backend", "kept", "otherwise", "is_left"),
    [
        ("nccl", "net.cuda(args.card)", 'raise NotImplementedError("only spread")', True),
        ("nccl", "net.eval()", 'raise NotImplementedError("only spread")', False),
        ("nccl", "net.cuda(args.card)", "print(net)", False),
        ("mpi", "net.cuda(args.card)", 'raise NotImplementedError("only spread")', False),
    ],
)
def test_what_runs_over_nccl_by_default_and_in_no_other_way_beside_a_card(
    tmp_path: Path, backend: str, kept: str, otherwise: str, is_left: bool
) -> None:
    after = _fixed(tmp_path, _OPTIONS.format(backend=backend, kept=kept, otherwise=otherwise))
    assert ("torch.ones(2).cuda()" in after) is is_left
    assert "x.cuda()" not in after
