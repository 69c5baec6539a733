from __future__ import annotations

import pytest

from devlint.core.target import Target
from tests.support.rule_cases import check, fixed, found, places

CODE = "DEV706"
TEST = "torch.accelerator.is_available()"
ACC = "torch.accelerator.current_accelerator()"

SILENT = [
    'device = "cuda" if torch.cuda.is_available() else "cpu"',
    'device = "cuda"',
    f'device = "cpu" if {TEST} else "cuda"',
    f'device = {ACC} if {TEST} else "cpu"',
    f'if {TEST}:\n    mode = "cuda"',
    f'if {TEST}:\n    print("cuda")',
    f'if {TEST} and device == "cuda":\n    f()',
    f'if device == torch.device("cuda") and {TEST}:\n    f()',
    f'if {TEST} and torch.cuda.is_available():\n    device = "cuda"',
    f'if {TEST}:\n    if torch.version.cuda:\n        device = "cuda"',
    f'if {TEST}:\n    x = x.to("cuda")',
    f'if {TEST}:\n    x = x.to(torch.device("cuda"))',
    f'if {TEST}:\n    x = x.cuda()',
    f'if {TEST}:\n    pass\nelse:\n    device = "cuda"',
    f'kind = {{"cuda": 1}} if {TEST} else {{}}',
    'def f():\n    if self.accelerator.is_available():\n        device = "cuda"',
]  # fmt: skip


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, f"import torch\n{text}\n") == ()


FIXED = [
    (f'device = "cuda" if {TEST} else "cpu"', f'device = {ACC}.type if {TEST} else "cpu"'),
    (f"d = 'cpu' if not {TEST} else 'cuda'", f"d = 'cpu' if not {TEST} else {ACC}.type"),
    (f"d = torch.device('cuda' if {TEST} else 'cpu')", f"d = torch.device({ACC}.type if {TEST} else 'cpu')"),
    (f"x.to('cuda' if {TEST} else 'cpu')", f"x.to({ACC}.type if {TEST} else 'cpu')"),
    (f"print('cuda' if {TEST} else 'cpu')", f"print({ACC}.type if {TEST} else 'cpu')"),
    (f"d = 'cuda:0' if {TEST} else 'cpu'", f'd = f"{{{ACC}.type}}:0" if {TEST} else \'cpu\''),
    (f"if {TEST}:\n    device = f'cuda:{{rank}}'", f"if {TEST}:\n    device = f\"{{{ACC}.type}}:{{rank}}\""),
    (f"d = torch.device('cuda') if {TEST} else None", f"d = {ACC} if {TEST} else None"),
    (f"if {TEST}:\n    device = 'cuda'", f"if {TEST}:\n    device = {ACC}.type"),
    (f"if {TEST}:\n    self.device = torch.device('cuda')", f"if {TEST}:\n    self.device = {ACC}"),
    (f"if {TEST}:\n    f(torch.device('cuda', rank))", f"if {TEST}:\n    f(torch.device({ACC}.type, rank))"),
    (f"if {TEST}:\n    d = torch.device(f'cuda:{{rank}}')", f"if {TEST}:\n    d = torch.device({ACC}.type, rank)"),
    (f"use = args.use and {TEST}\nif use: device = 'cuda'", f"use = args.use and {TEST}\nif use: device = {ACC}.type"),
    (f"def get_device():\n    if {TEST}:\n        return 'cuda'\n    return 'cpu'", f"def get_device():\n    if {TEST}:\n        return {ACC}.type\n    return 'cpu'"),
    (f"def f():\n    if not {TEST}:\n        return\n    device = 'cuda'", f"def f():\n    if not {TEST}:\n        return\n    device = {ACC}.type"),
    (f"f(f\"{{'cuda' if {TEST} else 'cpu'}}\")", f"f(f\"{{{ACC}.type if {TEST} else 'cpu'}}\")"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), FIXED)
@pytest.mark.parametrize(
    "target", [Target(), Target("accelerator", torch_min_version=(2, 6)), Target("project", "get()")]
)
def test_fixed(before: str, after: str, target: Target) -> None:
    check(CODE, f"import torch\n{before}\n", f"import torch\n{after}\n", "safe", target=target)


def test_a_card_that_needs_quotes_has_no_fix() -> None:
    text = f"import torch\nif {TEST}:\n    device = f'cuda:{{cards[\"a\"]}}'\n"
    assert places(CODE, text) == [(3, "none")]


def test_other_names() -> None:
    before = "import torch as th\nfrom torch import accelerator as ta\nd = 'cuda' if ta.is_available() else 'cpu'\n"
    after = before.replace("'cuda'", "th.accelerator.current_accelerator().type")
    assert fixed(CODE, before) == after


def test_what_it_says() -> None:
    (finding,) = found(CODE, f"import torch\nd = 'cuda' if {TEST} else 'cpu'\n")
    assert finding.message == "`'cuda'` where there is an accelerator, which need not be CUDA"
