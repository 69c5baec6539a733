"""The folders that programs run in are removed, by the next run where theirs was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from devlint.verify.scratch_folder import scratch_folder

pytest.importorskip("fcntl", reason="verify needs fork")

KILLED = """
import os, pathlib, signal, sys, tempfile
tempfile.tempdir = sys.argv[1]
from devlint.verify.scratch_folder import scratch_folder
with scratch_folder() as folder:
    pathlib.Path(folder, "tmp").mkdir()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_it_is_removed_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with scratch_folder() as folder:
        assert os.listdir(folder) == ["lock"]
    assert os.listdir(tmp_path) == []


def test_what_a_killed_run_left_is_removed_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "lock").touch()
    (tmp_path / "devlint-verify-without-lock").mkdir()
    (tmp_path / "devlint-verify-link").symlink_to(elsewhere)
    (tmp_path / "devlint-verify-file").touch()
    others = set(os.listdir(tmp_path))
    killed = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)])
    assert killed.returncode == -signal.SIGKILL
    assert len(os.listdir(tmp_path)) == len(others) + 1
    with scratch_folder() as first, scratch_folder() as second:
        assert set(os.listdir(tmp_path)) == {*others, os.path.basename(first), os.path.basename(second)}
    assert os.listdir(elsewhere) == ["lock"]
