"""Pools of processes for what starts no CUDA, and what may: ``main.py`` and ``measures.py`` of one program."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint.analysis.apis.workers_without_cuda import forks_without_cuda
from devlint.sources.source import Source
from devlint.syntax.file_context import FileContext
from tests.support.projects import fix_files, write_files

MAIN = """import heapq
import multiprocessing

import numpy as np
import torch
from measures import recall

device = torch.device("cuda")
items = list(range(9))


def best(scores):
    found = sorted(scores.items(), key=lambda one: one[1])
    found.reverse()
    return heapq.nlargest(2, scores, key=scores.get)


def ranked(pair):
    user, scores = pair
    found = []
    for one in best(dict(zip(items, scores))):
        found.append(one == user)
    return np.array(found), recall(found)


def test(net, count):
    pool = multiprocessing.Pool(2)
    users = list(range(count))
    table = np.zeros((count, 9))
    table[:, :] = net(torch.tensor(users).to(device)).detach().cpu()
    return pool.map(ranked, zip(users, table))


if __name__ == "__main__":
    print(test(torch.nn.Embedding(9, 9).to(device), 3))
"""
MEASURES = "import torch\n\n\ndef recall(found):\n    return sum(found)\n"


def asked(tmp_path: Path, main: str, measures: str) -> bool:
    folder = write_files(tmp_path / "p", {"main.py": main, "measures.py": measures})
    source = Source.from_text(str(folder / "main.py"), main)
    return forks_without_cuda(FileContext(source))


def test_functions_of_python_and_numpy(tmp_path: Path) -> None:
    assert asked(tmp_path, MAIN, MEASURES)
    assert 'device = torch.device("cuda" if torch' in fix_files(tmp_path / "p")["main.py"]
    assert "main.py" not in fix_files(
        write_files(tmp_path / "p", {"main.py": MAIN.replace("Pool(2)", "Pool(2, begin)")})
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return sum(found)", "return torch.tensor(found).sum()"),
        ("return sum(found)", "return sum(map(score, found))"),
        ("return sum(found)", "return found.sum()"),
        ("return sum(found)", "import torch\n    return sum(found)"),
        ("return sum(found)", "return eval('found')"),
        ("key=scores.get", "key=scores.score"),
        ("recall(found)\n", "user(found)\n"),
        ("recall(found)\n", "other(found)\n"),
        ("recall(found)\n", "recall(torch)\n"),
        ("recall(found)\n", "recall(found.to(device))\n"),
        ("Pool(2)", "Pool(2, begin)"),
        ("Pool(2)", "Pool(initializer=begin)"),
        ("pool = ", "begin()\n    pool = other = "),
        ("return pool.map(", "run(pool)\n    return pool.map("),
        ("    users = ", "    multiprocessing.Process(target=net).start()\n    users = "),
        ("pool.map(ranked", "pool.map(net"),
        ("pool.map(ranked", "pool.map(lambda pair: ranked(pair)"),
        (".detach().cpu()", ".detach()"),
        ("users = list(range(count))", "users = count"),
        ("    table = ", "    users.append(net(count))\n    table = "),
        ("def best(", "class Data:\n    def __getitem__(self, at):\n        return self.x[at].cuda()\n\n\ndef best("),
        (
            "import torch\n\n\ndef recall",
            "class Data:\n    @property\n    def x(self):\n        return 1 .cuda()\n\n\ndef recall",
        ),
    ],
)
def test_what_may_start_cuda(tmp_path: Path, old: str, new: str) -> None:
    assert old in MAIN + MEASURES
    assert not asked(tmp_path, MAIN.replace(old, new), MEASURES.replace(old, new))
