"""What is moved under a test for CUDA, and may be None without it: the test stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

LIB = """import sys
import torch


def load():
    if sys.argv[1:]:
        return torch.ones(1)


def always(n):
    if n:
        return torch.ones(1)
    raise ValueError(n)


def tried():
    try:
        return torch.ones(1)
    except ValueError:
        return torch.ones(2)


def pair():
    return torch.ones(1), None


def nothing():
    print("done")


def chosen(n):
    mask = torch.ones(1) if n else None
    return torch.ones(1), mask


def begun(n):
    mask = None
    if n:
        mask = torch.ones(1)
    return mask


def settled(n):
    mask = None
    if n:
        mask = torch.ones(1)
    else:
        mask = torch.ones(2)
    return torch.ones(1), mask


def replaced(n):
    mask = None
    mask = torch.ones(n)
    return mask
"""


@pytest.mark.parametrize(
    ("given", "is_kept"),
    [
        ("m = batch.get('mask')", True),
        ("m = batch.get('mask', x)", False),
        ("m = batch['mask']", False),
        ("m = batch.pop('mask', None)", True),
        ("m = batch.pop('mask')", False),
        ("m = getattr(batch, 'mask', None)", True),
        ("m = getattr(batch, 'mask')", False),
        ("m = next(batch, None)", True),
        ("m = x if batch else None", True),
        ("m = x.grad", True),
        ("m = batch or None", True),
        ("m = lib.load()", True),
        ("m = load()", True),
        ("m = lib.always(1)", False),
        ("m = lib.tried()", False),
        ("m = lib.nothing()", False),
        ("y, m = lib.pair()", True),
        ("m, y = lib.pair()", False),
        ("y, m = lib.chosen(x)", True),
        ("m, y = lib.chosen(x)", False),
        ("m = lib.begun(x)", True),
        ("y, m = lib.settled(x)", False),
        ("m = lib.replaced(3)", False),
        ("if (m := batch.get('mask')) is None:\n        print(1)", True),
        ("m = batch.get('mask')\n    print(m.shape)", False),
    ],
)
def test_a_value_that_may_be_none(tmp_path: Path, given: str, is_kept: bool) -> None:
    program = (
        "import lib\nimport torch\nfrom lib import load\n\nuse_cuda = torch.cuda.is_available()\n\n\n"
        f"def run(batch, x):\n    {given}\n    if use_cuda:\n        x = x.cuda()\n        m = m.cuda()\n    return x, m\n"
    )
    after = fix_files(write_files(tmp_path / "p", {"lib.py": LIB, "main.py": program})).get("main.py", program)
    assert ("    if use_cuda:\n" in after) is is_kept


@pytest.mark.parametrize(
    ("parameter", "is_kept"),
    [
        ("m: Optional[torch.Tensor]", True),
        ("m: torch.Tensor | None", True),
        ("m: torch.Tensor", False),
        ("m", False),
    ],
)
def test_a_parameter_that_may_be_none(tmp_path: Path, parameter: str, is_kept: bool) -> None:
    program = (
        "import torch\nfrom typing import Optional\n\nuse_cuda = torch.cuda.is_available()\n\n\n"
        f"def run(x, {parameter}):\n    if use_cuda:\n        x = x.cuda()\n        m = m.cuda()\n    return x, m\n"
    )
    after = fix_files(write_files(tmp_path / "p", {"main.py": program})).get("main.py", program)
    assert ("    if use_cuda:\n" in after) is is_kept


@pytest.mark.parametrize(("line", "is_kept"), [("mask: object = None", True), ("mask: object", False)])
def test_a_field_that_may_be_none(tmp_path: Path, line: str, is_kept: bool) -> None:
    program = (
        f"import torch\nfrom dataclasses import dataclass\n\n\n@dataclass\nclass Batch:\n    {line}\n\n\n"
        "use_cuda = torch.cuda.is_available()\n\n\ndef run(b):\n    if use_cuda:\n        b.mask = b.mask.cuda()\n    return b\n"
    )
    after = fix_files(write_files(tmp_path / "p", {"main.py": program})).get("main.py", program)
    assert ("    if use_cuda:\n" in after) is is_kept


def test_an_attribute_that_is_none_in_the_body_of_its_class(tmp_path: Path) -> None:
    text = (
        "import torch\n\n\nclass Net:\n    mask = {}\n\n    def __init__(self):\n        self.use_cuda = torch.cuda.is_available()\n\n"
        "    def run(self, x):\n        if self.use_cuda:\n            x = x.cuda()\n            self.mask = self.mask.cuda()\n        return x\n"
    )
    for value, is_kept in (("None", True), ("torch.ones(1)", False)):
        program = text.format(value)
        after = fix_files(write_files(tmp_path / value[:4], {"main.py": program})).get("main.py", program)
        assert ("        if self.use_cuda:\n" in after) is is_kept


@pytest.mark.parametrize(
    ("above", "is_kept"),
    [
        ("self.m = torch.ones(2)", False),
        ("self.m = torch.ones(2)\n            n = 3", False),
        ("self.m = torch.ones(2)\n            self.ask()", True),
        ("self.m = self.m or None", True),
        ("n = 3", True),
    ],
)
def test_an_attribute_that_the_lines_above_give_a_value(tmp_path: Path, above: str, is_kept: bool) -> None:
    program = (
        "import torch\n\nuse_cuda = torch.cuda.is_available()\n\n\nclass Pool:\n    def __init__(self):\n"
        "        self.m = None\n\n    def run(self, x):\n        if self.m is None:\n"
        f"            {above}\n            if use_cuda:\n                self.m = self.m.cuda()\n        return self.m\n"
    )
    after = fix_files(write_files(tmp_path / "p", {"main.py": program})).get("main.py", program)
    assert ("            if use_cuda:\n" in after) is is_kept


@pytest.mark.parametrize(
    ("below", "is_kept"),
    [
        ("return x if m is None else x * m", True),
        ("if m is not None:\n            x = x * m\n        else:\n            x = -x\n        return x", True),
        ("assert m is not None\n        return x * m", False),
        ("return x * m", False),
    ],
)
def test_a_parameter_of_which_lines_below_ask_whether_it_is_none(tmp_path: Path, below: str, is_kept: bool) -> None:
    program = (
        "import torch\n\nuse_cuda = torch.cuda.is_available()\n\n\nclass Net(torch.nn.Module):\n"
        f"    def forward(self, x, m):\n        if use_cuda:\n            m = m.cuda()\n        {below}\n"
    )
    after = fix_files(write_files(tmp_path / "p", {"main.py": program})).get("main.py", program)
    assert ("        if use_cuda:\n" in after) is is_kept


@pytest.mark.parametrize(
    ("lines", "is_kept"),
    [
        ("return x if self.m is None else x * self.m", True),
        ("if self.m:\n            x = x * self.m\n        return x", True),
        ("if not self.m:\n            return x\n        return x * self.m", True),
        ("if self.m is None:\n            self.m = torch.ones(1)\n        return x * self.m", False),
        ("if self.m is None:\n            raise ValueError\n        return x * self.m", False),
        ("assert self.m is not None\n        return x * self.m", False),
        ("return x * self.m", False),
    ],
)
def test_a_kept_parameter_of_which_the_class_asks_whether_it_is_there(
    tmp_path: Path, lines: str, is_kept: bool
) -> None:
    text = (
        "import torch\n\nuse_cuda = torch.cuda.is_available()\n\n\nclass Net:\n    def __init__(self, m):\n"
        "        self.m = {}\n        if use_cuda:\n            self.m = self.m.cuda()\n\n"
        f"    def run(self, x):\n        {lines}\n"
    )
    for given, may_be_none in (("m", is_kept), ("torch.ones(1)", False)):
        program = text.format(given)
        after = fix_files(write_files(tmp_path / given[:1], {"main.py": program})).get("main.py", program)
        assert ("        if use_cuda:\n" in after) is may_be_none


@pytest.mark.parametrize(("cell", "is_kept"), [("None", True), ("torch.zeros(n)", False)])
def test_a_method_that_may_give_none(tmp_path: Path, cell: str, is_kept: bool) -> None:
    program = (
        "import torch\nfrom base import Base\n\nuse_cuda = torch.cuda.is_available()\n\n\nclass Net(Base):\n"
        "    def run(self, x):\n        h, c = self.begin(len(x))\n        if use_cuda:\n            h = h.cuda()\n"
        "            c = c.cuda()\n        return self.cell(x, h, c)\n"
    )
    base = f"import torch\n\n\nclass Base:\n    def begin(self, n):\n        return torch.zeros(n), {cell}\n"
    files = write_files(tmp_path / "p", {"base.py": base, "main.py": program})
    after = fix_files(files).get("main.py", program)
    assert ("        if use_cuda:\n" in after) is is_kept
