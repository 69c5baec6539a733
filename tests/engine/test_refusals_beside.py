"""A fix is unsafe where the program refuses to go on without CUDA wherever it comes to the place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

_CHECKS = """import torch


def select(device):
    device = torch.device(device)
    if device.type != "cuda":
        raise ValueError("this runs on GPUs")
    return device.index


def look(device):
    return device


def choose(device):
    if device is None:
        return None
    if not torch.cuda.is_available():
        raise ValueError("no GPU")
    return device


class State:
    def __init__(self, rank):
        count = torch.cuda.device_count()
        self.card = rank % count
"""


def _changed(tmp_path: Path, text: str) -> str | None:
    """What safe fixes make of a text; None for nothing."""
    return fix_files(write_files(tmp_path, {"main.py": text, "checks.py": _CHECKS})).get("main.py")


@pytest.mark.parametrize(
    ("first", "is_left"),
    [
        ("assert card < torch.cuda.device_count()", True),
        ("assert torch.cuda.device_count() > card", True),
        ("assert card <= torch.cuda.device_count()", False),
        ("if card >= torch.cuda.device_count():\n        raise ValueError(card)", True),
        ("if card >= torch.cuda.device_count():\n        card = 0", False),
        ("if card and card >= torch.cuda.device_count():\n        raise ValueError(card)", False),
        ("if len(card) > torch.cuda.device_count():\n        raise ValueError(card)", False),
        ("index = checks.select(card)", True),
        ("checks.select(card)", True),
        ("checks.look(card)", False),
        ("checks.choose(card)", False),
        ("state = checks.State(card)", True),
        ("if card:\n        checks.select(card)", False),
        ("for one in card:\n        checks.select(one)", False),
        ("try:\n        checks.select(card)\n    except ValueError:\n        card = 0", False),
        ("if card:\n        return x\n    checks.select(card)", True),
        ("if checks.find() is None:\n        raise ValueError('only for a GPU')", True),
        ("if checks.find(card) is None:\n        raise ValueError('only for a GPU')", False),
        ("if checks.find() is None:\n        raise ValueError('nothing there')", False),
        ("pinned = torch.zeros(3, pin_memory=True)", False),
        ("pinned = torch.zeros(3, pin_memory=True) if card else None", False),
    ],
)
def test_what_refuses_leaves_the_other_fixes_of_its_function(tmp_path: Path, first: str, is_left: bool) -> None:
    text = f"import torch\n\nimport checks\n\n\ndef move(x, card):\n    {first}\n    return x.cuda()\n"
    assert (_changed(tmp_path, text) is None) is is_left


@pytest.mark.parametrize(
    ("check", "is_left"),
    [
        ("checks.select(device)", True),
        ("if device:\n            checks.select(device)", False),
        ("if checks.find() is None:\n            raise RuntimeError('this needs CUDA')", True),
    ],
)
def test_what_the_constructor_refuses_leaves_those_of_its_class(tmp_path: Path, check: str, is_left: bool) -> None:
    text = (
        "import torch\n\nimport checks\n\n\n"
        f"class Layer:\n    def __init__(self, device):\n        {check}\n"
        '        self.device = torch.device("cuda")\n\n'
        "    def move(self, x):\n        return x.cuda()\n"
    )
    after = _changed(tmp_path, text)
    assert (after is None) is is_left


@pytest.mark.parametrize("called", [True, False])
def test_what_refuses_before_all_calls_leaves_those_of_a_private_function(tmp_path: Path, called: bool) -> None:
    other = "" if called else "\n\ndef more(x):\n    return _move(x)\n"
    text = (
        "import torch\n\n\ndef _move(x):\n    return x.cuda()\n\n\n"
        "def move(x, card):\n    if card >= torch.cuda.device_count():\n        raise ValueError(card)\n"
        f"    return _move(x)\n{other}"
    )
    assert (_changed(tmp_path, text) is None) is called
