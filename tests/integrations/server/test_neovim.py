"""The language server in a real Neovim: it shows findings and makes fixes in the buffer."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.editor import COMMAND
from tests.support.paths import DATA, ROOT

NEOVIM = shutil.which("nvim")
pytestmark = pytest.mark.skipif(NEOVIM is None, reason="neovim is not installed")


def in_neovim(folder: Path, text: str, findings: int, *steps: tuple[int, str, int]) -> dict[str, Any]:
    """What Neovim shows of a text with so many findings, and after each action: its line, its title, what it leaves."""
    file, result = folder / "train.py", folder / "seen.json"
    file.write_bytes(text.encode())
    plan = {
        "file": str(file),
        "folder": str(folder),
        "result": str(result),
        "command": COMMAND,
        "findings": findings,
        "steps": [{"line": line, "title": title, "left": left} for line, title, left in steps],
    }
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "DEVLINT_PLAN": json.dumps(plan), "HOME": str(folder)}
    assert NEOVIM is not None
    subprocess.run(
        [NEOVIM, "--headless", "--clean", "-n", "-u", "NONE", "-c", f"luafile {DATA / 'editor.lua'}"],
        env=environment,
        timeout=100,
        check=True,
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )
    seen: dict[str, Any] = json.loads(result.read_text())
    assert seen["error"] is None
    assert file.read_bytes() == text.encode()  # only the buffer is another one
    return seen


PROGRAM = """import torch
from torch import nn

model, name = nn.Linear(4, 2), "😀"
name = "😀"; model.cuda()
y = torch.zeros(4, pin_memory=True)
"""
DEVICE = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_findings_are_shown_and_fixes_are_made(newline: str, tmp_path: Path) -> None:
    seen = in_neovim(
        tmp_path,
        PROGRAM.replace("\n", newline),
        2,
        (5, "Replace `.cuda()` by `.to(device)`", 1),
        (8, "Unsafe: ", 0),
    )
    column = PROGRAM.splitlines()[4].encode().index(b"cuda()")
    assert seen["findings"][0] == [4, column, column + 6, "DEV101", "`.cuda()` needs CUDA on every machine"]
    first, second = seen["steps"]
    assert first["titles"] == [
        "Replace `.cuda()` by `.to(device)`",
        "Suppress DEV101 on this line (`# devlint: ignore[DEV101]`)",
        "devlint: make all safe fixes",
    ]
    lines = PROGRAM.splitlines()
    moved = [*lines[:2], "", DEVICE, "", *lines[3:4], 'name = "😀"; model.to(device)', lines[5]]
    assert first["lines"] == moved
    assert [one[3] for one in first["findings"]] == ["DEV503"]
    assert second["lines"] == [*moved[:-1], "y = torch.zeros(4, pin_memory=torch.cuda.is_available())"]
    assert seen["format"] == ("unix" if newline == "\n" else "dos")


def test_a_line_is_suppressed_and_the_rest_fixed(tmp_path: Path) -> None:
    seen = in_neovim(
        tmp_path,
        "import torch\n\nx = torch.zeros(2).cuda()\ny = torch.zeros(3).cuda()\n",
        2,
        (3, "Suppress DEV101", 1),
        (4, "devlint: make all safe fixes", 0),
    )
    assert seen["steps"][1]["lines"] == [
        "import torch",
        "",
        DEVICE,
        "",
        "x = torch.zeros(2).cuda()  # devlint: ignore[DEV101]",
        "y = torch.zeros(3).to(device)",
    ]
