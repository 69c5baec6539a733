"""What calls in the project give to a parameter decides whether it is the device that a function's own moves mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint import fix

FUNCTION = "import torch\n\n\ndef f(x, device=torch.device('cuda:0'), n=0):\n    return x.cuda()\n"
MAIN = "from lib import f\n\n\ndef main(model, args):\n    device = torch.device('cuda:0')\n"


@pytest.mark.parametrize(
    ("caller", "device"),
    [
        ("    f(1, device)\n", "device"),
        ("    f(1, n=2)\n", "device"),
        ("    f(1, args.device)\n", "device"),
        ("    f(1, device='cuda')\n", "device"),
        ("    f(1, 'cuda' if args.gpu else 'cpu')\n", "device"),
        ("    f(1, 'phone' if args.gpu else 'cpu')\n", "torch_device"),
        ("    other.f(1, 'phone')\n", "torch_device"),
        ("    device = model.cards['head']\n    f(1, device)\n", "torch_device"),
        ("    f(1, device='auto')\n", "torch_device"),
        ("    f(1, torch.device('cuda:1'))\n", "torch_device"),
        ("    f(1, model.card())\n", "torch_device"),
    ],
)
def test_callers_in_another_file(tmp_path: Path, caller: str, device: str) -> None:
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "lib.py").write_text(FUNCTION)
    (tmp_path / "main.py").write_text(MAIN + caller)
    result = fix(tmp_path / "lib.py", isolated=True, select=["DEV101"])
    assert f"return x.to({device})" in result.text


USED = "import torch\n\n\ndef f(x, device):\n    return x.cuda() + torch.zeros(3, device=device)\n"


@pytest.mark.parametrize(
    ("choice", "device"),
    [
        ("    device = 'cuda' if args.gpu else 'cpu'\n", "device"),
        ("    device = 'cpu' if args.use_cpu else 'cuda'\n", "device"),
        ("    device = 'cpu' if args.parallel else 'cuda'\n", "torch_device"),
        ("    if torch.cuda.is_available():\n        device = 'cuda'\n    else:\n        device = 'cpu'\n", "device"),
        ("    if args.parallel:\n        device = 'cpu'\n    else:\n        device = 'cuda'\n", "torch_device"),
        ("    if args.fast:\n        device = 'cuda:1'\n    else:\n        device = 'cuda'\n", "device"),
    ],
)
def test_a_caller_that_gives_the_cpu_for_another_reason(tmp_path: Path, choice: str, device: str) -> None:
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "lib.py").write_text(USED)
    (tmp_path / "main.py").write_text(f"{MAIN}{choice}    f(1, device)\n")
    result = fix(tmp_path / "lib.py", isolated=True, select=["DEV101"])
    assert f"x.to({device})" in result.text


@pytest.mark.parametrize(
    ("option", "call", "device"),
    [
        ('"--gpu", type=int, default=0', "f(1, args.gpu)", "torch_device"),
        ('"--gpu", type=int, default=0', "g(1, args.gpu)", "torch_device"),
        ('"--gpu", default="cuda"', "g(1, args.gpu)", "device"),
        ('"--device", default="cuda"', "g(1, args.device)", "device"),
        ('"--device", default="0"', "g(1, int(args.device))", "torch_device"),
        ('"--device", default="0"', "d = args.device\nif d != 'cpu':\n    d = int(d)\nf(1, d)", "torch_device"),
        ('"--device", default="cuda"', "d = args.device\nf(int(1), d)", "device"),
    ],
)
def test_a_caller_that_gives_the_number_of_a_card(tmp_path: Path, option: str, call: str, device: str) -> None:
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "lib.py").write_text(f"{USED}\n\ndef g(x, device):\n    return f(x, device)\n")
    (tmp_path / "main.py").write_text(
        "import argparse\n\nfrom lib import f, g\n\nparser = argparse.ArgumentParser()\n"
        f"parser.add_argument({option})\nargs = parser.parse_args()\n{call}\n"
    )
    result = fix(tmp_path / "lib.py", isolated=True, select=["DEV101"])
    assert f"x.to({device})" in result.text
