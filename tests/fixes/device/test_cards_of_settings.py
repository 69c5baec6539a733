"""Cards that stand in settings: of a program's options, kept by an instance or defined by another file, or of any kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files
from tests.support.rule_cases import fixed, places

CODE = "DEV106"
ANYTHING = """import torch


def train(model, loader, cfg):
    where = cfg.GPU_ID
    {first}
    for x in loader:
        {second}
        loss(x, where)
"""


def test_a_setting_of_any_kind_is_chosen_where_it_is_read() -> None:
    before = ANYTHING.format(first="model.to(where)", second="x = model(x.cuda(where, non_blocking=True))")
    after = before.replace("cfg.GPU_ID", 'cfg.GPU_ID if torch.cuda.is_available() else "cpu"')
    after = after.replace("x.cuda(where", "x.to(where")
    assert fixed(CODE, before, unsafe=False) == after
    assert places("DEV101", after) == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("model.eval()", "x = x.cuda(where)"),
        ("model.to(where) if model else None", "x = x.cuda(where)"),
        ("model.to(where)", "x = x.cuda(where) if x is not None else x"),
        ("model.to(where); assert where >= 0", "x = x.cuda(where)"),
        ("model.to(where); where = 1", "x = x.cuda(where)"),
    ],
)
def test_a_setting_that_may_be_none_or_is_asked_for_stays(first: str, second: str) -> None:
    before = ANYTHING.format(first=first, second=second)
    assert "cfg.GPU_ID if" not in fixed(CODE, before, unsafe=False)


KEPT = """import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--device", type=int, nargs="+", default=0)


class Runner:
    def __init__(self, args):
        self.args = args

    def run(self, model):
        card = self.args.device[0] if type(self.args.device) is list else self.args.device
        return model.cuda(card)


{last}
"""


def test_options_that_an_instance_keeps() -> None:
    text = KEPT.format(last="Runner(parser.parse_args()).run(torch.nn.Linear(2, 2))")
    after = fixed(CODE, text, unsafe=False)
    assert 'torch.device("cuda", card) if torch.cuda.is_available() else torch.device("cpu")' in after


@pytest.mark.parametrize(
    "last",
    [
        "Runner(settings).run(model)",
        "Runner(parser.parse_args())\nRunner(settings)",
        "run(Runner)",
        "runner = Runner(parser.parse_args())\nrunner.args = settings",
        "class Other(Runner):\n    pass\n\n\nRunner(parser.parse_args())",
    ],
)
def test_what_an_instance_keeps_may_be_no_options(last: str) -> None:
    assert places(CODE, KEPT.format(last=last))[-1][1] == "unsafe"


_OPTIONS = 'import argparse\n\n\ndef parse_args():\n    parser = argparse.ArgumentParser()\n    parser.add_argument("--gpu", {})\n    return parser.parse_args()\n'
_MAIN = """import settings
import torch.multiprocessing as mp
from engine import train


def worker(gpu, args):
    args.gpu = gpu
    train(args)


def main():
    args = settings.parse_args()
    if args.many:
        mp.spawn(worker, nprocs=2, args=(args,))
    else:
        worker(args.gpu, args)


main()
"""
_OTHER = 'import argparse\n\nparser = argparse.ArgumentParser()\nparser.add_argument("--gpu", default="1")\n{}\n'
_ENGINE = """import torch


def train(args):
    for x in range(2):
        y = torch.ones(1).cuda(args.gpu)
        z = torch.ones(2).cuda(args.gpu)
        print(y, z)
"""


def _fixed_engine(folder: Path, option: str, other: str) -> str:
    files = {"settings.py": _OPTIONS.format(option), "main.py": _MAIN, "engine.py": _ENGINE}
    return fix_files(write_files(folder, {**files, "other.py": _OTHER.format(other)})).get("engine.py", "")


def test_only_the_parser_counts_whose_options_a_function_is_given(tmp_path: Path) -> None:
    after = _fixed_engine(tmp_path, "type=int", "")
    assert after.count('torch.device("cuda", args.gpu)') == 1
    assert after.index("torch.device(") < after.index("for x in range(2):")


@pytest.mark.parametrize(
    ("option", "other"),
    [
        ("default='0'", ""),
        ("type=int", "from engine import train\ntrain(parser.parse_args())"),
        ("type=int", "from main import worker\nworker(0, parser.parse_args())"),
        ("type=int", "from engine import train\ntrain(read())"),
    ],
)
def test_a_function_may_be_given_the_options_of_another_parser(tmp_path: Path, option: str, other: str) -> None:
    assert _fixed_engine(tmp_path, option, other) == ""
