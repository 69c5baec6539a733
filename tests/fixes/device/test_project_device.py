"""A device that another file of the project gives, by `import *` or as that of a module."""

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


@pytest.mark.parametrize(
    ("imports", "is_taken"),
    [("from common import *", True), ("from plain import *", False), ("from plain import *\nfrom away import *", True)],
)
def test_a_device_that_a_file_only_reads(tmp_path: Path, imports: str, is_taken: bool) -> None:
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "common.py").write_text("from choice import choose\n\ndevice = choose()\n")
    (tmp_path / "plain.py").write_text("def g():\n    return 1\n")
    program = tmp_path / "main.py"
    program.write_text(f"import torch\n{imports}\n{USE}\n\ndef show(x):\n    print(x.to(device))\n")
    text = fix(program, isolated=True).text
    assert ("return torch.zeros(n).to(device)" in text and "    device =" not in text) is is_taken


OPTION = "'cuda' if torch.cuda.is_available() and sys.argv[1:] else 'cpu'"


@pytest.mark.parametrize(
    "imports", ["from common import *", "from common import device", "from common import device as device"]
)
@pytest.mark.parametrize(
    ("value", "beside", "written"),
    [
        ("torch.device('cpu')", "", "device = torch.device("),
        ("torch.device('cuda:1')", "", ".cuda()"),
        ("f'cuda:{len(sys.argv)}'", "", ".cuda()"),
        (OPTION, "", "device = torch.device("),
        (OPTION, " + f(3)", ".to(device)"),
        ("torch.device(sys.argv[1])", "", "device = torch.device("),
        ("torch.device(sys.argv[1])", " + f(3)", ".to(device)"),
        (CHOICE, "", ".to(device)"),
    ],
)
def test_a_device_that_is_another_than_that_of_what_asks_nothing(
    tmp_path: Path, imports: str, value: str, beside: str, written: str
) -> None:
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "common.py").write_text(f"import sys\nimport torch\n\ndevice = {value}\n")
    program = tmp_path / "main.py"
    program.write_text(f"import torch\n{imports}\n{USE}\n\ndef show(x):\n    return x.to(device){beside}\n")
    text = fix(program, isolated=True).text
    assert written in text
    assert ("device = torch.device(" in text) is (written != ".to(device)" and ".cuda()" not in text)


@pytest.mark.parametrize(
    ("package", "config", "imports", "is_taken"),
    [
        ("", COMMON, "from settings import config", True),
        ("", COMMON, "from settings import config as cfg", True),
        ("class config:\n    SIZE = 3\n    device = None\n", COMMON, "from settings import config", False),
        (
            "",
            COMMON + "SIZE = 4\n\ndef f():\n    global device\n    device = 3\n",
            "from settings import config",
            False,
        ),
        ("", "import torch\n\ndevice = torch.device('cpu')\nSIZE = 3\n", "from settings import config", False),
    ],
)
def test_a_device_of_a_module_of_a_package(
    tmp_path: Path, package: str, config: str, imports: str, is_taken: bool
) -> None:
    owner = imports.rpartition(" ")[2]
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "settings").mkdir()
    (tmp_path / "settings" / "__init__.py").write_text(package)
    (tmp_path / "settings" / "config.py").write_text(f"{config}SIZE = 3\n")
    program = tmp_path / "main.py"
    program.write_text(f"import torch\n{imports}\n\n\ndef f():\n    return torch.zeros({owner}.SIZE).cuda()\n")
    text = fix(program, isolated=True).text
    assert (f".to({owner}.device)" in text) is is_taken
    assert ".cuda()" not in text
