"""A device that another file of the project gives by `import *`."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint import fix

CHOICE = "torch.device('cuda' if torch.cuda.is_available() else 'cpu')"
COMMON = f"import torch\n\ndevice = {CHOICE}\n"
USE = "\n\ndef f(n):\n    return torch.zeros(n).cuda()\n"


@pytest.mark.parametrize(
    ("common", "imports", "device"),
    [
        (COMMON, "from common import *", "device"),
        (COMMON, "from common import *\nfrom plain import *", "device"),
        (COMMON, "from plain import *", "torch.device("),
        (COMMON, "from common import *\nfrom elsewhere import *", "torch.device("),
        (COMMON, "from common import *\nfrom torch import *", "torch.device("),
        (COMMON, "from common import *\nfrom other import *", "torch.device("),
        (COMMON, "from common import *\n\ndevice = 3", "torch.device("),
        (COMMON + "__all__ = ['SIZE']\nSIZE = 3\n", "from common import *", "torch.device("),
        (COMMON + "device = torch.device('cpu')\n", "from common import *", "torch.device("),
        (COMMON + "from main import f\n", "from common import *", "torch.device("),
        ("import torch\n\ndevice = torch.device('cpu')\n", "from common import *", "torch.device("),
    ],
)
def test_a_device_of_a_star_import(tmp_path: Path, common: str, imports: str, device: str) -> None:
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "common.py").write_text(common)
    (tmp_path / "plain.py").write_text("def g():\n    return 1\n")
    (tmp_path / "other.py").write_text("device = 'auto'\n")
    program = tmp_path / "main.py"
    program.write_text(f"import torch\n{imports}\n{USE}")
    text = fix(program, isolated=True).text
    assert (".to(device)" in text and "torch.device(" not in text) is (device == "device")
    assert ".cuda()" not in text
