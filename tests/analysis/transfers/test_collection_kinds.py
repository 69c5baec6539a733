"""A list that is made of a tuple, an iterator or a tensor only with CUDA, and a copy of what others change."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

HEAD = """import collections
import torch

use_cuda = torch.cuda.is_available()


def pair():
    return torch.ones(1), torch.ones(1)


"""
LIST = "if use_cuda:\n    x = [y.cuda() for y in x]\nprint(x)"
DICT = "if use_cuda:\n    x = {k: y.cuda() for k, y in x.items()}\nprint(x)"


def _keeps_test(folder: Path, lines: str) -> bool:
    text = f"{HEAD}{lines}\n"
    after = fix_files(write_files(folder / "p", {"main.py": text})).get("main.py", text)
    return "if use_cuda:" in after or "if use_cuda else x" in after


@pytest.mark.parametrize(
    ("given", "keeps"),
    [
        ("x = (torch.ones(1), torch.ones(1))", True),
        ("x = pair()", True),
        ("x = torch.ones(2, 1)", True),
        ("x = net.parameters()", True),
        ("x = map(torch.tensor, rows)", True),
        ("x = torch.nn.ModuleList(layers)", True),
        ("for x in zip(rows, others):\n    pass", True),
        ("x = [torch.ones(1)]", False),
        ("x = list(rows)", False),
        ("x = load(rows)", False),
        ("for x in loader:\n    pass", False),
    ],
)
def test_what_a_list_is_made_of(given: str, keeps: bool, tmp_path: Path) -> None:
    assert _keeps_test(tmp_path, f"{given}\n{LIST}") is keeps
    assert _keeps_test(tmp_path, f"{given}\nx = [y.cuda() for y in x] if use_cuda else x\nprint(x)") is keeps


@pytest.mark.parametrize(
    ("given", "keeps"),
    [
        ("x = net.state_dict()", True),
        ("x = collections.OrderedDict()", True),
        ("x = {'a': torch.ones(1)}", False),
        ("x = load(rows)", False),
    ],
)
def test_what_a_dictionary_is_made_of(given: str, keeps: bool, tmp_path: Path) -> None:
    assert _keeps_test(tmp_path, f"{given}\n{DICT}") is keeps


@pytest.mark.parametrize(
    ("used", "keeps"),
    [
        ("a, b = x", False),
        ("print(x[0], x[1], len(x))", False),
        ("for one in x:\n    print(one)", False),
        ("net(*x)", False),
        ("print(x[:1])", True),
        ("net(x)", True),
        ("x[0] = 1", True),
    ],
)
def test_it_does_not_matter_where_only_elements_are_taken(used: str, keeps: bool, tmp_path: Path) -> None:
    assert _keeps_test(tmp_path, f"x = pair()\n{LIST.removesuffix('print(x)')}{used}") is keeps


def test_a_tuple_of_a_tuple(tmp_path: Path) -> None:
    move = "if use_cuda:\n    x = tuple(y.cuda() for y in x)\nprint(x)"
    assert not _keeps_test(tmp_path, f"x = pair()\n{move}")
    assert _keeps_test(tmp_path, f"x = [torch.ones(1)]\n{move}")


@pytest.mark.parametrize(
    ("given", "used", "keeps"),
    [
        ("x = self.rows", "x.append(1)", True),
        ("x = self.rows", "x[0] = 1", True),
        ("x = self.rows", "print(x[0])", False),
        ("x = []", "x.append(1)", False),
    ],
)
def test_a_copy_of_what_others_have_too(given: str, used: str, keeps: bool, tmp_path: Path) -> None:
    lines = f"{given}\n{LIST}\n{used}".replace("\n", "\n    ")
    assert _keeps_test(tmp_path, f"def run(self):\n    {lines}") is keeps
