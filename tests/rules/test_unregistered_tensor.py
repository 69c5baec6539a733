from __future__ import annotations

from pathlib import Path

import pytest

from devlint.sources.source import Source
from tests.support import engine
from tests.support.projects import write_files
from tests.support.rule_cases import CUDA, check, found, places, rule

CODE = "DEV403"


def module(value: str, use: str, more: str = "", name: str = "mask") -> str:
    return (
        "import numpy as np\nimport torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\n"
        "class Net(nn.Module):\n    def __init__(self, n, x0=None):\n        super().__init__()\n"
        f"        self.layer = nn.Linear(4, 4)\n        self.{name} = {value}\n{more}\n"
        f"    def forward(self, x, flag=True, scale: float = 1.0):\n        {use}\n"
    )


MOVED_BY_NAME = """    def follow(self, x):
        for name in ("mask",):
            setattr(self, {name}, getattr(self, name).to(x.device))
"""
CHOICE = """if {test}:
            y = x - self.mask{yes}
        else:
            y = x - self.mask{no}
        return self.layer(y)"""
BASE = f"class Base(nn.Module):\n{MOVED_BY_NAME.format(name='name')}\n"

SILENT = [
    # Not on the CPU for certain, or registered.
    module("nn.Parameter(torch.ones(4))", "return x * self.mask"),
    module("torch.ones(4, device=x0.device)", "return x * self.mask"),
    module("torch.ones(4).to(x0)", "return x * self.mask"),
    module("torch.ones(4).cuda()", "return x * self.mask"),
    module("torch.ones_like(x0)", "return x * self.mask"),
    module("torch.as_tensor(x0)", "return x * self.mask"),
    module("torch.tensor(x0)", "return x * self.mask"),
    module("x0", "return x * self.mask"),
    module("np.ones(4)", "return x * self.mask"),
    module("[1, 2]", "return x * self.mask"),
    # Only what is not on CUDA meets it.
    module("torch.ones(4)", "if not x.is_cuda:\n            x = x * self.mask\n        return x"),
    *(
        module("torch.ones(4)", CHOICE.format(test=test, yes=yes, no=no))
        for test, yes, no in (
            ("x.is_cuda", ".cuda()", ""),
            ("x.data.is_cuda", ".cuda()", ""),
            ("x.is_cpu", "", ".cuda()"),
            ("not next(self.parameters()).is_cuda", "", ".cuda()"),
            ("x.device.type == 'cuda'", ".cuda()", ""),
            ("x.device.type != 'cuda'", "", ".cuda()"),
            ("x.device == torch.device('cpu')", "", ".cuda()"),
            ("'cuda' in str(x.device)", ".cuda()", ""),
            ("torch.cuda.is_available() and flag", ".cuda()", ".to(x.device)"),
            ("torch.cuda.is_available()", ".cuda()", ""),
            ("flag or self.use_cuda", ".to(x.device)", ""),
            ("n.cuda", ".cuda()", ""),
            ("self.no_cuda", "", ".cuda()"),
        )
    ),
    module("torch.ones(4)", "x = x - (self.mask.cuda() if x.is_cuda else self.mask)\n        return self.layer(x)"),
    module("torch.ones(4)", "x = x - self.mask.cuda() if x.is_cuda else x - self.mask\n        return self.layer(x)"),
    # A list or a dictionary of tensors is no buffer.
    module("[torch.ones(4), torch.zeros(4)]", "return x * self.mask[0]"),
    module("[torch.ones(4) for _ in range(n)]", "return [x * one for one in self.mask]"),
    module("{'a': torch.ones(4)}", "return x * self.mask['a']"),
    module("[]", "return x * self.mask[0]", "        self.mask.append(torch.ones(4))"),
    # Numbers without dimensions meet every device.
    module("torch.tensor(1e-3)", "return x * self.mask"),
    module("torch.zeros(())", "return x + self.mask"),
    module("torch.ones(4).sum()", "return x + self.mask"),
    module("torch.ones(4)[0]", "return x + self.mask"),
    # An index may stay on the CPU, and so may what never meets the input.
    module("torch.arange(4)", "return x[self.mask]"),
    module("torch.arange(4)", "return x[:, self.mask]"),
    module("torch.ones(4)", "return x * len(self.mask)"),
    module("torch.ones(4)", "return x.view(self.mask.shape)"),
    module("torch.ones(4)", "return x.view(self.mask.size(0))"),
    module("torch.ones(4)", "return self.mask * 2 + scale"),
    module("torch.ones(4)", "return self.mask * x.shape[0]"),
    module("torch.ones(4)", "return x.size(0) * self.mask"),
    module("torch.ones(4)", "return self.mask"),
    module("torch.ones(4)", "return x"),
    module("torch.ones(4)", "return x * self.mask.sum().item()"),
    module("torch.ones(4)", "return x.cpu() * self.mask"),
    module("torch.ones(4)", "x.copy_(self.mask)\n        return x"),
    # Somebody cares.
    module("torch.ones(4)", "return x * self.mask.to(x.device)"),
    module("torch.ones(4)", "return x * self.mask.float().to(x)"),
    module("torch.ones(4)", "return x * self.mask.type_as(x)"),
    module("torch.ones(4)", "self.mask = self.mask.to(x.device)\n        return x * self.mask"),
    module("torch.ones(4)", "mask = self.mask\n        mask = mask.to(x.device)\n        return x * mask"),
    module("torch.ones(4)", "return x.to(self.mask.device) * self.mask"),
    module("torch.ones(4)", "return x * self.mask", "    def to(self, device):\n        return self"),
    module("torch.ones(4)", "return x * self.mask", "    def _apply(self, fn):\n        return self"),
    module("torch.ones(4)", "return x * self.mask", "    def reset(self):\n        self.mask = torch.ones(4)"),
    module("torch.ones(4)", "return x * self.mask", MOVED_BY_NAME.format(name="name")),
    module("torch.ones(4)", "return x * self.mask", MOVED_BY_NAME.format(name="'mask'")),
    module("torch.ones(4)", "return x * self.mask").replace("nn.Module)", "Base)").replace("class", BASE + "class"),
    module("torch.ones(4)", "return x * self.mask").replace("(nn.Module)", "(Dataset)").replace("forward", "run"),
    "import torch\ntorch.set_default_device('cuda')\n" + module("torch.ones(4)", "return x * self.mask"),
]

