"""What a file uses of the other files of its project, asked there."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from devlint.analysis.places.certain.certain_devices import certain_devices
from devlint.analysis.places.results.missing_devices import missing_devices
from devlint.analysis.project.disk import READ
from devlint.analysis.project.project import Index, Project

HEAD = "import torch\nfrom torch import nn\nfrom .other import Base, Rotary, at, number, padded, plain\n"
OTHER = """import torch
from torch import nn

class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.offset = torch.ones(2)
    def scaled(self, t):
        return t * self.layer.weight

class Rotary(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("frequency", torch.ones(4))
    def forward(self, x, steps):
        return x, steps * self.frequency

def at(n, device):
    return torch.arange(n).to(device)

def padded(x, mask):
    return torch.cat([x, mask.flip(-1)])

def number(x):
    if x.is_cuda:
        return x.sum()
    return 1

def plain(thing: "Thing"):
    return torch.zeros(3, device=thing.device)
"""
PROGRAMS = [
    ("def f(x, device):\n    x = x.to(device)\n    return padded(x, torch.ones(4))\n", "ones torch.cat"),
    ("def f(n, device):\n    return at(n, device) + torch.ones(4)\n", "ones +"),
    ("class A(Base):\n    def f(self, n):\n        return self.scaled(torch.ones(2))\n", "ones *"),
    ("class A(Base):\n    def f(self, n):\n        return self.layer(torch.ones(2))\n", "ones nn.Linear"),
    (
        "class A(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.rotary = Rotary()\n"
        "    def forward(self, x):\n        return self.rotary(x, torch.arange(4))\n",
        "arange *",
    ),
    # What another file makes on the CPU, gives sometimes, or makes where an unknown object is, says nothing here.
    ("class A(Base):\n    def f(self, n):\n        return self.offset + torch.ones(2)\n", ""),
    ("def f(x, device):\n    return number(x.to(device)) * torch.ones(2)\n", ""),
    ("def f(thing, device):\n    return plain(thing) + torch.ones(3)\n", ""),
    ("def f(n, device):\n    return at(n, None) + torch.ones(4)\n", ""),
]

OBJECTS = """import torch
from torch import nn

class Blur(nn.Module):
    def __init__(self, size, device="cpu"):
        super().__init__()
        self.size = size
        self.to(device)
    def A(self, x: torch.Tensor):
        return unknown(x)
    def moved(self, x: torch.Tensor):
        return unknown(x.to(self.device))
    def taken(self, x: torch.Tensor, kind: str):
        return unknown(x)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
    def forward(self, x, y):
        return self.layer(y) + x
"""
"""Classes of another file, of which not all shows what they do."""
WITH_OBJECTS = [
    # An object that is given a device computes there with what it is given as it is.
    ("def f(n, device):\n    return Blur(n, device=device).A(torch.ones(2))\n", "ones A"),
    ("def f(n, device):\n    blur = Blur(n, device)\n    return blur(torch.ones(2))\n", "ones blur"),
    ("def f(n, device):\n    blur = Blur(n).to(device)\n    return blur.A(torch.ones(2))\n", "ones blur.A"),
    ("def f(n, x):\n    blur = Blur(n, device=str(x.device))\n    return blur.A(torch.ones(2))\n", "ones blur.A"),
    (
        "def f(n, device):\n    blur = Blur(n, device=device)\n    return blur.taken(torch.ones(2), n)\n",
        "ones blur.taken",
    ),
    (
        "def made(n, device):\n    if n:\n        return Blur(n, device=device), 1\n    return Blur(3, device), 2\n"
        "def f(n, device):\n    blur, size = made(n, device)\n    return blur.A(torch.ones(2))\n",
        "ones blur.A",
    ),
    (
        "def f(n, device):\n    every = stacked([Blur(n, device=device)])\n    return every.A(torch.ones(2))\n",
        "ones every.A",
    ),
    ("def f(model, device):\n    model = load(model).to(device)\n    return model(torch.ones(2))\n", "ones model"),
    ("def f(model: Net, x: torch.Tensor, device):\n    return model(x.to(device), torch.ones(2))\n", "ones nn.Linear"),
    # What it moves itself, what is on the CPU as it is, numbers and positions are left alone.
    ("def f(n, device):\n    blur = Blur(n, device=device)\n    return blur.moved(torch.ones(2))\n", ""),
    ("def f(n, device):\n    blur = Blur(n)\n    return blur.A(torch.ones(2)), device\n", ""),
    ("def f(n, device):\n    blur = Blur(n, device='cpu')\n    return blur.A(torch.ones(2)), device\n", ""),
    ("def f(n, device):\n    blur = Blur(n, device=device).cpu()\n    return blur.A(torch.ones(2))\n", ""),
    ("def f(n, device):\n    blur = Blur(n, device=device)\n    return blur.A(torch.tensor(2.0))\n", ""),
    ("def f(n, device):\n    blur = Blur(n, device=device)\n    return blur.A(torch.arange(2))\n", ""),
    ("def f(n, device):\n    blur = Blur(n, device=device)\n    return blur.A(torch.ones(2, device=device))\n", ""),
]
USED = "import torch\n\ndef window(n, device):\n    return torch.ones(n).unsqueeze(0)\n"
"""A file with a function that only other files call."""
USES = [
    (
        "from .program import window\n\ndef f(x, device):\n    return x.to(device) * window(2, device)\n",
        "`*` on line 4 of `use.py`",
    ),
    ("from .program import window\n\ndef f(x, device):\n    return x.to(device) * window(2, device).to(x)\n", ""),
    ("from .program import window\n\ndef f(x, device):\n    return x, window(2, device)\n", ""),
    ("def window(n, device):\n    return n\n\ndef f(x, device):\n    return x.to(device) * window(2, device)\n", ""),
]


def project_of(folder: Path, text: str) -> Project:
    (folder / "__init__.py").write_text("")
    (folder / "other.py").write_text("from .inner import Base, Rotary, at, number, padded, plain\n")
    (folder / "inner.py").write_text(OTHER)
    (folder / "program.py").write_text(text)
    return Project(str(folder / "program.py"), Index())


@pytest.mark.parametrize(("text", "expected"), PROGRAMS)
def test_what_meets_in_other_files(tmp_path: Path, text: str, expected: str) -> None:
    found = missing_devices(HEAD + text, project_of(tmp_path, HEAD + text))
    assert "; ".join(f"{one.maker} {one.kind}" for one in found) == expected


def test_each_file_that_was_asked_is_noted_each_time(tmp_path: Path) -> None:
    text = HEAD + PROGRAMS[0][0]
    project = project_of(tmp_path, text)
    for _ in range(2):
        project.index.disk.asked = {}
        assert missing_devices(text, project)
        asked = {Path(one.partition(":")[2]).name for one in project.index.disk.asked if one.startswith(READ)}
        assert asked == {"other.py", "inner.py"}


def test_another_file_that_does_not_parse_costs_nothing_of_this_one(tmp_path: Path) -> None:
    text = HEAD + "def f(x, device):\n    return padded(x.to(device), torch.ones(4)) + x.to(device) * torch.zeros(2)\n"
    project = project_of(tmp_path, text)
    (tmp_path / "inner.py").write_text("def padded(x, mask):\n    return (x\n")
    assert [one.maker for one in missing_devices(text, project)] == ["zeros"]


CIRCLE = {
    "one.py": "import torch\nfrom .two import Two, there\n\ndef here(x, n):\n    return there(x, n - 1) if n else x\n"
    "class One(Two):\n    def forward(self, x):\n        return self.layer(x) + self.offset + torch.ones(2)\n"
    "def use(x, device):\n    return here(x.to(device), 2) + torch.zeros(2)\n",
    "two.py": "import torch\nfrom torch import nn\nfrom .one import One, here\nfrom .three import padded\n"
    "def there(x, n):\n    return here(padded(x, n), n - 1) if n else x\n"
    "class Two(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.layer = nn.Linear(2, 2)\n"
    "        self.offset = torch.ones(2)\n"
    "def use(x, device):\n    return there(x.to(device), 2) + torch.zeros(3)\n",
    "three.py": "import torch\nfrom .one import here\nfrom .two import there as again\n"
    "def padded(x, n):\n    return here(x, n) + torch.ones(n) if n else again(x, n)\n"
    "def use(x, device):\n    return padded(x.to(device), 2) * torch.zeros(4)\n",
}


def test_the_order_of_files_that_import_each_other_changes_no_answer(tmp_path: Path) -> None:
    for name, text in {"__init__.py": "", **CIRCLE}.items():
        (tmp_path / name).write_text(text)

    def found(name: str, index: Index) -> tuple[object, ...]:
        return missing_devices(CIRCLE[name], Project(str(tmp_path / name), index))

    alone = {name: found(name, Index()) for name in CIRCLE}
    assert any(alone.values())
    for order in permutations(CIRCLE):
        shared = Index()
        assert {name: found(name, shared) for name in order} == alone


@pytest.mark.parametrize(("text", "expected"), WITH_OBJECTS)
def test_what_objects_of_other_files_are_given(tmp_path: Path, text: str, expected: str) -> None:
    text = f"import torch\nfrom objects import Blur, Net\n{text}"
    (tmp_path / "objects.py").write_text(OBJECTS)
    (tmp_path / "program.py").write_text(text)
    project = Project(str(tmp_path / "program.py"), Index())
    found = missing_devices(text, project)
    assert "; ".join(f"{one.maker} {one.kind}" for one in found) == expected
    assert certain_devices(text, project) == ()


@pytest.mark.parametrize(("uses", "expected"), USES)
def test_what_a_function_gives_other_files(tmp_path: Path, uses: str, expected: str) -> None:
    (tmp_path / ".git").mkdir()
    project = project_of(tmp_path, USED)
    (tmp_path / "use.py").write_text(uses)
    found = missing_devices(USED, project)
    assert [(one.meeting_in_words, one.maker, one.device) for one in found] == (
        [(expected, "ones", "device")] * bool(expected)
    )
    assert f"{READ}:{tmp_path / 'use.py'}" in project.index.disk.asked or not expected
    assert missing_devices(USED.replace("ones(n)", "ones(n, device=device)"), project) == ()


MATCHING = """import torch
from torch import nn

class Matcher(nn.Module):
    def forward(self, x, y):
        cost = torch.cdist(x, y){0}
        return self.pairs(cost)
    def pairs(self, cost):
        return [solve(one) for one in cost]

class Asking(nn.Module):
    def forward(self, x, y):
        return self.pairs(torch.cdist(x, y))
    def pairs(self, cost):
        return [solve(one{0}) for one in cost]

def match(x, y):
    return [solve(one) for one in torch.cdist(x, y){0}]
"""
CLASS = "class Loss(nn.Module):\n    def __init__(self, {}):\n        super().__init__()\n        self.matcher = {}\n"
METHOD = "    def forward(self, x: torch.Tensor, y: torch.Tensor):\n        found = {}(x, y)\n        return torch.cat([found[0].long(), torch.arange(3)])\n"
UNREAD = [
    CLASS.format("matcher: nn.Module = Matcher()", "matcher") + METHOD.format("self.matcher"),
    CLASS.format("matcher: matching.Asking", "matcher") + METHOD.format("self.matcher"),
    CLASS.format("matcher=None", "matcher or Matcher()") + METHOD.format("self.matcher"),
    CLASS.format("n", "Asking()") + METHOD.format("self.matcher"),
    "class Loss(nn.Module):\n" + METHOD.format("match"),
    "def f(matcher: Matcher, x: torch.Tensor, y: torch.Tensor):\n    z = torch.zeros(1, device=x.device)\n"
    "    found = matcher(x, y)\n    return z, found[0].long() * torch.arange(3)\n",
    "def f(x, y, device):\n    x = x.to(device)\n    matcher = Matcher()\n    return matcher(x, y).long() * torch.arange(3)\n",
]


@pytest.mark.parametrize("text", UNREAD)
def test_nobody_knows_where_the_results_are_of_what_goes_to_the_cpu(tmp_path: Path, text: str) -> None:
    text = f"import torch\nfrom torch import nn\nimport matching\nfrom matching import Asking, Matcher, match\n\n{text}"
    (tmp_path / "program.py").write_text(text)
    for way, count in (("", 1), (".cpu()", 0), (".detach().cpu().numpy()", 0)):
        (tmp_path / "matching.py").write_text(MATCHING.format(way))
        project = Project(str(tmp_path / "program.py"), Index())
        assert len({*missing_devices(text, project), *certain_devices(text, project)}) >= count
        assert count or not (missing_devices(text, project) or certain_devices(text, project))


def test_nor_of_what_does_so_in_the_same_file() -> None:
    own = MATCHING.format(".cpu()") + CLASS.format("matcher=Matcher()", "matcher") + METHOD.format("self.matcher")
    assert certain_devices(own) == missing_devices(own) == ()
