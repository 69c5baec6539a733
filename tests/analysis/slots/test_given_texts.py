"""Parameters that are annotated as a `torch.device` and get a string."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

STEP = """import torch


def step(net, x, device: torch.device):
    with torch.cuda.amp.autocast():
        return net(x.to(device))


def run(net, x, device: torch.device):
    return step(net, x, device)
"""
CALLS = [
    ("step(net, x, torch.device('cuda'))", False),
    ("step(net, x, x.device)", False),
    ("step(net, x, device=unknown())", False),
    ("step(net, x, 'cuda')", True),
    ("step(net, x, device=f'cuda:{n}')", True),
    ("step(net, x, 'cuda' if n else torch.device('cpu'))", True),
    ("run(net, x, 'cuda')", True),
    ("run(net, x, torch.device('cuda'))", False),
    ("step(net, x, where)", True),
    ("step(net, x, args.device)", True),
]


@pytest.mark.parametrize(("call", "is_text"), CALLS)
def test_a_string_for_a_parameter_that_is_annotated_as_a_device(tmp_path: Path, call: str, is_text: bool) -> None:
    use = (
        "import argparse\n\nimport torch\nfrom steps import run, step\n\nparser = argparse.ArgumentParser()\n"
        "parser.add_argument('--device', default='cpu')\nargs = parser.parse_args()\n\n\n"
        f"def main(net, x, n):\n    where = 'cpu'\n    if n:\n        where = f'cuda:{{n}}'\n    {call}\n"
    )
    files = write_files(tmp_path / "p", {"pyproject.toml": "", "steps.py": STEP, "use.py": use})
    text = fix_files(files, unsafe=False)["steps.py"]
    assert ("torch.device(device).type" in text) is is_text
    assert ("device_type=device.type" in text) is not is_text


@pytest.mark.parametrize(("default", "asked"), [("=None", False), ("", True)])
def test_options_of_a_class_whose_device_is_none_by_default(tmp_path: Path, default: str, asked: bool) -> None:
    options = f"class Context:\n    def __init__(self, net, device{default}):\n        self.net = net\n        self.device = device\n"
    step = (
        "import torch\nfrom options import Context\n\n\ndef step(x, context: Context):\n    x = x.to(context.device)\n"
        "    with torch.cuda.amp.autocast():\n        return context.net(x)\n"
    )
    files = write_files(tmp_path / "p", {"pyproject.toml": "", "options.py": options, "steps.py": step})
    text = fix_files(files, unsafe=False).get("steps.py", step)
    assert ("torch.device(context.device).type" in text) is asked
