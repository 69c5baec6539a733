"""A function that gives the device is imported from a module that the file imports anyway, and not written again."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint import fix

CHOICE = 'torch.device("cuda" if torch.cuda.is_available() else "cpu")'
GIVER = f"import torch\n\n\ndef get_device():\n    return {CHOICE}\n\n\ndef count(x):\n    return len(x)\n"
USES = """

def one(y):
    return torch.zeros(3).cuda() + COUNT(y)


def two(y):
    a = torch.zeros(3).cuda()
    b = torch.ones(3).cuda()
    return a + b
"""


def _fixed(folder: Path, program: str, **others: str) -> str:
    (folder / "setup.py").write_text("")
    for name, text in others.items():
        (folder / f"{name}.py").write_text(text)
    (folder / "losses.py").write_text(program)
    return fix(folder / "losses.py", isolated=True).text


@pytest.mark.parametrize(
    ("imports", "now", "call"),
    [
        ("from helpers import count", "from helpers import count, get_device", "get_device()"),
        ("import helpers", "import helpers", "helpers.get_device()"),
        ("import helpers as h", "import helpers as h", "h.get_device()"),
        ("from helpers import *", "from helpers import *", "get_device()"),
        ("from again import count", "from again import count, get_device", "get_device()"),
    ],
)
@pytest.mark.parametrize("quote", ['"', "'"])
def test_the_function_of_another_file(tmp_path: Path, imports: str, now: str, call: str, quote: str) -> None:
    count = {"import helpers": "helpers.count", "import helpers as h": "h.count"}.get(imports, "count")
    again = "from helpers import count, get_device\n"
    program = f"import torch\n{imports}\n{USES.replace('COUNT', count)}"
    text = _fixed(tmp_path, program, helpers=GIVER.replace('"', quote), again=again)
    assert f"import torch\n{now}\n\n\ndef one(y):\n    return torch.zeros(3).to({call}) + {count}(y)\n" in text
    assert f"    device = {call}\n    a = torch.zeros(3).to(device)\n" in text


@pytest.mark.parametrize(
    "giver",
    [
        GIVER.replace("import torch\n", "import torch\nimport losses\n"),
        GIVER.replace("import torch\n", "import mine as torch\n"),
        GIVER.replace("get_device():", "get_device(x=1):"),
        GIVER.replace("def get_device", "@once\ndef get_device"),
        GIVER.replace("    return torch.device", "    print()\n    return torch.device"),
        GIVER.replace("torch.cuda.is_available()", "torch.cuda.device_count()"),
        GIVER + "\n\nget_device = None\n",
        GIVER.replace("get_device", "_get_device"),
    ],
)
def test_what_is_not_the_same_function(tmp_path: Path, giver: str) -> None:
    program = f"import torch\nfrom helpers import count\n{USES.replace('COUNT', 'count')}"
    assert f"def get_device():\n    return {CHOICE}\n" in _fixed(tmp_path, program, helpers=giver)


def test_a_function_without_need(tmp_path: Path) -> None:
    """One function alone defines its device itself."""
    program = (
        "import torch\nfrom helpers import count\n\n\ndef one(y):\n    z = torch.zeros(3).cuda()\n    return z.cuda()\n"
    )
    assert f"    device = {CHOICE}\n" in _fixed(tmp_path, program, helpers=GIVER)


@pytest.mark.parametrize(
    ("flag", "is_taken"),
    [
        ("import torch\n\nCUDA = torch.cuda.is_available()\n", True),
        ("import sys\nimport torch\n\nCUDA = torch.cuda.is_available()\nif sys.argv[1:]:\n    CUDA = False\n", False),
        (
            "import torch\n\nCUDA = torch.cuda.is_available()\n\n\ndef off():\n    global CUDA\n    CUDA = False\n",
            False,
        ),
    ],
)
def test_the_flag_of_a_third_file(tmp_path: Path, flag: str, is_taken: bool) -> None:
    move = "    if CUDA:\n        x = x.cuda()\n    return x\n"
    program = f"import torch\nimport data\nfrom flags import CUDA\n\n\ndef one(x):\n{move}\n\ndef two(x):\n{move}"
    giver = 'import torch\nfrom flags import CUDA\n\n\ndef get_device():\n    return torch.device("cuda" if CUDA else "cpu")\n'
    text = _fixed(tmp_path, program + "\n\nprint(data.get_device)\n", data=giver, flags=flag)
    assert ("x.to(data.get_device())" in text) is is_taken
    assert ("def get_device" in text or "if CUDA:" in text) is not is_taken


def test_functions_inside_of_one_that_makes_them(tmp_path: Path) -> None:
    move = "if use_cuda:\n                    one = one.cuda()\n                print(one)\n"
    inner = f"        def func(data, use_cuda):\n            for one in data:\n                {move}"
    program = f"import torch\n\n\ndef make(kind):\n    if kind:\n\n{inner}\n    else:\n\n{inner}\n    return func\n"
    text = _fixed(tmp_path, program)
    assert text.count("            device = choose_device(use_cuda)\n") == 2 and ".cuda()" not in text


def test_the_main_part_beside_the_function(tmp_path: Path) -> None:
    functions = "def {0}(x):\n    x = x.cuda()\n    y = x.cuda()\n    return x + y\n\n\n"
    main = 'if __name__ == "__main__":\n    a = torch.zeros(3).cuda()\n    b = torch.zeros(3).cuda()\n    print(a, b)\n'
    program = "import torch\n\nSIZE = 3\n\n\n" + functions.format("one") + functions.format("two")
    text = _fixed(tmp_path, program + main)
    assert "torch.device(" in text and text.count("torch.device(") == 1


LISTED = "print([getattr(losses, name) for name in dir(losses)])\n"
BY_TEXT = "import importlib\nimport inspect\n\nlosses = importlib.import_module('losses')\n"


@pytest.mark.parametrize(
    ("imports", "more", "others"),
    [
        ("import helpers", "\nhelpers = helpers.count\n", {}),
        ("import helpers", "\n\ndef swap(other):\n    global helpers\n    helpers = other\n", {}),
        ("import helpers\nif SIZE:\n    import faster as helpers", "", {}),
        ("import helpers\nfrom more import *", "", {}),
        ("from helpers import count\nfrom torch import *", "", {}),
        ("from helpers import count, get_device\nfrom torch import *", "", {}),
        ("from helpers import count", "\nNAMES = {name: one for name, one in globals().items()}\n", {}),
        ("from helpers import count\nimport sys", "\nNAMES = dir(sys.modules[__name__])\n", {}),
        ("from helpers import count", "", {"main": f"import losses\n\n{LISTED}"}),
        ("from helpers import count", "", {"main": f"import losses as l\n\n{LISTED.replace('(losses', '(l')}"}),
        (
            "from helpers import count",
            "",
            {"main": f"{BY_TEXT}print(inspect.getmembers(losses, inspect.isfunction))\n"},
        ),
        ("from helpers import count", "", {"main": "from mine import get_device\nfrom losses import *\n"}),
        ("from helpers import count", "", {"main": "import losses\n\nlosses.get_device = None\n"}),
        ("import helpers", "", {"main": "import helpers\n\nhelpers.get_device = None\n"}),
        ("import helpers", "\nhelpers.get_device = None\n", {}),
        ("from helpers import count", "", {"main": 'import helpers\n\nsetattr(helpers, "get_device", None)\n'}),
        ("from helpers import count", "", {"test_it": 'import mock\n\nmock.patch("helpers.get_device", None)\n'}),
        ("from helpers import count", "", {"helpers": f"{GIVER}\n\ndel get_device\n"}),
        (
            "from helpers import count",
            "",
            {"helpers": f'import importlib\n\nimportlib.import_module("losses")\n{GIVER}'},
        ),
    ],
)
def test_what_may_not_be_that_function_or_is_seen(
    tmp_path: Path, imports: str, more: str, others: dict[str, str]
) -> None:
    count = "helpers.count" if "import helpers" in imports else "count"
    program = f"import torch\n{imports}\n{USES.replace('COUNT', count)}{more}"
    text = _fixed(tmp_path, program, **{"helpers": GIVER, **others})
    assert f"{imports}\n" in text and "helpers.get_device()" not in text
    assert CHOICE in text or "torch.zeros(3).cuda()" in text


def test_only_classes_are_listed(tmp_path: Path) -> None:
    main = f"{BY_TEXT}print(inspect.getmembers(losses, inspect.isclass))\n"
    program = f"import torch\nfrom helpers import count\n{USES.replace('COUNT', 'count')}"
    assert "from helpers import count, get_device\n" in _fixed(tmp_path, program, helpers=GIVER, main=main)


def test_several_modules_of_a_package(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "__init__.py").write_text(GIVER)
    (tmp_path / "tools" / "more.py").write_text("")
    (tmp_path / "tools" / "other.py").write_text("")
    program = f"import torch\nimport tools.more\nimport tools.other\n{USES.replace('COUNT', 'tools.count')}"
    assert "tools.get_device()" in _fixed(tmp_path, program)
