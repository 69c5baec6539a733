"""Flags that are attributes of an object of the module: other files may set them once they have imported it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

LIBRARY = """\
import argparse
import torch

{0}


def place(x):
    if {1}:
        x = x.cuda()
    return x
"""
CLASS = "class Options:\n    gpu = False\n\n\nargs = Options()"
PARSED = (
    "parser = argparse.ArgumentParser()\nparser.add_argument('--gpu', action='store_true')\nargs = parser.parse_args()"
)
ASKS = "args.gpu = args.gpu and torch.cuda.is_available()"


@pytest.mark.parametrize(
    ("made", "flag", "main", "is_at_top"),
    [
        (CLASS, "args.gpu", "library.args.gpu = True", False),
        (CLASS, "args.gpu", "set_all(library.args, gpu=True)", False),
        (f"{CLASS}\n{ASKS}", "args.gpu", "library.args.gpu = True", False),
        (f"{PARSED}\n{ASKS}", "args.gpu", "print(library.args)", True),
        ('args = {"gpu": torch.cuda.is_available()}', 'args["gpu"]', "library.args.update(gpu=False)", False),
        ("args = torch.cuda.is_available()", "args", "print(library.args)", True),
    ],
)
def test_a_device_of_a_library_is_built_where_its_flag_is_known(
    tmp_path: Path, made: str, flag: str, main: str, is_at_top: bool
) -> None:
    files = {"library.py": LIBRARY.format(made, flag), "main.py": f"import library\n\n{main}\n"}
    after = fix_files(write_files(tmp_path / "p", files))["library.py"]
    assert "x = x.to(device)" in after
    assert ("\ndevice = torch.device(" in after) is is_at_top
