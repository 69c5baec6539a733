"""Dictionaries of settings that name a device, and the functions that get them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

UTIL = """import torch


def train(config):
    return torch.zeros(2, device=config["device"])


def nested(config):
    return torch.device(config["run"]["device"])


def handed(epochs, config):
    print(epochs)
    train(config=config)


def changed(config):
    config["device"] = "cpu"
    return torch.device(config["device"])


def other(config):
    config = {"device": "cpu"}
    return torch.device(config["device"])


def printed(config):
    print(config["device"])


def spread(device, n=1):
    return torch.zeros(n, device=device)


def told(device, n=1):
    print(device)


class Trainer:
    def __init__(self, config):
        self.device = torch.device(config["device"])
"""
NAMES = "Trainer, changed, handed, nested, other, printed, spread, told, train"
CHOICE = '"cuda:0" if torch.cuda.is_available() else "cpu"'
FLAT = 'config = {"n": 2, "device": "cuda:0"}'
PLACED = [
    (FLAT, "train(config)"),
    (FLAT, "train(config=config)"),
    (FLAT, "handed(3, config)"),
    (FLAT, "Trainer(config)"),
    (FLAT, "spread(**config)"),
    (FLAT, "if given:\n        config = given\n    train(config)"),
    ('config = dict(device="cuda:0")', "train(config)"),
    ('config = {"run": {"device": "cuda:0"}}', "nested(config)"),
]
NOT_PLACED = [
    (FLAT, "printed(config)"),
    (FLAT, "changed(config)"),
    (FLAT, "other(config)"),
    (FLAT, "told(**config)"),
    (FLAT, "nested(config)"),
    (FLAT, "train(*config)"),
    (FLAT, "train(given, config)"),
    (FLAT, "unknown(config)"),
    (FLAT, "config = given\n    train(config)"),
    (FLAT, 'config["device"] = given\n    train(config)'),
    (FLAT, "if torch.cuda.is_available():\n        train(config)"),
]


def fixed(folder: Path, settings: str, use: str) -> str:
    text = f"import torch\nfrom util import {NAMES}\n\n\ndef main(given):\n    {settings}\n    {use}\n"
    return fix_files(write_files(folder / "p", {"util.py": UTIL, "use.py": text})).get("use.py", text)


@pytest.mark.parametrize(("settings", "use"), PLACED)
def test_a_function_that_places_by_an_item(tmp_path: Path, settings: str, use: str) -> None:
    assert settings.replace('"cuda:0"', CHOICE) in fixed(tmp_path, settings, use)


@pytest.mark.parametrize(("settings", "use"), NOT_PLACED)
def test_a_function_that_may_not(tmp_path: Path, settings: str, use: str) -> None:
    assert settings in fixed(tmp_path, settings, use)


def test_a_function_of_the_file_itself(tmp_path: Path) -> None:
    text = UTIL.partition("\n\n\ndef nested")[0] + f"\n\n\ndef main():\n    {FLAT}\n    train(config)\n"
    assert CHOICE in fix_files(write_files(tmp_path / "p", {"use.py": text}))["use.py"]
