"""Moves under a test that stays, and that without CUDA holds only where somebody asks for CUDA."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from tests.support.projects import fix_files, write_files

SETTINGS = """\
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
args = parser.parse_args()
USE_CUDA = args.cuda
"""
BEGUN = """\
import torch
import settings

def begin(x):
    if settings.USE_CUDA:
        y = torch.tensor(x).cuda()
    else:
        y = torch.tensor([0])
    return y
"""


def _fixed(tmp_path: Path, main: str) -> dict[str, str]:
    return fix_files(write_files(tmp_path / "p", {"main.py": main, "settings.py": SETTINGS}))


def test_what_is_off_unless_somebody_asks_is_left_as_it_is(tmp_path: Path) -> None:
    assert _fixed(tmp_path, BEGUN) == {}


def test_what_is_on_without_asking_is_not(tmp_path: Path) -> None:
    files = {"main.py": BEGUN, "settings.py": SETTINGS.replace('"store_true"', '"store_true", default=True')}
    after = fix_files(write_files(tmp_path / "p", files))["main.py"]
    assert ".cuda()" not in after


def test_what_is_left_has_an_unsafe_fix_that_says_why(tmp_path: Path) -> None:
    files = {"main.py": BEGUN, "settings.py": SETTINGS}
    after = fix_files(write_files(tmp_path / "p", files), unsafe=True)["main.py"]
    assert ".cuda()" not in after


@pytest.mark.parametrize(
    ("beside", "is_left"),
    [
        ("y = x", True),
        ("if settings.USE_CUDA and x is not None:\n        z = torch.tensor(x).cuda()", True),
        ("z = torch.tensor(x).cuda()", False),
        ('z = torch.zeros(2, device="cuda")', False),
        ("if settings.USE_CUDA:\n        z = torch.cuda.FloatTensor(2)", False),
    ],
)
def test_what_a_function_moves_is_not_torn_apart(tmp_path: Path, beside: str, is_left: bool) -> None:
    body = "    if settings.USE_CUDA:\n        y = torch.tensor(x).cuda()\n    else:\n        y = torch.tensor([0])\n"
    text = f"import torch\nimport settings\n\ndef begin(x):\n{body}    {beside}\n    return y, z\n"
    after = _fixed(tmp_path, text).get("main.py", text)
    assert ("y = torch.tensor(x).cuda()" in after) is is_left


def test_a_device_of_the_instance_is_used_by_all_of_the_class(tmp_path: Path) -> None:
    text = """
        import torch

        class Net(torch.nn.Module):
            def __init__(self, use_cuda=False):
                super().__init__()
                self.use_cuda = use_cuda
                self.inner = torch.nn.Linear(2, 2)
                if self.use_cuda:
                    self.inner.cuda()

            def predict(self, x):
                if self.use_cuda:
                    x = x.cuda()
                return self.inner(x)
    """
    after = _fixed(tmp_path, dedent(text))["main.py"]
    assert "self.inner.to(self.device)" in after
    assert "x = x.to(self.device)" in after


@pytest.mark.parametrize(("call", "is_left"), [("wrap(x, is_cuda)", True), ("wrap(x)", False), ("wrap(x, a)", False)])
def test_a_parameter_whose_callers_ask_for_cuda(tmp_path: Path, call: str, is_left: bool) -> None:
    text = f"""
        import torch

        def wrap(x, is_cuda=True):
            if not x.is_cuda and is_cuda:
                x = x.cuda()
            return x

        is_cuda = torch.cuda.is_available()
        x = wrap(torch.ones(2), is_cuda)
        {call}
    """
    assert (_fixed(tmp_path, dedent(text)) == {}) is is_left


@pytest.mark.parametrize("call", ["is_cuda(net)", "lib.is_cuda(net)", "asked"])
def test_what_follows_a_model_is_left_as_it_is(tmp_path: Path, call: str) -> None:
    text = f"""
        import torch
        import lib

        def f(net, x):
            asked = lib.is_cuda(net)
            if {call}:
                y = net(x.cuda())
            else:
                y = x
            return y
    """
    assert _fixed(tmp_path, dedent(text)) == {}


def test_a_flag_called_is_cuda_makes_the_device(tmp_path: Path) -> None:
    text = """
        import torch

        def to_variable(x, is_cuda=True):
            x = torch.from_numpy(x)
            if is_cuda:
                x = x.cuda()
            return x
    """
    chosen = 'device = torch.device("cuda" if is_cuda and torch.cuda.is_available() else "cpu")'
    assert f"{chosen}\n    x = x.to(device)" in _fixed(tmp_path, dedent(text))["main.py"]


WORDED = """\
import torch
import options

class Net(torch.nn.Module):
    def forward(self, x):
        if options.args.mode == "gpu":
            x = x.cuda()
        return self.inner(x)