USES = [
    CHOICE.format(test="x.is_cuda", yes="", no=""),
    CHOICE.format(test="self.multi_gpu", yes=".cuda()", no=""),
    CHOICE.format(test="flag and x.is_cuda", yes=".cuda()", no=""),
    CHOICE.format(test="n is None", yes=".cuda()", no=""),
    "if x.is_cuda:\n            x = x * self.mask\n        return x",
    "if not x.is_cuda:\n            x = x + 1\n        return x * self.mask",
    "return x * self.mask",
    "return self.mask * x",
    "return x + self.mask[None, :]",
    "return x + 2 * self.mask.float().unsqueeze(0)",
    "return self.layer(x) * self.mask",
    "y = self.layer(x)\n        return y - self.mask",
    "mask = self.mask\n        return x * mask",
    "mask = self.mask.view(1, 4)\n        return x * mask",
    "return torch.cat([x, self.mask])",
    "return torch.matmul(x, self.mask)",
    "return F.mse_loss(x, self.mask)",
    "return x.masked_fill(self.mask, 0)",
    "return self.mask.mul(x)",
    "return -self.mask * x",
]

VALUES = [
    "torch.ones(4)",
    "torch.zeros(n, 4)",
    "torch.tensor([1.0, 2.0])",
    "torch.arange(4).float() / 4",
    "torch.from_numpy(np.ones(4))",
    "torch.randn(4) * 0.1",
    "torch.stack([torch.ones(4), torch.zeros(4)])",
    "torch.cat([torch.ones(1, 4) for _ in range(n)])",
    "torch.tril(torch.ones(4, 4)).view(1, 4, 4)",
    "torch.linspace(\n            0, 1, 4  # four\n        )",
    "(torch.ones(4))",
]


PROGRAMS = [
    *(module("torch.ones(4)", use) for use in USES),
    *(module(value, "return x * self.mask") for value in VALUES),
]
"""For tests/rules/test_hazards.py."""


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, text) == ()


@pytest.mark.parametrize("use", USES)
def test_uses(use: str) -> None:
    before = module("torch.ones(4)", use)
    after = before.replace("self.mask = torch.ones(4)", 'self.register_buffer("mask", torch.ones(4), persistent=False)')
    check(CODE, before, after, "unsafe")


