from __future__ import annotations

import pytest

from devlint.analysis.names.main_part_reads import new_reads_of_main_part

SCRIPT = """\
import torch
{above}
def load(path):
    {load}
class Runner:
    def __init__(self):
        {init}
    def run(self):
        {run}
def main():
    {main}
if __name__ == "__main__":
    DEV = torch.device("cuda")
    args = parse()
    main()
"""
PLAIN = {"above": "", "load": "pass", "init": "pass", "run": "pass", "main": "print(args)"}


@pytest.mark.parametrize(
    "change",
    [
        {"load": "return x.to(DEV)"},
        {"load": "return lambda x: x.to(DEV)"},
        {"load": "return [x.to(DEV) for x in y]"},
        {"init": "self.x = x.to(DEV)"},
        {"run": "return x.to(DEV)"},
        {"load": "def inner():\n        return DEV\n    return inner()"},
        {"above": "from utils import *", "load": "return DEV"},
    ],
)
def test_a_function_that_could_be_imported_reads_what_only_the_main_part_binds(change: dict[str, str]) -> None:
    before = SCRIPT.format(**{**PLAIN, "above": change.get("above", "")})
    assert new_reads_of_main_part(before, SCRIPT.format(**{**PLAIN, **change})) == ["DEV"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({}, {"main": "print(args, DEV)"}),
        ({"init": "print(args)"}, {"init": "print(args)", "run": "return DEV"}),
        ({"load": "return args"}, {"load": "return args, DEV"}),
        ({}, {"load": "DEV = 1\n    return DEV"}),
        ({"above": "DEV = None"}, {"above": "DEV = None", "load": "return DEV"}),
        ({"above": "def init():\n    global DEV"}, {"above": "def init():\n    global DEV", "load": "return DEV"}),
    ],
)
def test_nothing_new_is_read_of_the_main_part(before: dict[str, str], after: dict[str, str]) -> None:
    assert new_reads_of_main_part(SCRIPT.format(**PLAIN | before), SCRIPT.format(**PLAIN | after)) == []


def test_a_main_part_is_told_by_its_test() -> None:
    before = "def f():\n    pass\nif '__main__' == __name__ and True:\n    d = 1\n"
    assert new_reads_of_main_part(before, before.replace("pass", "return d")) == ["d"]
    other = before.replace("'__main__' == __name__", "g() != '__main__'")
    assert new_reads_of_main_part(other, other.replace("pass", "return d")) == []
