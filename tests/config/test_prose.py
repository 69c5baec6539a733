"""What prose says of the versions a program needs: made-up lines of READMEs, right and wrong ones."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlint.config.prose import Stated, stated_python, stated_torch

Version = tuple[int, ...]

EXACT: dict[str, Version] = {
    "PyTorch 0.3.1": (0, 3),
    "Pytorch (0.2.0)": (0, 2),
    "pytorch(0.3)": (0, 3),
    "- pytorch 0.3": (0, 3),
    "-pytorch 0.3": (0, 3),
    "1. Pytorch 0.3.0.post4": (0, 3),
    "PyTorch v0.2": (0, 2),
    "torch v0.3.1, torchvision v0.2.0": (0, 3),
    "PyTorch-0.3": (0, 3),
    "PyTorch: 0.3.0": (0, 3),
    "torch=0.3.1": (0, 3),
    "torch == 0.3.1": (0, 3),
    "PyTorch version 0.3": (0, 3),
    "PyTorch (version: 0.3.0)": (0, 3),
    "Torch (version = 0.3.0)": (0, 3),
    "the code needs version 0.3.1 of PyTorch": (0, 3),
    "* __PyTorch 0.3.0__": (0, 3),
    "* **PyTorch** 0.3.0": (0, 3),
    "`pytorch` 0.3": (0, 3),
    "[PyTorch](http://pytorch.org) (0.3.1)": (0, 3),
    "[PyTorch 0.3](http://pytorch.org/)": (0, 3),
    '<a href="http://pytorch.org">PyTorch</a> 0.3.1<br>': (0, 3),
    "`PyTorch <http://pytorch.org>`_ 0.3.1": (0, 3),
    "| PyTorch | 0.3.1 |": (0, 3),
    "|`torch`|  `0.3.1`|": (0, 3),
    "pip install http://download.example/whl/cu80/torch-0.3.0.post4-cp36-cp36m-linux_x86_64.whl": (0, 3),
    "pip install torch-0.1.12.post2-cp27-none-linux_x86_64.whl": (0, 1),
    "conda install pytorch=0.3.1 cuda80 -c pytorch": (0, 3),
    "Tested with PyTorch 0.1.12": (0, 1),
    "PyTorch (tested with version 0.2)": (0, 2),
    "(Python3.6, PyTorch_0.3.1, CUDA8.0, cuDNN5.1)": (0, 3),
    "Libraries: Pytorch 0.3.0, numpy 1.13, CUDA 8.0": (0, 3),
    "written in PyTorch 0.3 using Python 3.6. It is not compatible with Python 2": (0, 3),
    "To use this code, please use PyTorch 0.3.": (0, 3),
    "*Note* PyTorch 0.4 broke much. To use this code, please use PyTorch 0.3.": (0, 3),
    "Before running, install PyTorch 0.3.": (0, 3),
    "This code is adapted from another one and needs PyTorch 0.3": (0, 3),
    "An old version of PyTorch (0.3.1)": (0, 3),
    "an old version of PyTorch 0.3.1 is needed": (0, 3),
    "PyTorch 0.3 or 0.4": (0, 3),
    "PyTorch 0.4 or 0.3.1": (0, 3),
    "PyTorch=0.2 and 0.3": (0, 2),
    "PyTorch 0.3/0.4": (0, 3),
    "PyTorch 0.3.1, 0.4.0 and 1.0": (0, 3),
    "PyTorch 0.3.1 to 1.0.0": (0, 3),
    "PyTorch_0.3.1 for one part, PyTorch_0.4.0 for the other": (0, 3),
    "PyTorch < 0.4": (0, 3),
    "PyTorch <= 0.3.1": (0, 3),
    "PyTorch >= 0.2, < 0.4": (0, 2),
    "PyTorch 0.31": (0, 3),
    "PyTorch 0.12": (0, 1),
    "PyTorch 0.3.1 (0.4 is not supported)": (0, 3),
    "PyTorch 0.3.1 is not compatible with Python 3.7": (0, 3),
    "![](https://img.shields.io/badge/pytorch-0.3.1-red.svg)": (0, 3),
    "![](https://img.shields.io/badge/PyTorch-v0.2-blue)": (0, 2),
    "The master branch works with PyTorch 0.3": (0, 3),
    "python 3.5 / pytorch 0.3 / cuda 8.0": (0, 3),
    "tensorflow 1.3, pytorch 1.0": (1, 0),
    "PyTorch 1.0 (0.3 is not supported)": (1, 0),
    "pytorch 1.4.0 (2.0 works too)": (1, 4),
    "PyTorch 1.1, torchvision 0.3": (1, 1),
    "PyTorch 1.1 torchvision 0.3.0": (1, 1),
    "PyTorch 1.1 / torchvision 0.3": (1, 1),
    "Migrate to `PyTorch 0.2.0`. Breaks compatibility with `0.1.12`.": (0, 2),
    "This code was ported from PyTorch 0.3; now requires PyTorch 1.0": (1, 0),
    "Upgraded from PyTorch 0.3 to PyTorch 1.0": (1, 0),
    "Update: PyTorch 0.3 -> 1.0": (1, 0),
    "updated PyTorch 0.3 to 0.4": (0, 4),
    "PyTorch 0.3 → 1.0": (1, 0),
    "The repo works under torch 1.0. You can find the old versions for torch 0.2 and 0.4 in **tags**.": (1, 0),
    "PyTorch 0.41": (0, 4, 1),
    "pytorch 1.10.0": (1, 10),
    "docker pull pytorch/pytorch:1.0-cuda10.0-cudnn7": (1, 0),
}
OPEN: dict[str, Version] = {
    "PyTorch 0.4+": (0, 4),
    "PyTorch>=0.4": (0, 4),
    "PyTorch >= 0.4.0": (0, 4),
    "PyTorch (>= 0.2.0)": (0, 2),
    "PyTorch &gt;= 0.4": (0, 4),
    "PyTorch ≥ 0.4": (0, 4),
    "PyTorch (version >= 0.2)": (0, 2),
    "PyTorch 1.0 and above": (1, 0),
    "PyTorch 0.3 or higher": (0, 3),
    "PyTorch v1.0.0 or later": (1, 0),
    "PyTorch 0.3 (or newer)": (0, 3),
    "PyTorch 1.5+ (with GPU)": (1, 5),
    "PyTorch 1.6 以上": (1, 6),
    "- [PyTorch v0.4+](https://pytorch.org)": (0, 4),
    "![](https://img.shields.io/badge/pytorch-%3E%3D0.4-blue)": (0, 4),
}
NOTHING = (
    "torchvision 0.2",
    "torchtext 0.3",
    "torchtext==0.2.3",
    "torch-scatter==0.3",
    "torch_geometric 0.3",
    "pytorch-lightning==0.3",
    "PyTorch Lightning 0.3",
    "pytorch-ignite=0.1.2",
    "pytorch-pretrained-bert 0.2",
    "`advertorch (0.2.2)`",
    "install PyTorch Geometric (tested on 0.3.1)",
    "PyTorch, torchvision 0.2",
    "PyTorch and torchvision 0.2.1",
    "PyTorch",
    "PyTorch implementation of a paper (2018)",
    "torch.nn.Dropout(p=0.2, inplace=True),",
    "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)",
    "| R-50 | pytorch | 1x | 3.8 | 0.2 |",
    "| ours | PyTorch | 0.35 | 0.2 |",
    "PyTorch: 0.28s",
    "PyTorch (0.3 seconds)",
    "PyTorch 0.3 sec",
    "PyTorch 0.85",
    "Torch7 0.3",
    "does not work with PyTorch 0.3",
    "PyTorch 0.3 is not supported",
    "PyTorch 0.3 is no longer supported",
    "PyTorch 0.3 won't work",
    "It isn't compatible with PyTorch 0.3.",
    "no longer supports PyTorch 0.3",
    "has not been tested with PyTorch 0.3",
    "Drop PyTorch 0.3",
    "breaks with PyTorch 0.3",
    "This code was ported from PyTorch 0.3.",
    "migrated the code from PyTorch 0.3",
    "If you use PyTorch 0.3, change the loss.",
    "For older PyTorch 0.3",
    "For PyTorch 0.3, see the branch `old`.",
    "checkout the PyTorch 0.3 branch",
    "[the code for PyTorch 0.3](https://forge.example/a/b/tree/0123abc)",
    "move the code for PyTorch 0.3 elsewhere",
    "in the folder pytorch_0.3.1/demo.py",
    "moved to **net_pytorch_0.3.1/**.",
    "model_pytorch_0.3.pth",
    "there is a bug in PyTorch 0.3",
    "unlike PyTorch 0.3",
    "since PyTorch 0.4",
    "since PyTorch 0.2, tensors broadcast",
    "an adaptation to early PyTorch 0.3",
    "Using PyTorch 0.3 will break the detector.",
    "PyTorch 0.3 fails here",
    "if you are looking for PyTorch 0.3, please switch to tag v0.3",
    "For PyTorch 0.3 compatibility checkout tag torch-0.3.1",
    "PyTorch 0.4.0 (or check the pytorch-0.3.1 branch for PyTorch 0.3.1)",
    "Forked from PyTorch 0.3.0's implementation.",
    "copied from the implementation of PyTorch 0.3.1",
    "all of it is in 0.1152 s (PyTorch 0.2123 s)",
    "some-pytorch v0.3.0",
    "",
)


@pytest.mark.parametrize(("text", "version"), [*EXACT.items()])
def test_a_version_of_torch_that_is_asked_for(text: str, version: Version) -> None:
    assert stated_torch(text) == Stated(version)


@pytest.mark.parametrize(("text", "version"), [*OPEN.items()])
def test_a_version_of_torch_or_newer(text: str, version: Version) -> None:
    assert stated_torch(text) == Stated(version, is_open=True)


@pytest.mark.parametrize("text", NOTHING)
def test_what_asks_for_no_torch(text: str) -> None:
    assert stated_torch(text) == Stated()


@pytest.mark.parametrize(
    ("lines", "version"),
    [
        (["PyTorch 0.4.1", "tested on PyTorch 0.3 as well"], (0, 3)),
        (["PyTorch 1.0", "PyTorch 0.3 is not supported"], (1, 0)),
        (["Requirements: PyTorch 0.3", "", "Update: the code has been updated to PyTorch 1.0."], (1, 0)),
        (["Requirements: PyTorch 0.3", "It now requires PyTorch 1.0."], (1, 0)),
        (["Migrated to PyTorch 0.4.", "Upgraded to PyTorch 1.0."], (1, 0)),
        (["PyTorch 0.3", "PyTorch 1.0 is supported"], (0, 3)),
        (
            ["It is now PyTorch 0.4 compatible.", "Installation of PyTorch 0.1.12 can be achieved by an old script."],
            (0, 4),
        ),
        (["PyTorch 0.4 are required for the current codebase.", "For the paper: conda install pytorch=0.1.12"], (0, 4)),
        (["The current code depends on PyTorch 0.3.1", "PyTorch 1.0 was not tried"], (0, 3)),
    ],
)
def test_of_several_statements_the_lowest_holds_unless_one_is_clearly_newer(lines: list[str], version: Version) -> None:
    assert stated_torch("\n".join(lines)).lowest == version


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("Python 3.6", (3, 6)),
        ("Python 3.6+", (3, 6)),
        ("Python >= 3.5", (3, 5)),
        ("Python 2.7 / 3.6", (2, 7)),
        ("Python 3.6 or 3.7", (3, 6)),
        ("python3.6 train.py", (3, 6)),
        ("Python 2 or 3", (2, 0)),
        ("Python2 / Python3", (2, 0)),
        ("conda create -n a python=3.6", (3, 6)),
        ("![](https://img.shields.io/badge/python-3.6-blue.svg)", (3, 6)),
        ("Python (tested on 3.6.7)", (3, 6)),
        ("torch-0.3.0.post4-cp36-cp36m-linux_x86_64.whl", (3, 6)),
        ("It supports Python 3.7 (3.6 is not supported)", (3, 7)),
        ("Python 3.10", (3, 10)),
        ("Python 3", None),
        ("Python 2 is not supported", None),
        ("It is not compatible with Python 2.7", None),
        ("opencv-python 3.3", None),
        ("opencv-python==3.4.2", None),
        ("ipython 5.1", None),
        ("python 2_train.py", None),
        ("_python2_ros_ws_", None),
        ("(Python, PyTorch 0.3.1)", None),
    ],
)
def test_a_version_of_python(text: str, version: Version | None) -> None:
    assert stated_python(text) == version


@given(st.text(alphabet="pytorch PYTHN0123.=<>()[]|`*_-+,/:;\n'’以上", max_size=300))
def test_any_text_is_read(text: str) -> None:
    found = stated_torch(text)
    assert found.lowest is None or found.lowest <= (3, 99)
    assert stated_python(text) is None or "ython" in text.lower() or ".whl" in text


@given(
    st.sampled_from(["PyTorch", "Pytorch", "pytorch", "torch", "[PyTorch](http://pytorch.org)", "**PyTorch**"]),
    st.sampled_from([" ", " v", " (", " == ", "==", "=", ": ", " version ", "-"]),
    st.sampled_from([(0, 1), (0, 2), (0, 3), (0, 4), (1, 0), (1, 13), (2, 0)]),
    st.sampled_from(["", ".0", ".1", ".1.post2"]),
    st.sampled_from(["", ")", ",", ".", " and NumPy 1.13", "; CUDA 8.0", ", torchvision 0.2.0", " with CUDA 9.0"]),
    st.sampled_from(["", "- ", "* ", "1. ", "Requires ", "Python 3.6, ", "tested with ", "$ pip install "]),
)
def test_however_it_is_written(name: str, sign: str, version: Version, patch: str, after: str, before: str) -> None:
    text = f"{before}{name}{sign}{version[0]}.{version[1]}{patch}{after}"
    is_four_one = version == (0, 4) and patch.startswith(".1")
    assert stated_torch(text) == Stated((0, 4, 1) if is_four_one else version), text


def test_long_texts_take_no_long_time() -> None:
    texts = ("torch " * 40_000, "pytorch (((((((" * 20_000, "torch 0.3, " * 20_000, "not " * 50_000 + "PyTorch 0.3")
    start = time.perf_counter()
    for text in (*texts, "\n".join(["updated torch 0.3, 0.4 not " * 60] * 200), ("torch [" * 300 + "\n") * 100):
        stated_torch(text), stated_python(text)
    assert time.perf_counter() - start < 20