"""
CHOSEN = "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--mode', {})\nargs = parser.parse_args()\n"


@pytest.mark.parametrize(
    ("option", "test", "is_left"),
    [
        ("type=str, default='cpu'", '== "gpu"', True),
        ("default='cpu'", '== "cuda:0"', True),
        ("default='gpu'", '== "gpu"', False),
        ("default=choose()", '== "gpu"', False),
        ("default='cpu' if small else 'gpu'", '== "gpu"', False),
        ("default='cpu'", '== "fast"', False),
        ("type=int", "is not None", False),
    ],
)
def test_a_word_that_nobody_gives_is_off(tmp_path: Path, option: str, test: str, is_left: bool) -> None:
    files = {"main.py": WORDED.replace('== "gpu"', test), "options.py": CHOSEN.format(option)}
    assert ("main.py" not in fix_files(write_files(tmp_path / "p", files))) is is_left


@pytest.mark.parametrize(("option", "is_left"), [("type=int", True), ("type=int, default=0", False)])
def test_a_device_that_nobody_gives_is_off(tmp_path: Path, option: str, is_left: bool) -> None:
    text = WORDED.replace('options.args.mode == "gpu"', "options.args.device is not None")
    files = {"main.py": text, "options.py": CHOSEN.format(option).replace("mode", "device")}
    assert ("main.py" not in fix_files(write_files(tmp_path / "p", files))) is is_left


@pytest.mark.parametrize("parsed", ["args = parser.parse_args()", "args, _ = parser.parse_known_args()"])
def test_options_imported_by_name(tmp_path: Path, parsed: str) -> None:
    main = WORDED.replace("import options", "from options import args").replace("options.args", "args")
    option = CHOSEN.format("default='cpu'").replace("args = parser.parse_args()", parsed)
    assert fix_files(write_files(tmp_path / "p", {"main.py": main, "options.py": option})) == {}


def test_a_word_does_not_tear_a_function_apart(tmp_path: Path) -> None:
    files = {"main.py": WORDED.replace("(x)\n", "(x.cuda())\n"), "options.py": CHOSEN.format("default='cpu'")}
    assert ".cuda()" not in fix_files(write_files(tmp_path / "p", files))["main.py"]


def test_what_only_its_own_cuda_switches_on_may_return_before(tmp_path: Path) -> None:
    text = """
        import torch

        class Loader:
            def __init__(self):
                self.on_cuda = False

            def cuda(self):
                self.on_cuda = True

            def get(self, x):
                if not self.on_cuda:
                    return x
                return (x[0].cuda(), x[1].cuda())
    """
    assert _fixed(tmp_path, dedent(text)) == {}


@pytest.mark.parametrize(("default", "is_left"), [("False", True), ("True", False)])
def test_a_tensors_place_beside_a_branch_for_the_cpu(tmp_path: Path, default: str, is_left: bool) -> None:
    text = f"""
        import torch

        class Bounds:
            def __init__(self, x: torch.Tensor, use_cuda={default}):
                self.use_cuda = use_cuda
                if self.use_cuda:
                    self.eye = torch.eye(3, device=x.get_device())
                else:
                    self.eye = torch.eye(3)
    """
    assert (_fixed(tmp_path, dedent(text)) == {}) is is_left


OWN = """\
import argparse
import torch

class Own(torch.nn.Module):
    def {method}(self):
        self.on = True
        return super().{method}()

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", {off})
args = parser.parse_args()
x = torch.nn.Linear(2, 2)
own = Own()
if args.cuda:
    x = x.cuda()
    own.cuda()
"""


@pytest.mark.parametrize("off", ['action="store_true"', 'action="store_false"'])
@pytest.mark.parametrize("method", ["cuda", "eval"])
def test_the_moves_of_a_block_are_not_torn_apart(tmp_path: Path, method: str, off: str) -> None:
    text = OWN.format(method=method, off=off)
    after = _fixed(tmp_path, text).get("main.py", text)
    assert (text.partition("x = torch")[2] in after) is (method == "cuda")
    assert ("own.cuda()" in after) is (method == "cuda")


@pytest.mark.parametrize(("off", "is_left"), [('action="store_true"', True), ('action="store_false"', False)])
def test_the_body_of_a_script_has_many_parts(tmp_path: Path, off: str, is_left: bool) -> None:
    text = f"""
        import argparse
        import torch

        parser = argparse.ArgumentParser()
        parser.add_argument("--gpu", {off})
        args = parser.parse_args()
        net = torch.nn.Linear(2, 2).cuda()
        x = torch.ones(2)
        if args.gpu:
            print("on the GPU")
            x = x.cuda()
            print(x)
    """
    after = _fixed(tmp_path, dedent(text))["main.py"]
    assert ("x = x.cuda()" in after) is is_left
    assert ".to(device)" in after


WORKERS = """\
import torch
import torch.distributed as dist
from torch import nn


def validate(net, x):
    return net(x.cuda())


def work(rank: int, many):
    {starts}
    net = nn.Linear(2, 2).cuda({card})
    print(validate(net, torch.ones(2)))
    return net


if __name__ == "__main__":
    {run}
"""


@pytest.mark.parametrize("card", ["", "rank"])
@pytest.mark.parametrize(
    ("starts", "run", "is_left"),
    [
        ('dist.init_process_group("nccl")', "work(0, True)", True),
        ('if many:\n        dist.init_process_group("nccl")', "work(0, True)", False),
        ('if many:\n        dist.init_process_group("gloo")\n    dist.init_process_group("nccl")', "work(0, 1)", False),
        ('dist.init_process_group("nccl")', "print(validate(nn.Linear(2, 2), torch.ones(2)))", True),
    ],
)
def test_moves_beside_nccl_are_left(tmp_path: Path, card: str, starts: str, run: str, is_left: bool) -> None:
    text = WORKERS.format(starts=starts, run=run, card=card)
    after = _fixed(tmp_path, text).get("main.py", text)
    assert (f"nn.Linear(2, 2).cuda({card})" in after) is is_left
    assert ("net(x.cuda())" in after) is (is_left and run.startswith("work"))
