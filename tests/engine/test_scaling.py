"""Texts four times as long take some four times as many steps: lines of devlint that run, which no busy machine changes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from benchmarks.pathological_cases import CHAINS, HEAD, TAIL, TEXTS, WIDTHS
from devlint.config.finder import ConfigFinder
from devlint.engine.runner import Runner

Trace = Callable[[FrameType, str, Any], Any] | None
SIZE = 64
STEEPEST = 4.6
"""Times as many steps for four times the text: what is sorted, or searched in order, takes a little more than four."""
SETTINGS: dict[str, object] = {"select": ["ALL"], "document-code": True, "docstring-code": True, "unsafe-fixes": True}
LINEAR = (
    "devices",
    "methods with a device",
    "tensor aliases",
    "autocasts",
    "cuda calls, one a line",
    "accelerator calls",
    "implicit strings",
    "docstring of examples",
    "imported names",
)
LINEAR_TEXTS = (
    "Markdown fences",
    "Markdown blocks",
    "reStructuredText examples",
    "notebook of imports",
    "notebook of commands",
)


def steps(path: str, text: str, settings: dict[str, object] = SETTINGS) -> int:
    """How many lines of devlint run over a text."""
    count = 0

    def inside(frame: FrameType, event: str, argument: object) -> Trace:
        nonlocal count
        count += event == "line"
        return inside

    def enter(frame: FrameType, event: str, argument: object) -> Trace:
        return inside if str(frame.f_globals.get("__name__")).startswith("devlint.") else None

    runner = Runner(ConfigFinder(settings, isolated=True))
    others = sys.gettrace()
    sys.settrace(enter)
    try:
        report = runner.text(path, text.encode())
    finally:
        sys.settrace(others)
    assert report.failures == ()
    return count


def is_linear(path: str, texts: Callable[[int], str], settings: dict[str, object] = SETTINGS) -> bool:
    runner = Runner(ConfigFinder(settings, isolated=True))
    runner.text(path, texts(2).encode())  # what is imported and made once
    return steps(path, texts(4 * SIZE), settings) < STEEPEST * steps(path, texts(SIZE), settings)


@pytest.mark.slow
@pytest.mark.parametrize("name", LINEAR)
def test_programs(name: str) -> None:
    assert is_linear("a.py", lambda size: HEAD + {**WIDTHS, **CHAINS}[name](size) + TAIL)


@pytest.mark.slow
@pytest.mark.parametrize("name", LINEAR_TEXTS)
def test_other_texts(name: str) -> None:
    path, texts = TEXTS[name]
    assert is_linear(path, texts)


def test_assignments_to_a_name_that_is_moved() -> None:
    text = "import torch\nx.to(device)\n"
    assert is_linear("a.py", lambda size: text + size * "x = y\ny = z\n", {"select": ["DEV405"]})


def test_functions_that_share_a_device() -> None:
    assert is_linear(
        "a.py", lambda size: "import torch\n" + "".join(f"def f{i}(x):\n    return x.cuda()\n" for i in range(size))
    )


def test_names_of_cuda_with_another_target() -> None:
    def named(size: int) -> str:
        calls = "".join(f"        torch.cuda.synchronize(); y{index} = {index}\n" for index in range(size))
        return f"import torch\n\n\ndef f():\n    if torch.cuda.is_available():\n{calls}"

    assert is_linear("a.py", named, {"select": ["DEV511"], "target": "accelerator", "torch-min-version": "2.13"})
