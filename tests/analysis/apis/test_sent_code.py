"""Scripts whose functions run in processes that see other GPUs: they ask for CUDA in these, not at their top."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files
from tests.support.rule_cases import fixed

TRAIN = """import torch
{}


def train(steps):
    net = torch.nn.Linear(2, 2).cuda()
    return net(torch.ones(2, 2).cuda())


if __name__ == "__main__":
    {}
"""


@pytest.mark.parametrize(
    ("line", "call", "is_sent"),
    [
        ("import ray.tune", "ray.tune.run(train)", True),
        ("from ray import tune", "tune.run(train)", True),
        ("import submitit", "submitit.AutoExecutor('logs').submit(train, 2)", True),
        ("from joblib import Parallel, delayed", "Parallel(2)(delayed(train)(i) for i in range(2))", True),
        ("import joblib", "joblib.dump(train(2), 'x')", False),
        ("import arrays", "arrays.map(train)", False),
    ],
)
def test_where_a_script_asks_for_cuda(line: str, call: str, is_sent: bool) -> None:
    text = fixed("DEV101", TRAIN.format(line, call), unsafe=False)
    assert text.count("is_available") == 1 and ".cuda()" not in text
    assert ("    device = torch.device(" in text) is is_sent


def test_a_constant_of_a_script_that_sends_its_code_stays_cuda() -> None:
    text = 'import torch\nimport {}\n\nDEVICE = "cuda"\n\n\ndef f(x):\n    return x.to(DEVICE)\n\n\nf(torch.ones(1))\n'
    assert fixed("DEV103", text.format("ray"), unsafe=False) == text.format("ray")
    assert "is_available" in fixed("DEV103", text.format("rays"), unsafe=False)


OPTION = """import argparse

import torch


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda")
    return parser


def main(args):
    device = torch.device(args.device)
    return torch.nn.Linear(2, 2).to(device)


if __name__ == "__main__":
    main(options().parse_args())
"""
LAUNCH = "import {library}\nimport main\n\nargs = main.options().parse_args()\n{library}.Executor().submit(main.main, args)\n"


@pytest.mark.parametrize(("library", "is_sent"), [("submitit", True), ("others", False)])
def test_an_option_that_another_file_parses_and_sends_elsewhere(tmp_path: Path, library: str, is_sent: bool) -> None:
    files = {"main.py": OPTION, "launch.py": LAUNCH.format(library=library)}
    assert ("main.py" not in fix_files(write_files(tmp_path / "p", files))) is is_sent


def test_an_option_of_a_script_that_sends_its_code() -> None:
    text = OPTION.replace("import argparse\n", "import argparse\n\nimport submitit\n")
    assert fixed("DEV104", text, unsafe=False) == text != fixed("DEV104", text, unsafe=True)
