from __future__ import annotations

import pytest

from devlint.core.target import Target
from tests.support.rule_cases import check, found, places

CODE = "DEV605"

SILENT = [
    "import torch\ntorch.cuda.is_available()",
    "import torch\ntorch.cuda.memory_cached()",
    "import torch\ntorch.npu.is_avaliable()",
    "import torch\ntorch.cuda.is_usable()",
    "import torch\nx.cuda.is_avaliable()",
    "import cuda\ncuda.is_avaliable()",
    "from other import cuda\ncuda.is_avaliable()",
    "import torch\ntorch.cuda.is_avaliable = f\ntorch.cuda.is_avaliable()",
    "import torch\ndel torch.cuda.is_avaliable",
    "import torch\nif hasattr(torch.cuda, 'is_avaliable'):\n    torch.cuda.is_avaliable()",
    "import torch\nwith mock.patch('torch.cuda.is_avaliable'):\n    torch.cuda.is_avaliable()",
    "import torch\ntry:\n    torch.cuda.is_avaliable()\nexcept AttributeError:\n    pass",
    "import torch\ntry:\n    torch.cuda.is_avaliable()\nexcept (KeyError, AttributeError):\n    pass",
    "import torch\ntry:\n    torch.cuda.is_avaliable()\nexcept:\n    pass",
    "try:\n    from torch.nn import Dataparallel\nexcept ImportError:\n    pass",
    "import torch\nwith suppress(AttributeError):\n    torch.cuda.is_avaliable()",
    "import torch\nwith pytest.raises(AttributeError):\n    torch.cuda.is_avaliable()",
    "from .torch.nn import Dataparallel",
    "from torch.nn import *",
    "import torch\ndef f(torch):\n    torch.cuda.is_avaliable()",
]
FIXED = [
    ("import torch\ntorch.cuda.is_avaliable()", "import torch\ntorch.cuda.is_available()"),
    ("import torch\nx = torch.cuda.is_avaliable", "import torch\nx = torch.cuda.is_available"),
    ("import torch as th\n(th.cuda\n  .empty_cahce())", "import torch as th\n(th.cuda\n  .empty_cache())"),
    ("from torch import cuda\ncuda.synchronise()", "from torch import cuda\ncuda.synchronize()"),
    ("import torch.cuda as tc\ntc.is_availble()", "import torch.cuda as tc\ntc.is_available()"),
    ("import torch.nn as nn\nx = nn.Dataparallel(x)", "import torch.nn as nn\nx = nn.DataParallel(x)"),
    ("import torch\nd = torch.Device('cuda')", "import torch\nd = torch.device('cuda')"),
    ("import torch\nd = torch.Cuda.is_available()", "import torch\nd = torch.cuda.is_available()"),
    ("import torch\nx = torch.cuda.floatTensor(3)", "import torch\nx = torch.cuda.FloatTensor(3)"),
    ("def f():\n    import torch\n    return torch.cuda.is_avaliable()", "def f():\n    import torch\n    return torch.cuda.is_available()"),
    ("import torch\nx = f'{torch.cuda.is_avaliable()}'", "import torch\nx = f'{torch.cuda.is_available()}'"),
    ("import torch\ntry:\n    torch.cuda.is_avaliable()\nexcept KeyError:\n    pass", "import torch\ntry:\n    torch.cuda.is_available()\nexcept KeyError:\n    pass"),
    ("from torch.nn import Dataparallel\nx = Dataparallel(x)", "from torch.nn import DataParallel\nx = DataParallel(x)"),
    ("from torch.nn import (Linear,\n  Dataparallel as DP)\nx = DP(x)", "from torch.nn import (Linear,\n  DataParallel as DP)\nx = DP(x)"),
    ("from torch.cuda import is_avaliable\ndef f():\n    return is_avaliable()", "from torch.cuda import is_available\ndef f():\n    return is_available()"),
    ("import torch\nfrom torch.cuda.amp import Autocast\nwith Autocast(): pass", "import torch\nfrom torch.cuda.amp import autocast\nwith autocast(): pass"),
    ("import torch\nimport torch.nn.paralel as p", "import torch\nimport torch.nn.parallel as p"),
]  # fmt: skip
NO_FIX = [
    "from torch.nn import Dataparallel\nDataParallel = 1",
    "from torch.nn import Dataparallel\nDataparallel = Dataparallel(x)",
    "from torch.nn import Dataparallel\n__all__ = [f'\"Dataparallel\"']",
    "from torch.nn import Dataparallel\ndef f(Dataparallel):\n    Dataparallel(x)",
]


@pytest.mark.parametrize("text", SILENT)
def test_nothing_found(text: str) -> None:
    assert not found(CODE, f"{text}\n")


@pytest.mark.parametrize(("before", "after"), FIXED)
def test_fixed(before: str, after: str) -> None:
    check(CODE, f"{before}\n", f"{after}\n", "safe")


@pytest.mark.parametrize("text", NO_FIX)
def test_no_fix(text: str) -> None:
    assert [kind for _, kind in places(CODE, f"{text}\n")] == ["none"]


def test_a_flag_that_is_assigned_to() -> None:
    before = "import torch\n\ntorch.backends.cudnn.benchmak = True\n"
    check(CODE, before, before.replace("benchmak", "benchmark"), "unsafe")


@pytest.mark.parametrize(
    ("text", "since"),
    [
        ("torch.accelerator.empty_cahce()", (2, 9)),
        ("torch.acelerator", (2, 6)),
    ],
)
def test_no_name_newer_than_the_oldest_torch(text: str, since: tuple[int, int]) -> None:
    before = f"import torch\n\n{text}\n"
    assert [kind for _, kind in places(CODE, before, Target(torch_min_version=(since[0], since[1] - 1)))] == ["none"]
    assert [kind for _, kind in places(CODE, before, Target(torch_min_version=since))] == ["safe"]


def test_the_message() -> None:
    (one,) = found(CODE, "import torch as th\nth.cuda.is_avaliable()\n")
    assert one.message == "torch has no `torch.cuda.is_avaliable`; `is_available` is meant"
