"""Defaults that may become None, since an option that is never None is all that other files give."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

UTIL = """import torch


def noise(n, device="cuda"):
    return torch.randn(n, device=device)
"""
USE = """import argparse

from util import noise

parser = argparse.ArgumentParser()
parser.add_argument("--where"{})
args = parser.parse_args()
noise(3, device=args.{})
noise(4)
"""


@pytest.mark.parametrize(
    ("more", "name", "found"),
    [
        (', default="cpu"', "where", True),
        (', type=str, default="cuda:1"', "where", True),
        ("", "where", False),
        (", default=None", "where", False),
        (', default="cpu"', "other", False),
    ],
)
def test_an_option_of_any_name(tmp_path: Path, more: str, name: str, found: bool) -> None:
    project = write_files(tmp_path / "p", {"util.py": UTIL, "use.py": USE.format(more, name)})
    assert ("device=None" in fix_files(project).get("util.py", "")) == found
