from __future__ import annotations

import pytest

from devlint.core.target import Target
from tests.support.rule_cases import fixed

TARGET = Target("project", "torch_device", "from t.u import torch_device")
USE = "x = torch.ones(2).cuda()\n"

JOINED = [
    ("from t.u import a, z\n", "from t.u import a, torch_device, z\n"),
    ("from t.u import z, a\n", "from t.u import z, a, torch_device\n"),
    ("from t.u import slow\n", "from t.u import slow, torch_device\n"),
    ("from t.u import a as b\n", "from t.u import a as b, torch_device\n"),
    ("from t.u import (\n    a,\n    z,\n)\n", "from t.u import (\n    a,\n    torch_device,\n    z,\n)\n"),
    ("from t.u import (\n    a,\n    b\n)\n", "from t.u import (\n    a,\n    b,\n    torch_device\n)\n"),
    ("from t.u import a, \\\n    b\n", "from t.u import a, \\\n    b, \\\n    torch_device\n"),
]
OWN_LINE = [
    "from t.u import *\n",
    "from t.u import a  # noqa\n",
    "from t.u import (\n    a,  # why\n    z,\n)\n",
    "from .u import a\n",
    "import t.u\n",
    "",
]
LATE = ["from t.u import a", "from t.u import torch_device", "from t.u import torch_device\ny = x.to(torch_device)"]
KNOWN = ["from t.u import torch_device\n", "from t.u import (a, torch_device)\n", "from x import torch_device\n"]


@pytest.mark.parametrize(("before", "after"), JOINED)
def test_a_name_goes_where_others_of_its_module_are(before: str, after: str) -> None:
    assert fixed("DEV101", f"import torch\n{before}{USE}", target=TARGET).startswith(f"import torch\n{after}x = ")


@pytest.mark.parametrize("line", OWN_LINE)
def test_a_line_of_its_own(line: str) -> None:
    text = fixed("DEV101", f"import torch\n{line}{USE}", target=TARGET)
    assert text.startswith(f"import torch\n{line}from t.u import torch_device\nx = ")


@pytest.mark.parametrize("line", LATE)
def test_an_import_below_what_needs_the_name_comes_too_late(line: str) -> None:
    text = fixed("DEV101", f"import torch\n{USE}{line}\n", target=TARGET)
    assert text == f"import torch\nfrom t.u import torch_device\nx = torch.ones(2).to(torch_device)\n{line}\n"


def test_an_import_below_what_tells_a_library_its_device_comes_too_late() -> None:
    head = "import torch\nfrom transformers import pipeline\n"
    text = fixed("DEV108", f"{head}p = pipeline('asr', device=0)\nimport os\n", target=TARGET)
    line = "from t.u import torch_device\n"
    assert text == f"{head}{line}p = pipeline('asr', device=torch_device)\nimport os\n"


def test_an_import_below_what_names_cuda_comes_too_late() -> None:
    text = fixed("DEV101", "import torch\nfrom nets import net\nnet.cuda()\nimport os\n", target=TARGET)
    line = "from t.u import torch_device\n"
    assert text == f"import torch\nfrom nets import net\n{line}net.to(torch_device)\nimport os\n"


@pytest.mark.parametrize("line", KNOWN)
def test_a_name_that_is_known(line: str) -> None:
    assert fixed("DEV101", f"import torch\n{line}{USE}", target=TARGET) == (
        f"import torch\n{line}x = torch.ones(2).to(torch_device)\n"
    )
