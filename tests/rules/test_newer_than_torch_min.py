from __future__ import annotations

import pytest

from devlint.core.target import Target
from tests.support.rule_cases import found

CODE = "DEV705"
OLD = Target(torch_min_version=(2, 6))

SILENT = [
    "torch.accelerator.synchronize()",
    "torch.accelerator.current_accelerator()",
    "torch.accelerator.mem_get_info()",
    "torch.cuda.empty_cache()",
    "accelerator.empty_cache()",
    "from torch import accelerator",
    "if hasattr(torch.accelerator, 'empty_cache'):\n    torch.accelerator.empty_cache()",
    "f = getattr(torch.accelerator, 'empty_cache', None)\nif f: torch.accelerator.empty_cache()",
    "if version.parse(torch.__version__) >= version.parse('2.9'):\n    torch.accelerator.empty_cache()",
    "if is_torch_version('>=', '2.9'):\n    torch.accelerator.empty_cache()",
    "NEW = torch.__version__ >= '2.9'\nif NEW:\n    torch.accelerator.empty_cache()",
    "if TORCH_2_9:\n    torch.accelerator.empty_cache()\nelse:\n    torch.accelerator.memory_stats()",
    "def f():\n    if not TORCH_2_9:\n        return\n    torch.accelerator.empty_cache()",
    "try:\n    torch.accelerator.empty_cache()\nexcept AttributeError:\n    pass",
    "try:\n    from torch.accelerator import empty_cache\nexcept ImportError:\n    empty_cache = None",
    "@require_torch_version('2.9')\ndef test():\n    torch.accelerator.empty_cache()",
    "x = torch.accelerator.memory_allocated() if TORCH_2_9 else 0",
]


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, f"import torch\n{text}\n", OLD) == ()


FOUND = [
    ("torch.accelerator.empty_cache()", "`torch.accelerator.empty_cache` is new in torch 2.9"),
    ("x = torch.accelerator.memory.memory_stats", "`torch.accelerator.memory_stats` is new in torch 2.9"),
    ("f(torch.accelerator.memory)", "`torch.accelerator.memory` is new in torch 2.9"),
    ("with torch.accelerator.device_index(1): pass", "`torch.accelerator.device_index` is new in torch 2.8"),
    ("torch.accelerator.random.initial_seed()", "`torch.accelerator.random.initial_seed` is new in torch 2.14"),
    ("from torch.accelerator import empty_cache as clean", "`torch.accelerator.empty_cache` is new in torch 2.9"),
    ("torch.accelerator.current_accelerator(check_available=True)", "`check_available=` is new in torch 2.7"),
    ("torch.accelerator.current_accelerator(True)", "`check_available=` is new in torch 2.7"),
    ("if torch.accelerator.is_available(): torch.accelerator.get_memory_info()", "`torch.accelerator.get_memory_info` is new in torch 2.10"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), FOUND)
def test_found(text: str, message: str) -> None:
    (finding,) = found(CODE, f"import torch\n{text}\n", OLD)
    assert finding.message == f"{message}, but the project supports torch 2.6"
    assert finding.fix is None


def test_the_oldest_torch_decides() -> None:
    text = "import torch\nif torch.accelerator.is_available():\n    torch.accelerator.empty_cache()\n"
    by_version = {
        version: len(found(CODE, text, Target(torch_min_version=version))) for version in ((2, 5), (2, 6), (2, 9))
    }
    assert by_version == {(2, 5): 2, (2, 6): 1, (2, 9): 0}


def test_a_guess_is_no_promise() -> None:
    text = "import torch\ntorch.accelerator.empty_cache()\n"
    assert found(CODE, text, Target(torch_min_is_guess=True)) == ()


def test_a_file_that_asks_for_torch_accelerator_knows() -> None:
    text = "import torch\nif hasattr(torch, 'accelerator'): f()\ndef f(): torch.accelerator.synchronize()\n"
    assert found(CODE, text) == ()
