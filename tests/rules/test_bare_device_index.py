from __future__ import annotations

import pytest

from devlint.core.target import Target
from tests.support.rule_cases import check, fixed, found, places

CODE = "DEV701"

SILENT = [
    "with torch.accelerator.device_index(1):\n    pass",
    "context = torch.accelerator.device_index(1)",
    "stack.enter_context(torch.accelerator.device_index(1))",
    "def f():\n    return torch.accelerator.device_index(1)",
    "torch.accelerator.set_device_index(1)",
    "torch.accelerator.current_device_index()",
    "accelerator.device_index(1)",
    "torch.accelerator.device_index",
]


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, f"import torch\n{text}\n") == ()


@pytest.mark.parametrize(
    "text",
    [
        "torch.accelerator.device_index(None)",
        "torch.accelerator.device_index()",
        "if x: \\\n  torch.accelerator.device_index(1)",
    ],
)
def test_no_fix(text: str) -> None:
    assert [kind for _, kind in places(CODE, f"import torch\n{text}\n")] == ["none"]


IF = "if torch.accelerator.is_available():"
FIXED = [
    (f"{IF}\n    torch.accelerator.device_index(rank)", f"{IF}\n    torch.accelerator.set_device_index(rank)"),
    ("torch.accelerator.device_index(rank)  # mine", f"{IF}\n    torch.accelerator.set_device_index(rank)  # mine"),
    ("torch.accelerator.device_index(\n  int(x),\n)", f"{IF}\n    torch.accelerator.set_device_index(\n      int(x),\n    )"),
    ("if x: torch.accelerator.device_index(1)", f"if x:\n    {IF}\n        torch.accelerator.set_device_index(1)"),
    ("x; (torch.accelerator).device_index(*r); y", f"x\n{IF}\n    (torch.accelerator).set_device_index(*r)\ny"),
    ("if torch.cuda.is_available(): torch.accelerator.device_index(1)", "if torch.cuda.is_available(): torch.accelerator.set_device_index(1)"),
    ("try:\n    torch.accelerator.device_index(1)\nexcept Exception:\n    pass", "try:\n    torch.accelerator.set_device_index(1)\nexcept Exception:\n    pass"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), FIXED)
@pytest.mark.parametrize(
    "target", [Target(), Target("accelerator", torch_min_version=(2, 8)), Target("project", "get()")]
)
def test_fixed(before: str, after: str, target: Target) -> None:
    check(CODE, f"import torch\n{before}\n", f"import torch\n{after}\n", "unsafe", target=target)


def test_other_names() -> None:
    head = "from torch import accelerator as ta\n"
    assert fixed(CODE, f"{head}ta.device_index(1)\n") == f"{head}if ta.is_available():\n    ta.set_device_index(1)\n"
    head = "import torch as th\nfrom torch.accelerator import device_index\n"
    after = f"{head}if th.accelerator.is_available():\n    th.accelerator.set_device_index(1)\n"
    assert fixed(CODE, f"{head}device_index(1)\n") == after
