"""Flags with a default that no caller changes: the test for them goes, whatever its moves are beside."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

LIB = """\
import torch


def score(net, x, cuda=True):
    extra = x.new(2).fill_(1)
    if cuda:
        extra = extra.cuda()
    return net(x) + extra


def twice(net, x, cuda=True):
    return score(net, x, cuda=cuda) + score(net, x)


class Scorer:
    def score_all(self, xs, cuda=True):
        for x in xs:
            extra = x.new(2).fill_(1)
            if cuda:
                extra = extra.cuda()
            print(x + extra)
"""
MAIN = """\
import torch
import lib

net = torch.nn.Linear(2, 2)
lib.twice(net, torch.ones(2))
scorer = lib.Scorer()
scorer.score_all([])
"""


def _goes(tmp_path: Path, main: str) -> tuple[bool, bool]:
    """Whether the tests of the function and of the method go."""
    after = fix_files(write_files(tmp_path / "p", {"lib.py": LIB, "main.py": main})).get("lib.py", LIB)
    function, _, method = after.partition("class Scorer")
    return "if cuda:" not in function, "if cuda:" not in method


@pytest.mark.parametrize(
    ("call", "goes"),
    [
        ("", (True, True)),
        ("lib.score(net, x)", (True, True)),
        ("lib.score(net, x, True)", (True, True)),
        ("lib.score(net, x, False)", (False, True)),
        ("lib.score(net, x, cuda=args.cuda)", (False, True)),
        ("lib.score(net, *rest)", (False, True)),
        ("lib.score(net, **rest)", (False, True)),
        ("run(lib.score)", (False, True)),
        ("lib.twice(net, x, False)", (False, True)),
        ("scorer.score_all([], cuda=False)", (True, False)),
        ("scorer.score_all([], False)", (True, False)),
    ],
)
def test_a_test_goes_where_no_caller_makes_it_false(tmp_path: Path, call: str, goes: tuple[bool, bool]) -> None:
    assert _goes(tmp_path, f"{MAIN}{call}\n") == goes


def test_what_nobody_calls_may_be_called_otherwise(tmp_path: Path) -> None:
    assert _goes(tmp_path, "import torch\nimport lib\n") == (False, False)


@pytest.mark.parametrize(("value", "goes"), [("True", True), ("x.shape[0] > 1", False)])
def test_a_variable_with_no_other_value(tmp_path: Path, value: str, goes: bool) -> None:
    text = f"import torch\n\n\ndef f(x):\n    on_gpu = {value}\n    y = x.new(2)\n    if on_gpu:\n        y = y.cuda()\n    return y\n"
    after = fix_files(write_files(tmp_path / "p", {"lib.py": text})).get("lib.py", text)
    assert ("    if on_gpu:" not in after) is goes
