"""A file that other files import, and that tries itself out when it is started: it asks for CUDA in its functions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

AT_TOP = '\ndevice = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
FILE = """import torch


def quantize(x):
    return x.cuda() * 2


def {name}():
    print(quantize(torch.ones(3)))


if __name__ == "__main__":
    {name}()
"""


@pytest.mark.parametrize(
    ("name", "other", "at_top"),
    [
        ("test_quantize", "from kernels.quant import quantize\n", False),
        ("test_quantize", "import kernels.quant as tools\n", False),
        ("test_quantize", "from kernels import quant\n", False),
        ("test_quantize", "from quant import quantize\n", False),
        ("test_quantize", "# import kernels.quant\nquant = 1\n", True),
        ("main", "from kernels.quant import quantize\n", True),
    ],
)
def test_asks_for_cuda_at_the_top(tmp_path: Path, name: str, other: str, at_top: bool) -> None:
    files = {"kernels/quant.py": FILE.format(name=name), "use.py": other}
    fixed = fix_files(write_files(tmp_path / "p", files), unsafe=False)["kernels/quant.py"]
    assert "x.to(device)" in fixed
    assert (AT_TOP in fixed) is at_top


@pytest.mark.parametrize(
    ("line", "other", "at_top"),
    [
        ('print("tools of the program")', "from tools import double\n", False),
        ('print("tools of the program")', "import torch\n", True),
        ("print(torch.ones(3).cuda())", "from tools import double\n", True),
    ],
)
def test_a_file_that_prints_something_while_it_is_imported(tmp_path: Path, line: str, other: str, at_top: bool) -> None:
    text = f"import torch\n\n{line}\n\n\ndef double(x):\n    return x.cuda() * 2\n"
    fixed = fix_files(write_files(tmp_path / "p", {"tools.py": text, "use.py": other}), unsafe=False)["tools.py"]
    assert "x.to(device)" in fixed
    assert (AT_TOP in fixed) is at_top


@pytest.mark.parametrize(("call", "is_left"), [("set_device(1)", True), ("synchronize()", False)])
def test_the_first_card_is_another_than_the_current_one_that_another_file_chooses(
    tmp_path: Path, call: str, is_left: bool
) -> None:
    text = 'import torch\n\n\ndef put(x):\n    device = torch.device("cuda")\n    return x.to("cuda:0"), x.to(device)\n'
    other = f"import torch\nfrom tools import put\n\ntorch.cuda.{call}\nput(torch.ones(3))\n"
    folder = write_files(tmp_path / "p", {"tools.py": text, "train.py": other})
    fixed = fix_files(folder, unsafe=False).get("tools.py", text)
    assert ("return x.to(device), x.to(device)" in fixed) is not is_left
    assert (fixed == text) is is_left  # nobody gains by a fix beside a card that stays
