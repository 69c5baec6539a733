"""The import of torch that a fix adds stands above everything that reads it, and nothing is imported twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint import fix
from tests.support.projects import fix_files, write_files

CHOICE = '"cuda" if torch.cuda.is_available() else "cpu"'
DEVICE = f"device = torch.device({CHOICE})\n"
MAYBE = "if a:\n    import torch\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = y.cuda()\nimport os\n", f"import torch\n{DEVICE}x = y.to(device)\nimport os\n"),
        (
            '"""Doc."""\nx = y.cuda()\nimport os\n',
            f'"""Doc."""\nimport torch\n\n{DEVICE}\nx = y.to(device)\nimport os\n',
        ),
        (
            f'DEVICE = "cuda:0"\nfrom typing import b\n{MAYBE}x.cuda()\n',
            f"import torch\nDEVICE = {CHOICE.replace('cuda', 'cuda:0', 1)}\nfrom typing import b\n{MAYBE}x.to(DEVICE)\n",
        ),
        (
            f"b = 1\n{MAYBE}x = y.cuda()\n",
            f"import torch\nb = 1\n{MAYBE}\n{DEVICE}\nx = y.to(device)\n",
        ),
    ],
)
def test_an_import_above_what_reads_it(before: str, after: str) -> None:
    result = fix(before, unsafe=True, isolated=True, select=["DEV"])
    assert (result.text, result.failure) == (after, None)


def test_an_import_in_a_module_that_is_to_work_without_torch() -> None:
    part = "from torch.cuda import empty_cache as free"
    text = "if has_torch():\n    {}\nif TYPE_CHECKING:\n    from torch import Tensor\n\ndef f():\n    {}\n"
    result = fix(
        text.format(part, "free()"), unsafe=True, isolated=True, target="accelerator", torch_min_version="2.10"
    )
    after = "if torch.accelerator.is_available():\n        torch.accelerator.empty_cache()"
    assert result.text == text.format(f"import torch\n    {part}", after)


def test_no_import_where_there_is_no_place_for_it() -> None:
    for code in ('"""Doc."""; x = y.cuda()\n', f"y = torch.ones({CHOICE})\nfrom torch import *\nx = y.cuda()\n"):
        result = fix(code, unsafe=True, isolated=True, select=["DEV101"])
        assert (result.text, result.failure) == (code, None)


def test_an_import_in_a_try_is_relied_on() -> None:
    attempt = "try:\n    import torch\nexcept ImportError:\n    raise SystemExit(1)\n"
    result = fix(f"{attempt}x = y.cuda()\n", unsafe=True, isolated=True, select=["DEV"])
    assert result.text == f"{attempt}\n{DEVICE}\nx = y.to(device)\n"


STAR = "try:\n    from .utils import *\nexcept ImportError:\n    {}\n\n\n"
USED = "def f(y):\n    torch.manual_seed(0)\n    {}return y.{}\n"


def test_a_star_import_of_a_try_brings_torch_where_its_handler_has_one_too() -> None:
    head = STAR.format("from utils import *")
    result = fix(head + USED.format("", "cuda()"), isolated=True, select=["DEV101"])
    assert result.text == head + USED.format(f"{DEVICE}    ", "to(device)")
    unsure = STAR.format("pass") + USED.format("", "cuda()")
    assert fix(unsure, isolated=True, select=["DEV101"]).text == unsure


@pytest.mark.parametrize("late", ["finally", "except ValueError"])
def test_an_import_in_a_try_may_not_have_run_in_its_handlers(late: str) -> None:
    attempt = "def main():\n    try:\n        a()\n        import torch\n        x = y.cuda()\n    {}:\n        x = z.cuda()\n"
    attempt = attempt.format(late)
    result = fix(attempt, unsafe=True, isolated=True, select=["DEV101"])
    assert (result.text, result.failure) == (attempt.replace("y.cuda()", f"y.to({CHOICE})"), None)


def test_no_device_above_the_import_in_a_function() -> None:
    attempt = "    try:\n        import torch\n    finally:\n        x = y.cuda()\n        {}\n"
    code = "import torch\n\ndef f(y):\n" + attempt.format("return torch.ones(2).cuda()")
    result = fix(code, unsafe=True, isolated=True, select=["DEV"])
    assert result.failure is None
    assert result.text.index("import torch\n    finally") < result.text.index("is_available")


def test_an_import_above_the_call_of_a_function_that_chooses_the_cards() -> None:
    code = 'def main():\n    os.environ["CUDA_VISIBLE_DEVICES"] = "1"\n    y = torch.ones(1).cuda()\n\n\nmain()\n'
    result = fix(code, unsafe=True, isolated=True, select=["DEV101"])
    assert result.failure is None and result.text.startswith("import torch\n")


MAIN = (
    '{}\n\nseed = 3\n\n\ndef main(net):\n    return net.cuda()\n\n\nif __name__ == "__main__":\n    main(train.Net())\n'
)
SETTING = 'os.environ["CUDA_VISIBLE_DEVICES"] = "0"'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"import os\nimport train\n\n{SETTING}", f"import os\nimport train\nimport torch\n\n{SETTING}"),
        (f"import os\n{SETTING}\nimport train", f"import os\n{SETTING}\nimport train\nimport torch"),
        (
            f"import train\nimport os\n{SETTING}\nimport tools",
            f"import train\nimport os\n{SETTING}\nimport tools\nimport torch",
        ),
        (
            f"import os\nimport numpy\nimport pytorch_lightning as pl\nimport train\n\n{SETTING}",
            f"import os\nimport numpy\nimport pytorch_lightning as pl\nimport torch\nimport train\n\n{SETTING}",
        ),
        (
            "import sys\nfrom timm.models import create_model\nsys.path.append('.')\nimport train",
            "import sys\nfrom timm.models import create_model\nimport torch\nsys.path.append('.')\nimport train",
        ),
        ("from . import tools\nimport train", "from . import tools\nimport train\nimport torch"),
    ],
)
def test_an_import_where_another_has_torch_loaded(tmp_path: Path, before: str, after: str) -> None:
    files = {"main.py": MAIN.format(before), "train.py": "import torch\n\nNet = torch.nn.ReLU\n", "tools.py": "N = 3\n"}
    fixed = fix_files(write_files(tmp_path / "p", files))["main.py"]
    assert fixed.startswith(f"{after}\n")
    assert fixed.count("import torch\n") == 1


@pytest.mark.parametrize(
    ("head", "is_fixed"),
    [
        ("from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    import torch", False),
        ("import typing as t\n\nif t.TYPE_CHECKING:\n    import torch", False),
        ("from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    import torch\nelse:\n    import torch", True),
        ("import torch", True),
    ],
)
def test_an_import_that_only_type_checkers_see(head: str, is_fixed: bool) -> None:
    code = f"{head}\n\n\ndef move(x):\n    return x.cuda()\n"
    assert (".cuda()" not in fix(code, isolated=True, select=["DEV101"]).text) is is_fixed
