"""Flags that a program switches on where there is CUDA, and flags that only look so."""

from __future__ import annotations

from pathlib import Path

import libcst as cst
import pytest

from devlint.analysis.guards.switched_flags import is_switched_by_cuda
from devlint.sources.source import Source
from devlint.syntax.file_context import FileContext

ASKS = "torch.cuda.is_available()"
INIT = f"class A:\n    def __init__(self):\n        self.gpu = False\n        if {ASKS}:\n            self.gpu = True\n"
USE = "    def f(self):\n        here\n"
SWITCHED = [
    ("gpu", f"gpu = False\nif {ASKS}:\n    gpu = True\nhere\n"),
    ("gpu", f"gpu = 0\nif {ASKS}:\n    gpu = 1\nif a:\n    here\n"),
    ("gpu", f"if {ASKS}:\n    gpu = True\nelse:\n    gpu = False\nhere\n"),
    ("gpu", f"gpu = False\nif {ASKS} and torch.cuda.device_count() > 0:\n    gpu = True\nhere\n"),
    ("self.gpu", INIT + USE),
    ("self.gpu", INIT + USE + "b.gpus = True\n"),
]
OTHERS = [
    ("gpu", f"gpu = True\nif {ASKS}:\n    gpu = False\nhere\n"),
    ("gpu", f"gpu = False\nif {ASKS}:\n    gpu = x\nhere\n"),
    ("gpu", f"gpu = False\nhere\nif {ASKS}:\n    gpu = True\n"),
    ("gpu", f"if {ASKS}:\n    gpu = True\ngpu = False\nhere\n"),
    ("gpu", f"gpu = False\nif {ASKS}:\n    gpu = True\nif a:\n    gpu = True\nhere\n"),
    ("gpu", f"gpu = False\nif {ASKS} and a:\n    gpu = True\nhere\n"),
    ("gpu", f"gpu = False\nif {ASKS} or torch.cuda.device_count() > 0:\n    gpu = True\nhere\n"),
    ("gpu", f"gpu = False\nif {ASKS} and torch.cuda.device_count() > 1:\n    gpu = True\nhere\n"),
    ("gpu", f"gpu = False\nif not {ASKS}:\n    gpu = True\nhere\n"),
    ("gpu", f"gpu = False\nif {ASKS}:\n    gpu = True\nfor gpu in x:\n    here\n"),
    ("self.gpu", INIT + USE + "b.gpu = True\n"),
    ("self.gpu", INIT + USE + 'setattr(b, "gpu", True)\n'),
    ("self.gpu", INIT + USE + "setattr(b, c, True)\n"),
    ("self.gpu", INIT.replace("__init__", "g") + USE),
]


def is_switched(path: Path, name: str, text: str) -> bool:
    ctx = FileContext(Source.from_text(str(path), f"import torch\n{text}"))
    (here,) = [one for one in ctx.tree.of_type(cst.Name) if one.value == "here"]
    return is_switched_by_cuda(ctx, name, here)


@pytest.mark.parametrize(("name", "text"), SWITCHED)
def test_a_flag_that_is_switched_on_where_there_is_cuda(tmp_path: Path, name: str, text: str) -> None:
    assert is_switched(tmp_path / "a.py", name, text)


@pytest.mark.parametrize(("name", "text"), OTHERS)
def test_flags_that_may_say_something_else(tmp_path: Path, name: str, text: str) -> None:
    assert not is_switched(tmp_path / "a.py", name, text)


@pytest.mark.parametrize(
    ("line", "expected"), [("model.gpu = True", False), ("opt.gpu = True", True), ("model.gpus = 1", True)]
)
def test_what_another_file_sets(tmp_path: Path, line: str, expected: bool) -> None:
    for name in ("a.py", "pyproject.toml"):  # only a file on the disk, in a project, has others around it
        (tmp_path / name).touch()
    (tmp_path / "b.py").write_text(f"from a import A\nmodel = A()\n{line}\n", encoding="utf-8")
    assert is_switched(tmp_path / "a.py", "self.gpu", INIT + USE) is expected
