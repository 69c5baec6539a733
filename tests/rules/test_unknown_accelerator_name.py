from __future__ import annotations

import pytest

from devlint.core.target import Target
from tests.support.rule_cases import check, fixed, found, places

CODE = "DEV704"
NEW = Target("accelerator", torch_min_version=(2, 10))

SILENT = [
    "torch.accelerator.synchronize()",
    "torch.accelerator.memory.empty_cache()",
    "torch.accelerator.random.initial_seed()",
    "torch.accelerator.graphs",
    "torch.accelerator.is_avaliable()",
    "torch.accelerator._utils",
    "torch.accelerator.__name__",
    "torch.cuda.manual_seed(1)",
    "accelerator = Accelerator()\naccelerator.device",
    "self.accelerator.manual_seed(1)",
    "from accelerate.accelerator import manual_seed",
    "from .accelerator import manual_seed",
    "if hasattr(torch.accelerator, 'manual_seed'):\n    torch.accelerator.manual_seed(1)",
    "try:\n    torch.accelerator.manual_seed(1)\nexcept AttributeError:\n    pass",
    "torch.accelerator.manual_seed = torch.manual_seed\ntorch.accelerator.manual_seed(1)",
    "getattr(torch.accelerator, 'manual_seed')(1)",
]


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, f"import torch\n{text}\n") == ()


MESSAGES = [
    ("manual_seed_all", "; there is `torch.manual_seed`, which seeds every device"),
    ("Stream", "; there is `torch.Stream`"),
    ("get_device_name", "; there is `torch.get_device_module(device).get_device_name`"),
    ("mem_get_info", "; there is `torch.accelerator.get_memory_info`"),
    ("is_bf16_supported", ""),
]


@pytest.mark.parametrize(("name", "instead"), MESSAGES)
def test_what_there_is_instead(name: str, instead: str) -> None:
    for text in (
        f"torch.accelerator.{name}(1)",
        f"from torch.accelerator import {name}",
        f"f(torch.accelerator.{name})",
    ):
        (finding,) = found(CODE, f"import torch\n{text}\n")
        assert finding.message == f"`torch.accelerator.{name}` does not exist{instead}"


FIXED = [
    ("i = torch.accelerator.current_device()", "i = torch.accelerator.current_device_index()"),
    ("torch.accelerator.set_device(rank)", "torch.accelerator.set_device_index(rank)"),
    ("f = torch . accelerator  . set_device", "f = torch . accelerator  . set_device_index"),
    ("(torch.accelerator).current_device()", "(torch.accelerator).current_device_index()"),
]


@pytest.mark.parametrize(("before", "after"), FIXED)
@pytest.mark.parametrize("target", [Target(), NEW, Target("project", "get()")])
def test_one_to_one(before: str, after: str, target: Target) -> None:
    check(CODE, f"import torch\n{before}\n", f"import torch\n{after}\n", "safe", target=target)


@pytest.mark.parametrize(
    ("old", "new"), [("mem_get_info", "get_memory_info"), ("reset_max_memory_allocated", "reset_peak_memory_stats")]
)
def test_only_what_the_oldest_torch_has(old: str, new: str) -> None:
    text = f"from torch import accelerator as ta\nx = ta.{old}()\n"
    assert [kind for _, kind in places(CODE, text)] == ["none"]
    assert fixed(CODE, text, target=NEW) == text.replace(old, new)


def test_no_fix_for_an_import() -> None:
    text = "from torch.accelerator import current_device as index, synchronize\nindex()\n"
    assert places(CODE, text) == [(1, "none")]