@pytest.mark.parametrize("value", VALUES)
def test_values(value: str) -> None:
    before = module(value, "return x * self.mask")
    after = before.replace(f"self.mask = {value}", f'self.register_buffer("mask", {value}, persistent=False)')
    check(CODE, before, after, "unsafe")


def test_a_local_name_in_init() -> None:
    text = module("torch.ones(4)", "return x * self.mask")
    before = text.replace("self.mask = torch.ones(4)", "mask = torch.ones(4)\n        self.mask = mask")
    after = before.replace("self.mask = mask", 'self.register_buffer("mask", mask, persistent=False)')
    check(CODE, before, after, "unsafe")


def test_nothing_can_be_registered_before_the_module_is_one() -> None:
    text = (
        "import torch\nclass Net(torch.nn.Module):\n    def __init__(self):\n        self.mask = torch.ones(4)\n"
        "        super().__init__()\n    def forward(self, x):\n        return x * self.mask\n"
    )
    assert places(CODE, text) == [(4, "none")]


def test_what_it_says() -> None:
    (finding,) = found(CODE, module("torch.ones(4)", "return x * self.mask"))
    said = "does not follow the module to another device, and meets a tensor on the device of `x` (`*` on line 13)"
    assert finding.message == f"`self.mask` {said}"


def test_a_function_of_the_file_that_is_given_it() -> None:
    text = module("torch.ones(4)", "return padded(x, self.mask)")
    text += "\ndef padded(x: torch.Tensor, mask: torch.Tensor):\n    return torch.cat([x, mask.view(1, 4)])\n"
    assert places(CODE, text) == [(10, "unsafe")]


def test_a_tensor_of_which_the_module_is_given_the_index() -> None:
    assert places(CODE, module("torch.ones(4)", "return self.mask[x]")) == [(10, "unsafe")]


def test_another_attribute_that_is_set_by_its_name() -> None:
    text = module("torch.ones(4)", "return x * self.mask", MOVED_BY_NAME.format(name="'other'"))
    assert places(CODE, text) == [(10, "unsafe")]


def test_modules_that_init_sets_by_their_names() -> None:
    more = "        for i in range(n):\n            setattr(self, f'layer{i}', nn.Linear(4, 4))"
    assert places(CODE, module("torch.ones(4)", "return x * self.mask", more)) == [(10, "unsafe")]


def test_one_of_two_tensors_is_reported_once() -> None:
    text = module("torch.ones(4)", "return x * self.mask", "        if n:\n            self.mask = torch.zeros(4)")
    assert places(CODE, text) == [(10, "unsafe")]


@pytest.mark.parametrize(
    ("value", "expected"), [("torch.nn.Parameter(self.mask)", []), ("torch.flip(self.mask, [0])", [(10, "unsafe")])]
)
def test_a_tensor_that_another_method_makes_a_parameter(value: str, expected: list[tuple[int, str]]) -> None:
    text = module("torch.ones(4)", "return x * self.mask") + f"    def begin(self):\n        self.mask = {value}\n"
    assert places(CODE, text) == expected


OWN = """import torch
from base import Module

class Scaled(Module):
    def __init__(self, n):
        self.mask = torch.ones(n)
    def forward(self, x):
        return x * self.mask
"""


@pytest.mark.parametrize(
    ("base", "is_found"),
    [
        ("class Module:\n    def forward(self, x):\n        return x\n", False),
        ("from abc import ABC\n\nclass Base(ABC):\n    pass\n\nclass Module(Base):\n    pass\n", False),
        ("from torch import nn\n\nclass Module(nn.Module):\n    pass\n", True),
        ("from torch.nn import Module\n", True),
        ("from layers import Base\n\nclass Module(Base):\n    pass\n", True),
    ],
)
def test_a_class_of_the_project_that_is_called_a_module(tmp_path: Path, base: str, is_found: bool) -> None:
    files = write_files(tmp_path / "p", {"setup.py": "", "base.py": base, "scaled.py": OWN})
    result = engine.lint(Source.from_text(str(files / "scaled.py"), OWN), [rule(CODE)], CUDA)
    assert bool(result.diagnostics) is is_found
