"""The device that a class of another file gives to the instances of those that inherit from it."""

from __future__ import annotations

import ast

import pytest

from devlint.analysis.owners.inherited_device import InheritedDevice, inherited_device
from devlint.analysis.project.classes import ClassFamily
from devlint.analysis.project.module import Definition, ProjectModule

HEAD = "import torch\nDEVICE = torch.device('cuda')\n"
CASES = [
    ("class A:\n    def __init__(self):\n        self.device = torch.device('cuda')", "device"),
    ("class A:\n    def __init__(self):\n        self.device: torch.device = torch.device('cuda')", "device"),
    ("class A:\n    def __init__(self):\n        self.device = 'cuda'", "text"),
    ("class A:\n    def __init__(self):\n        self.device = 'cuda:1'", "text card 1"),
    ("class A:\n    def __init__(self):\n        self.device = DEVICE", "device"),
    ("class A:\n    def __init__(self):\n        self.device = 'cpu'", None),
    ("class A:\n    def __init__(self):\n        self.device = f()", None),
    ("class A:\n    def __init__(self):\n        self.other = torch.device('cuda')", None),
    ("class A:\n    def __init__(self):\n        device = torch.device('cuda')", None),
    ("class A:\n    def __init__(self):\n        self.device = None", None),
    ("class A:\n    def __init__(self):\n        self.x = self.device = 'cuda'", "text"),
    ("class A:\n    def __init__(this):\n        this.device = 'cuda'", "text"),
    ("class A:\n    def __init__(this):\n        self.device = 'cuda'", None),
    ("class A:\n    def __init__(self, device):\n        self.device = device", "?"),
    ("class A:\n    def __init__(self, /, device):\n        self.device = device", "?"),
    ("class A:\n    def __init__(self, device='cuda'):\n        self.device = device", "?"),
    ("class A:\n    def __init__(self, device=None):\n        self.device = device", None),
    ("class A:\n    def __init__(self, device='cpu'):\n        self.device = device", None),
    *(
        (f"class A:\n    def __init__(self, device=None, x=None):\n        self.device = {value}", expected)
        for value, expected in (
            ("device if device is not None else torch.device('cuda')", "?"),
            ("device if device else DEVICE", "?"),
            ("DEVICE if device is None else device", "?"),
            ("DEVICE if device is not None else device", None),
            ("device if x is not None else DEVICE", None),
            ("x if x is not None else DEVICE", None),
            ("device if not device else DEVICE", None),
        )
    ),
    ("class A:\n    def __init__(self, *, device):\n        self.device = device", "?"),
    ("class A:\n    def __init__(self, where):\n        self.device = where", None),
    ("class A:\n    def __init__(self, device):\n        self.device = torch.device(device)", "device"),
    ("class A:\n    def __init__(self, args):\n        self.device = args.device", "?"),
    ("class A:\n    def __init__(self):\n        if f():\n            self.device = 'cuda'", None),
    ("class A:\n    def set(self):\n        self.device = 'cuda'", None),
    *(
        (f"class A:\n    def __init__(self, gpu=True):\n{body}", expected)
        for body, expected in (
            (
                "        self.gpu = gpu\n        self.device = torch.device('cuda' if self.gpu else 'cpu')",
                "device early gpu flag gpu",
            ),
            ("        self.gpu = gpu\n        self.device = 'cuda' if self.gpu else 'cpu'", "text early gpu flag gpu"),
            ("        self.device = 'cuda' if self.gpu else 'cpu'\n        self.gpu = gpu", "text"),
            ("        self.device = 'cuda' if self.gpu else 'cpu'", "text"),
            ("        self.gpu = gpu\n        self.device = 'cuda' if gpu else 'cpu'", "text early gpu"),
            ("        self.gpu = gpu\n        self.device = 'cuda:1' if self.gpu else 'cpu'", "text card 1 early gpu"),
            ("        self.gpu = gpu\n        self.device = 'cuda' if not self.gpu else 'cpu'", "text early gpu"),
            (
                "        self.gpu = gpu\n        self.device = 'cuda' if self.gpu else 'cpu'\n"
                "    def set(self):\n        self.gpu = False",
                "text early gpu",
            ),
        )
    ),
    (
        "class A:\n    def __init__(self):\n        self.device = 'cuda'\n    def set(self):\n        self.device = 'cpu'",
        None,
    ),
    (
        "class A:\n    def __init__(self):\n        self.device = 'cuda'\n    def set(self):\n        self.device = 'cuda'",
        "text",
    ),
    (
        "class A:\n    def __init__(self):\n        self.device = 'cuda'\n    def set(self):\n        f(self.device)",
        "text",
    ),
    ("class A:\n    @property\n    def device(self):\n        return f()", None),
    ("class A:\n    @property\n    def device(self):\n        return self._device", "? property"),
    ("class A:\n    _device = None\n    @property\n    def device(self):\n        return self._device", None),
    ("class A:\n    _other = None\n    @property\n    def device(self):\n        return self._device", "? property"),
    ("class A:\n    def device(self):\n        return f()", None),
    ("class A:\n    x = 1", None),
    ("class A(LightningModule):\n    x = 1", "device property"),
    ("class A(pl.LightningModule):\n    def f(self):\n        pass", "device property"),
    ("class A(pl.LightningModule):\n    def __init__(self):\n        super().__init__()", "device property"),
    ("class A(pl.LightningModule):\n    def __init__(self):\n        self.x = 1", None),
    ("class A(pl.LightningModule):\n    def __init__(self):\n        self.device = 'cuda'", "text"),
    ("class A(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.device = 'cuda'", "text"),
    (
        "class A(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.x = 1\n"
        "        self.device = 'cuda'",
        "text early x",
    ),
    (
        "class A:\n    def __init__(self):\n        self.x.y = 1\n        f()\n        self.device = 'cuda'",
        "text early x y",
    ),
    ("class A:\n    def __init__(self):\n        self.device = self.choose()", None),
    (
        "class A:\n    def __init__(self):\n        self.device = self.get_device()\n"
        "    def get_device(self):\n        return torch.device('cuda')",
        "device card ? by get_device",
    ),
    (
        "class A:\n    def __init__(self):\n        self.device = self.get_device()\n"
        "    def get_device(self):\n        return 'cuda'",
        "? card ? by get_device",
    ),
    ("class A:\n    def __init__(self):\n        self.device = get_device()", "? card ?"),
    ("class A:\n    def __init__(self):\n        self.device = other.get_device()", "? card ?"),
    ("class A(B):\n    pass\nclass B:\n    def __init__(self):\n        self.device = 'cuda'", "text"),
    (
        "class A(B):\n    def __init__(self):\n        pass\nclass B:\n    def __init__(self):\n        self.device = 'cuda'",
        None,
    ),
    (
        "class A(B):\n    def __init__(self):\n        super().__init__()\n"
        "class B:\n    def __init__(self):\n        self.device = 'cuda'",
        "text",
    ),
    (
        "class A(B):\n    def __init__(self):\n        self.x = 1\n        B.__init__(self)\n"
        "class B:\n    def __init__(self):\n        self.device = 'cuda'",
        "text early x",
    ),
    (
        "class A(B):\n    def __init__(self):\n        super().__init__()\n        self.device = 'cuda'\n"
        "class B:\n    def __init__(self):\n        self.device = torch.device('cuda')",
        "device",
    ),
    (
        "class A(B):\n    def f(self):\n        self.device = None\n"
        "class B:\n    def __init__(self):\n        self.device = 'cuda'",
        None,
    ),
]
"""Classes, the first with its bases below it, and the device: what it is, its card, what gives it, what runs before."""


