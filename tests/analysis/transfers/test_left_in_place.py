"""Moves for callers that ask for them: the test stays where a call may leave a tensor on CUDA, where it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files
from tests.support.rule_cases import fixed

MOVE = "    if cuda:\n        x = x.cuda()\n    return x\n"
TO_CPU = "\n    x = x.to(device)\n    return x\n"


def moves_always(function: str, calls: str = "") -> bool:
    text = f"import torch\n\ndef wrap({function}:\n{MOVE}{calls}"
    after = fixed("DEV105", text, unsafe=False)
    assert (TO_CPU in after) != ("    if cuda:\n" in after)
    return TO_CPU in after


@pytest.mark.parametrize(
    ("function", "calls"),
    [
        ("x, cuda=False)", ""),
        ("x, cuda=None)", "y = wrap(x)\n"),
        ("x, cuda=False)", "y = wrap(x, True), wrap(x)\n"),
        ("x, cuda)", "y = wrap(x, False)\n"),
        ("x, cuda=True)", "y = wrap(x, cuda=False)\n"),
        ("x, cuda=False)", "y = map(wrap, x)\n"),
    ],
)
def test_a_flag_that_is_left_out_leaves_the_tensor(function: str, calls: str) -> None:
    assert not moves_always(function, calls)


@pytest.mark.parametrize(
    ("function", "calls"),
    [
        ("x, cuda)", ""),
        ("x, cuda=True)", ""),
        ("x, cuda=False)", "y = wrap(x, args.cuda)\n"),
        ("x, cuda=False)", "y = wrap(x, cuda=use_cuda)\n"),
    ],
)
def test_a_flag_that_every_call_gives_is_the_programs(function: str, calls: str) -> None:
    assert moves_always(function, calls)


def test_what_a_function_makes_itself_is_on_the_cpu() -> None:
    text = f"import torch\n\ndef wrap(a, cuda=False):\n    x = torch.from_numpy(a)\n{MOVE}"
    assert TO_CPU in fixed("DEV105", text, unsafe=False)


def test_a_new_instance_is_on_the_cpu() -> None:
    init = (
        "import torch\n\nclass Net(torch.nn.Module):\n    def __init__(self, cuda=False):\n        super().__init__()\n"
    )
    text = f"{init}        if cuda:\n            self.cuda()\n"
    assert "        if cuda" not in fixed("DEV105", text, unsafe=False)
    later = text.replace("__init__(self, cuda", "start(self, cuda")
    assert "        if cuda" in fixed("DEV105", later, unsafe=False)


def test_calls_in_other_files_count(tmp_path: Path) -> None:
    utils = f"import torch\n\n\ndef wrap(x, cuda=False):\n{MOVE}"
    files = {"pyproject.toml": "", "utils.py": utils, "train.py": "import utils\nx = utils.wrap(x, args.cuda)\n"}
    assert TO_CPU in fix_files(write_files(tmp_path / "p", files), unsafe=False)["utils.py"]
    files["test.py"] = "import utils\nx = utils.wrap(y)\n"
    assert TO_CPU not in fix_files(write_files(tmp_path / "q", files), unsafe=False).get("utils.py", "")


def test_a_part_of_what_a_caller_gives_is_left_where_it_is() -> None:
    text = f"import torch\n\ndef wrap(z, cuda=0):\n    x = z[1:].float()\n{MOVE}"
    assert TO_CPU not in fixed("DEV105", text, unsafe=False)


KEPT = """\
import torch


class Net(torch.nn.Module):
    def __init__(self, n, cuda={}):
        super().__init__()
        self.layer = torch.nn.Linear(n, n)
        self.do_cuda = cuda

    def forward(self, x, z=None):
        if z is None:
            z = torch.zeros(2)
        if self.do_cuda:
            z = z.cuda()
        return self.layer(x + z)


"""


@pytest.mark.parametrize(
    ("default", "calls", "stays"),
    [
        ("False", "net = Net(2).cuda()", True),
        ("False", "", True),
        ("False", "net = Net(2, False)", True),
        ("False", "net = Net(2, args.cuda)", False),
        ("True", "net = Net(2, cuda=False)", False),  # whoever says so has no tensors on CUDA
        ("args.cuda", "net = Net(2)", False),
    ],
)
def test_a_flag_that_an_instance_keeps(default: str, calls: str, stays: bool) -> None:
    text = f"{KEPT.format(default)}{calls}\n"
    assert ("        if self.do_cuda:" in fixed("DEV105", text, unsafe=False)) is stays
    trainer = (
        text.replace("(torch.nn.Module)", "").replace("        super().__init__()\n", "").replace("forward", "run")
    )
    assert "        if self.do_cuda:" not in fixed("DEV105", trainer, unsafe=False)  # which nobody moves itself
    own = text.replace("        if z is None:\n    ", "")
    assert "        if self.do_cuda:" not in fixed("DEV105", own.replace(", z=None", ""), unsafe=False)
