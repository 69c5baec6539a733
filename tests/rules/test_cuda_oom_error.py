from __future__ import annotations

import pytest

from devlint.core.target import Target
from tests.support.rule_cases import check, found

CODE = "DEV506"
NEW = Target(torch_min_version=(2, 5))
TRY = "try:\n    f()\n"

SILENT = [
    TRY + "except torch.OutOfMemoryError:\n    pass",
    TRY + "except cupy.cuda.OutOfMemoryError:\n    pass",
    "oom = torch.cuda.OutOfMemoryError if hasattr(torch.cuda, 'OutOfMemoryError') else RuntimeError",
    "oom = torch.OutOfMemoryError if NEW else torch.cuda.OutOfMemoryError",
    "if NEW:\n    oom = torch.OutOfMemoryError\nelse:\n    oom = torch.cuda.OutOfMemoryError",
    "try:\n    from torch import OutOfMemoryError\nexcept ImportError:\n    from torch.cuda import OutOfMemoryError\n"
    "try:\n    f()\nexcept OutOfMemoryError:\n    pass",
    "from torch.cuda import *",
    "from .cuda import OutOfMemoryError",
]


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, f"import torch\n{text}\n", NEW) == ()


FIXED = [
    (TRY + "except torch.cuda.OutOfMemoryError:\n    pass", TRY + "except torch.OutOfMemoryError:\n    pass"),
    (TRY + "except torch.cuda.OutOfMemoryError as e:\n    pass", TRY + "except torch.OutOfMemoryError as e:\n    pass"),
    (
        TRY + "except (RuntimeError, torch.cuda.OutOfMemoryError):\n    pass",
        TRY + "except (RuntimeError, torch.OutOfMemoryError):\n    pass",
    ),
    (
        TRY + "except (torch.OutOfMemoryError, torch.cuda.OutOfMemoryError):\n    pass",
        TRY + "except (torch.OutOfMemoryError):\n    pass",
    ),
    (
        TRY + "except (torch.cuda.OutOfMemoryError, torch.OutOfMemoryError, ValueError):\n    pass",
        TRY + "except (torch.OutOfMemoryError, ValueError):\n    pass",
    ),
    ("raise torch.cuda.OutOfMemoryError('no')", "raise torch.OutOfMemoryError('no')"),
    ("ok = isinstance(e, torch.cuda.OutOfMemoryError)", "ok = isinstance(e, torch.OutOfMemoryError)"),
    ("class A(torch.cuda.OutOfMemoryError): pass", "class A(torch.OutOfMemoryError): pass"),
    ("from torch.cuda import OutOfMemoryError", "from torch import OutOfMemoryError"),
    ("from torch.cuda import OutOfMemoryError as OOM", "from torch import OutOfMemoryError as OOM"),
    (
        "from torch.cuda import OutOfMemoryError, amp",
        "from torch import OutOfMemoryError\nfrom torch.cuda import amp",
    ),
    (
        "from torch.cuda import (\n    amp,\n    OutOfMemoryError as OOM,\n)",
        "from torch import OutOfMemoryError as OOM\nfrom torch.cuda import (\n    amp,\n)",
    ),
    (
        "def f():\n    from torch.cuda import OutOfMemoryError, amp\n    return amp",
        "def f():\n    from torch import OutOfMemoryError\n    from torch.cuda import amp\n    return amp",
    ),
]


@pytest.mark.parametrize(("before", "after"), FIXED)
def test_fixed(before: str, after: str) -> None:
    check(CODE, f"import torch\n{before}\n", f"import torch\n{after}\n", "safe", target=NEW)


@pytest.mark.parametrize("kind", ["accelerator", "project"])
def test_targets(kind: str) -> None:
    target = Target(kind, "get_device()", "from lib import get_device", torch_min_version=(2, 6))
    before, after = FIXED[0]
    check(CODE, f"import torch\n{before}\n", f"import torch\n{after}\n", "safe", target=target)


@pytest.mark.parametrize("version", [(2, 0), (2, 4)])
def test_an_older_torch_has_only_the_one_name(version: tuple[int, int]) -> None:
    for before, _ in FIXED:
        assert found(CODE, f"import torch\n{before}\n", Target(torch_min_version=version)) == ()


def test_other_names_of_torch() -> None:
    check(
        CODE,
        "import torch as th\ne = th.cuda.OutOfMemoryError\n",
        "import torch as th\ne = th.OutOfMemoryError\n",
        target=NEW,
    )
    check(
        CODE,
        "from torch import cuda\ne = cuda.OutOfMemoryError\n",
        "import torch\nfrom torch import cuda\ne = torch.OutOfMemoryError\n",
        target=NEW,
    )


def test_the_use_of_an_imported_name_stays() -> None:
    before = "from torch.cuda import OutOfMemoryError\ntry:\n    f()\nexcept OutOfMemoryError:\n    pass\n"
    check(CODE, before, before.replace("torch.cuda", "torch"), "safe", target=NEW)
