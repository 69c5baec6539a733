"""Arguments of the project's own functions that only say where something is put."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

UTIL = """
import torch


def noise(n, device):
    return torch.randn(n, device=device)


class Sampler:
    def __init__(self, n, device):
        self.x = torch.zeros(n).to(device)


def nested(n, *, device):
    return noise(n, device)


def printed(x, device):
    print(device)
    return x.to(device)


def library(x, device):
    return load(x, device=device)
"""
DEVICE = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'
SEEN = ["noise(3, {})", "noise(3, device={})", "util.noise(3, {})", "Sampler(4, {})", "nested(3, device={})"]
NOT_SEEN = ["printed(x, {})", "noise({}, 3)", "noise(*x, {})", "print(x, {})", "library(x, {})", "x.noise(3, {})"]


def fixed(tmp_path: Path, call: str) -> str:
    use = f"import torch\nimport util\nfrom util import Sampler, library, nested, noise, printed\n\n\ndef run(x):\n    return {call}\n"
    files = {"pyproject.toml": "", "util.py": UTIL, "use.py": use}
    return fix_files(write_files(tmp_path / "p", files), unsafe=False).get("use.py", use)


@pytest.mark.parametrize("call", SEEN)
def test_a_string_that_is_only_placed(tmp_path: Path, call: str) -> None:
    text = fixed(tmp_path, call.format('"cuda"'))
    assert DEVICE in text
    assert f"return {call.format('device')}" in text


@pytest.mark.parametrize("call", NOT_SEEN)
def test_a_string_that_may_be_more(tmp_path: Path, call: str) -> None:
    assert call.format('"cuda"') in fixed(tmp_path, call.format('"cuda"'))
