"""Calls that a test of the project replaces: they are changed only where the user asks for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

SETTINGS = {"target": "accelerator", "torch-min-version": "2.10"}
MEMORY = """import torch


def free():
    torch.cuda.empty_cache()


def wait():
    torch.cuda.synchronize()


def tidy():
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
"""
REPLACING = [
    '@patch("torch.cuda.{}")\ndef test_free(seen):\n    free()\n',
    "@mock.patch('memory.torch.cuda.{}')\ndef test_free(seen):\n    free()\n",
    'def test_free(mocker):\n    seen = mocker.patch(\n        "torch.cuda.{}"\n    )\n    free()\n',
    'def test_free(monkeypatch):\n    monkeypatch.setattr(torch.cuda, "{}", print)\n    free()\n',
    'def test_free():\n    with mock.patch.object(memory.torch.cuda, "{}") as seen:\n        free()\n',
    "torch.cuda.{} = lambda: None\n",
]
OTHERS = [
    'def test_free():\n    assert "torch.cuda.{}" in source\n',
    "def test_free():\n    torch.cuda.{}()\n",
    'def test_free():\n    with patch("own.cuda.{}"):\n        free()\n',
    'def test_free():\n    patch("torch.cuda.{}_too")\n',
]


def fixed(tmp_path: Path, test: str, name: str, unsafe: bool = False) -> str:
    files = {"memory.py": MEMORY, "test_memory.py": test.format(name)}
    return fix_files(write_files(tmp_path / "p", files), unsafe=unsafe, **SETTINGS).get("memory.py", "")


@pytest.mark.parametrize("test", REPLACING)
def test_a_call_that_a_test_replaces(tmp_path: Path, test: str) -> None:
    text = fixed(tmp_path, test, "empty_cache")
    assert text.count("torch.cuda.empty_cache()") == 2
    assert "torch.accelerator.synchronize()" in text


@pytest.mark.parametrize("test", OTHERS)
def test_a_call_that_no_test_replaces(tmp_path: Path, test: str) -> None:
    text = fixed(tmp_path, test, "empty_cache")
    assert text.count("torch.accelerator.empty_cache()") == 2


def test_what_is_left_gets_an_unsafe_fix(tmp_path: Path) -> None:
    text = fixed(tmp_path, REPLACING[0], "empty_cache", unsafe=True)
    assert text.count("torch.accelerator.empty_cache()") == 2


def test_a_call_that_fails_without_cuda_stays(tmp_path: Path) -> None:
    text = fixed(tmp_path, REPLACING[0], "synchronize")
    assert "def wait():\n    torch.cuda.synchronize()\n" in text
    assert text.count("torch.accelerator.empty_cache()") == 2