def family(text: str) -> ClassFamily:
    tree = ast.parse(HEAD + text)
    module = ProjectModule("case.py", tree)
    classes = [one for one in tree.body if isinstance(one, ast.ClassDef)]
    own = {one.name for one in classes}
    others = [base for one in classes for base in map(ast.unparse, one.bases) if base not in own]
    return ClassFamily(tuple(Definition(module, one, one.name) for one in classes), tuple(others))


def in_words(found: InheritedDevice | None) -> str | None:
    if found is None:
        return None
    known = found.device
    words = [{True: "text", False: "device", None: "?"}[known.is_string]]
    words += ["card", known.index] if known.index is not None else []
    words += ["property"] if found.by_property else []
    words += ["by", found.giver] if found.giver is not None else []
    words += ["early", *sorted(found.early)] if found.early else []
    words += ["flag", found.flag] if found.flag else []
    words += ["alone"] if found.by_flag else []
    return " ".join(words)


BRANCHES = """\
class A:
    def __init__(self, gpu):
        if gpu:
            {}
        else:
            {}
    def set(self, name):
        {}
"""
ON, OFF = "self.gpu = True; self.device = torch.device('cuda')", "self.gpu = False; self.device = torch.device('cpu')"


@pytest.mark.parametrize(
    ("first", "second", "later", "expected"),
    [
        (ON, OFF, "pass", "device flag gpu alone"),
        (OFF, ON, "pass", "device flag gpu alone"),
        (ON, OFF.replace("gpu", "other"), "pass", None),
        (ON, OFF.replace("False", "True"), "pass", None),
        (ON, ON, "pass", None),
        (ON, "pass", "pass", None),
        (ON, "self.gpu = False; self.device = 'cpu'", "pass", None),
        (ON, OFF, "self.gpu = True", None),
        (ON, OFF, "self.device = torch.device('cuda')", None),
        (ON, OFF, "setattr(self, name, True)", None),
    ],
)
def test_a_flag_beside_the_device(first: str, second: str, later: str, expected: str | None) -> None:
    assert in_words(inherited_device(family(BRANCHES.format(first, second, later)))) == expected


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_inherited_device(text: str, expected: str | None) -> None:
    assert in_words(inherited_device(family(text))) == expected
