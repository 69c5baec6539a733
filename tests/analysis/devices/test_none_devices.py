"""Options of another file that are None, or a number, unless the user gives them: `x.cuda(args.device)`."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint import fix

RUNNER = """
import torch


class Runner:
    def __init__(self, args):
        self.args = args
        self.device = args.device

    def run(self, x):
        return {0}
"""


@pytest.mark.parametrize(
    ("option", "move", "is_safe"),
    [
        ('"--device"', "x.cuda(self.args.device)", False),
        ('"--device", default=None', "x.cuda(self.args.device)", False),
        ('"--device", default=None', "x.cuda(self.device)", False),
        ('"--device", type=int, default=0', "x.cuda(self.args.device)", False),
        ('"--device", default=None', "x.cuda(self.args.device) if self.args.device is not None else x", True),
        ('"--device", default="cuda"', "x.cuda(self.args.device)", True),
        ('"--device", required=True', "x.cuda(self.args.device)", True),
        ('"device"', "x.cuda(self.args.device)", True),
    ],
)
def test_an_option_of_another_file_may_be_none(tmp_path: Path, option: str, move: str, is_safe: bool) -> None:
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "options.py").write_text(
        f"import argparse\n\np = argparse.ArgumentParser()\np.add_argument({option})\n"
    )
    program = tmp_path / "runner.py"
    program.write_text(RUNNER.format(move))
    assert (".cuda(" not in fix(program, isolated=True).text) is is_safe


def test_an_option_that_another_file_makes_a_device_is_one(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text("")
    (tmp_path / "main.py").write_text(
        "import argparse\n\np = argparse.ArgumentParser()\np.add_argument('--device')\nargs = p.parse_args()\n"
        "args.device = torch.device(args.device or 'cuda')\n"
    )
    program = tmp_path / "runner.py"
    program.write_text(RUNNER.format("x.cuda(self.args.device)"))
    assert ".cuda(" not in fix(program, isolated=True).text


@pytest.mark.parametrize(
    ("given", "is_safe"),
    [
        ("args.get('device')", False),
        ("args.get('device', None)", False),
        ("getattr(args, 'device', None)", False),
        ("args.get('device', 'cuda')", True),
        ("args['device']", False),
    ],
)
def test_an_entry_that_may_be_missing_is_none(tmp_path: Path, given: str, is_safe: bool) -> None:
    program = tmp_path / "runner.py"
    program.write_text(RUNNER.replace("args.device", given).format("x.cuda(self.device)"))
    assert (".cuda(" not in fix(program, isolated=True).text) is is_safe


@pytest.mark.parametrize(
    "program",
    [
        'import os\nimport torch\n\ndevice = os.environ.get("DEVICE")\ny = z.to(device)\nx = x.cuda()\n',
        'import torch\n\ndevice = config["device"]\ny = z.to(device)\nx = x.cuda()\n',
        "import torch\n\n\ndef f(x, device):\n    y = z.to(device)\n    return x.cuda()\n\n\nf(x, None)\n",
        'import torch\n\n\ndef f(x, device):\n    y = z.to(device)\n    return x.cuda()\n\n\nf(x, "cuda:1")\n',
        'import torch\n\np.add_argument("--device", default="cuda:1")\nargs = p.parse_args()\n'
        "y = z.to(args.device)\nx = x.cuda()\n",
    ],
)
def test_what_may_be_none_or_another_card_is_not_where_the_program_moves(tmp_path: Path, program: str) -> None:
    path = tmp_path / "program.py"
    path.write_text(program)
    after = fix(path, isolated=True).text
    assert "x.to(device)" not in after and "x.to(args.device)" not in after


@pytest.mark.parametrize("load", ['torch.load("a", map_location="cuda")', 'torch.load("a").to(device)'])
def test_an_entry_of_settings_is_no_place_to_load_to(tmp_path: Path, load: str) -> None:
    """It may be a number, which torch.load does not take."""
    path = tmp_path / "program.py"
    path.write_text(f'import torch\n\ndevice = config["device"]\ny = z.to(device)\nstate = {load}\n')
    assert "map_location=device" not in fix(path, isolated=True).text
