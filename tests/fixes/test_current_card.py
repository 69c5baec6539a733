"""What takes the place of the current card without CUDA, and with any accelerator."""

from __future__ import annotations

import libcst as cst
import pytest

from devlint.core.target import Target
from devlint.engine.fixpoint import splice
from devlint.fixes.apis.current_card import current_card_fix
from devlint.sources.source import Source
from devlint.syntax.file_context import FileContext

HEAD = "import torch\nfrom torch.distributed.fsdp import FullyShardedDataParallel as FSDP\n"
CASES = [
    (
        "x.to(CARD)",
        '\ndevice = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n\nx.to(device)',
        '\ndevice = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else torch.device("cpu")\n\nx.to(device)',
    ),
    ("x.cuda(CARD)", "x.cuda(torch.cuda.current_device() if torch.cuda.is_available() else 0)", None),
    ("torch.ones(2, device=CARD)", None, None),
    (
        "print(CARD)",
        "print(torch.cuda.current_device() if torch.cuda.is_available() else 0)",
        "print(torch.accelerator.current_device_index() if torch.accelerator.is_available() else 0)",
    ),
    ("logger.info(f'on {CARD}')", None, None),
    ("d = f'cuda:{CARD}'", None, None),
    ("d = 'cuda:' + str(CARD)", None, None),
    ("d = torch.device('cuda', CARD)", None, None),
    ("f(CARD)", None, None),
    ("f(device=CARD)", None, None),
    ("f(device_id=CARD)", None, None),
    ("y = CARD + 1", None, None),
    ("y = CARD", None, None),
    ("FSDP(m, device_id=CARD)", None, None),
    (
        "def f(x):\n    card = CARD\n    x.to(card)",
        'def f(x):\n    card = torch.cuda.current_device() if torch.cuda.is_available() else "cpu"\n    x.to(card)',
        'def f(x):\n    device = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else torch.device("cpu")\n    card = device\n    x.to(card)',
    ),
    (
        "def f(x):\n    card = CARD\n    x.to(card)\n    print(card)",
        'def f(x):\n    card = torch.cuda.current_device() if torch.cuda.is_available() else "cpu"\n    x.to(card)\n    print(card)',
        'def f(x):\n    card = torch.accelerator.current_device_index() if torch.accelerator.is_available() else "cpu"\n    x.to(card)\n    print(card)',
    ),
    ("def f(x):\n    card = CARD\n    y = card + 1", None, None),
    ("def f(x):\n    card = CARD\n    if a:\n        card = 1\n    x.to(card)", None, None),
    ("def f(x):\n    card = CARD\n    return card", None, None),
    ("def f(x):\n    card = CARD", None, None),
    ("def f(x):\n    card = other = CARD\n    x.to(card)", None, None),
    ("def f(x):\n    self.card = CARD\n    x.to(self.card)", None, None),
    (
        "def f(x):\n    device = CARD\n    g(device)",
        None,
        'def f(x):\n    device = torch.accelerator.current_device_index() if torch.accelerator.is_available() else "cpu"\n    g(device)',
    ),
    ("card = CARD\nx.to(card)", None, None),
    (
        "def f(x):\n    card = CARD\n    d = torch.device('cuda', card)",
        "def f(x):\n    card = torch.cuda.current_device() if torch.cuda.is_available() else 0\n    d = torch.device('cuda', card)",
        "def f(x):\n    card = torch.accelerator.current_device_index() if torch.accelerator.is_available() else 0\n    d = torch.device('cuda', card)",
    ),
    ("def f(x):\n    card = CARD\n    d = f'cuda:{card}'\n    x.to(card)", None, None),
    (
        "if torch.cuda.is_available():\n    x.to(CARD)",
        '\ndevice = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n\nif torch.cuda.is_available():\n    x.to(device)',
        '\ndevice = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else torch.device("cpu")\n\nif torch.cuda.is_available():\n    x.to(device)',
    ),
    (
        "x.to(CARD, non_blocking=True)",
        '\ndevice = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n\nx.to(device, non_blocking=True)',
        '\ndevice = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else torch.device("cpu")\n\nx.to(device, non_blocking=True)',
    ),
    ("y = -CARD", None, None),
    ("y = CARD if a else 1", None, None),
]
"""Programs, and what their fixes make of them for CUDA and for any accelerator."""


def fixed(text: str, target: Target) -> str | None:
    written = text.replace("CARD", "torch.cuda.current_device()")
    ctx = FileContext(Source.from_text("case.py", f"{HEAD}{written}\n"), target)
    call = next(one for one in ctx.tree.of_type(cst.Call) if ctx.text_of(one) == "torch.cuda.current_device()")
    fix = current_card_fix(ctx, call)
    return None if fix is None else splice(ctx.source.text, fix.edits).removeprefix(HEAD).rstrip()


@pytest.mark.parametrize(("text", "cuda", "accelerator"), CASES)
def test_current_card(text: str, cuda: str | None, accelerator: str | None) -> None:
    assert fixed(text, Target()) == cuda
    assert fixed(text, Target("accelerator", torch_min_version=(2, 6))) == accelerator


LOADED = "def f(p):\n    card = {}\n    a = torch.load(p, map_location={})\n    b = torch.load(p, {})\n"
BY_CARD = "lambda storage, loc: storage.cuda(card)"


@pytest.mark.parametrize(
    ("more", "is_location"),
    [("    return a, b", True), ("    return a, b, card", False), ("    return a.cuda(card)", False)],
)
def test_a_card_that_checkpoints_are_loaded_to_is_a_device(more: str, is_location: bool) -> None:
    after = fixed(LOADED.format("CARD", BY_CARD, BY_CARD) + more, Target()) or ""
    device = 'torch.device("cuda" if torch.cuda.is_available() else "cpu")'
    assert (after == LOADED.format(device, "card", "card") + more) is is_location
    assert ("map_location=card" in after) is is_location


def test_a_function_of_storages_that_is_kept_is_no_location() -> None:
    text = f"def f(p):\n    card = CARD\n    place = {BY_CARD}\n    return torch.load(p, place)"
    assert "place = card" not in (fixed(text, Target()) or "")
