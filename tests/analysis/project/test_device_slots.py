"""Arguments of the project's own functions that only say where something is put."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint.core.target import ConfiguredSlot, Target
from tests.support.projects import fix_files, write_files
from tests.support.rule_cases import fixed as fixed_by

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


def again(x, device=None):
    device = device or DEFAULT
    return [again(one, device) for one in x] if isinstance(x, list) else x.to(device)


def pinned(x, device):
    return torch.tensor(x, device=device, pin_memory=str(device) == "cpu")


def told(x, device):
    return x.to(device) if str(device) == "cuda" else x


def library(x, device):
    return load(x, device=device)


class Net(torch.nn.Module):
    def placed(self, x, device):
        return x.to(device)

    @classmethod
    def zeros(cls, n, device):
        return torch.zeros(n, device=device)

    def told(self, x, device):
        return library(x, device)


class Heir(Net):
    pass


class Keeper:
    def __init__(self, device):
        self.device = device
        self.x = torch.zeros(3, device=self.device)


class Teller:
    def __init__(self, device):
        self.device = device
        print(self.device)


class Trainer:
    def __init__(self, device):
        self.device = torch.device(device)

    def run(self, x):
        return x.to(self.device) if self.device.type == "cuda" else x


class StandIn:
    def __init__(self, device):
        self.device = torch.device(device)


def stand_in(device):
    made = Trainer.__new__(Trainer)
    made.device = torch.device(device)
    return made


def scaler(device, **options):
    from torch.amp import GradScaler
    return GradScaler(device=device, **options)


def read(path, location="cpu"):
    if path.endswith(".safetensors"):
        import safetensors.torch
        return safetensors.torch.load_file(path, device=location)
    return torch.load(path, map_location=torch.device(location))


def loaded(path, location):
    return torch.load(path, map_location=location)
"""
DEVICE = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'
SEEN = ["noise(3, {})", "noise(3, device={})", "util.noise(3, {})", "Sampler(4, {})", "nested(3, device={})"]
SEEN += ["Net().placed(x, {})", "Heir().placed(x, {})", "Heir().zeros(3, {})", "Net().placed(x, device={})"]
NOT_SEEN = ["noise({}, 3)", "noise(*x, {})", "print(x, {})", "library(x, {})", "x.noise(3, {})"]
SEEN += ["again(x, {})", "pinned(x, {})", "loaded(x, {})", "loaded(x, location={})"]
AS_STRING = ["Keeper({})", "Keeper(device={})", "read(x, location={})", "read(x, {})", "util.read(x, {})"]
NAMES = "again, Heir, Keeper, Net, Sampler, StandIn, Teller, Trainer, library, loaded, nested, noise, pinned, printed"
NAMES += ", read, scaler, stand_in, told"
SEEN += ["Trainer({})"]
NOT_SEEN += ["StandIn({})", "stand_in({})", "scaler({})"]
NOT_SEEN += ["told(x, {})", "Teller({})", "read({}, x)"]
NOT_SEEN += ["Net().told(x, {})", "Net().placed({}, x)", "Net().other(x, {})", "x.placed(x, {})"]


def fixed(tmp_path: Path, call: str) -> str:
    use = f"import torch\nimport util\nfrom util import {NAMES}\n\n\ndef run(x):\n    return {call}\n"
    files = {"pyproject.toml": "", "util.py": UTIL, "use.py": use}
    return fix_files(write_files(tmp_path / "p", files), unsafe=False).get("use.py", use)


@pytest.mark.parametrize("call", SEEN)
def test_a_string_that_is_only_placed(tmp_path: Path, call: str) -> None:
    text = fixed(tmp_path, call.format('"cuda"'))
    assert DEVICE in text
    assert f"return {call.format('device')}" in text


@pytest.mark.parametrize("call", [one for one in AS_STRING if "device=" not in one])
def test_a_string_that_stays_one(tmp_path: Path, call: str) -> None:
    choice = '"cuda" if torch.cuda.is_available() else "cpu"'
    assert f"return {call.format(choice)}" in fixed(tmp_path, call.format('"cuda"'))


@pytest.mark.parametrize("call", AS_STRING)
def test_a_string_that_stays_one_beside_a_device(tmp_path: Path, call: str) -> None:
    text = fixed(tmp_path, f"{call.format(chr(34) + 'cuda' + chr(34))}, x.cuda()")
    assert DEVICE in text
    assert f"return {call.format('device.type')}, x.to(device)" in text


@pytest.mark.parametrize("call", NOT_SEEN)
def test_a_string_that_may_be_more(tmp_path: Path, call: str) -> None:
    assert call.format('"cuda"') in fixed(tmp_path, call.format('"cuda"'))


OWN = """import torch


class Net(torch.nn.Module):
    def run(self):
        return self.noise(3, "cuda")

    def noise(self, n, device):
        return torch.randn(n, device=device)
"""
HEIR = """class Heir(Net):
    def noise(self, n, device):
        print(device)
"""


def test_a_method_of_the_instance_itself(tmp_path: Path) -> None:
    files = {"pyproject.toml": "", "net.py": OWN}
    assert "self.noise(3, device)" in fix_files(write_files(tmp_path / "p", files), unsafe=False)["net.py"]


HELD = """import torch
from util import Keeper, Net


class Test:
    def start(self):
        self.net = Net()

    def run(self, x):
        {}return self.net.placed(x, "cuda")
"""


def test_a_method_of_what_the_instance_has(tmp_path: Path) -> None:
    for more, count in (("", 0), ("self.net = Keeper(x)\n        ", 1)):
        text = HELD.format(more)
        files = write_files(tmp_path / f"p{count}", {"pyproject.toml": "", "util.py": UTIL, "use.py": text})
        assert fix_files(files, unsafe=False).get("use.py", text).count('placed(x, "cuda")') == count


@pytest.mark.parametrize(
    "others",
    [{"net.py": OWN + "\n\n" + HEIR}, {"net.py": OWN, "heir.py": "from net import Net\n\n\n" + HEIR}],
    ids=["same file", "other file"],
)
def test_a_method_that_another_class_overrides(tmp_path: Path, others: dict[str, str]) -> None:
    assert fix_files(write_files(tmp_path / "p", {"pyproject.toml": "", **others}), unsafe=False) == {}


@pytest.mark.parametrize("call", ["launch(x, {})", "launch(x, where={})", "Engine().load({})", "lib.Engine().load({})"])
def test_functions_that_the_configuration_names(call: str) -> None:
    use = f"import lib\nimport torch\nfrom lib import Engine, launch\n\n\ndef run(x):\n    return {call}\n"
    target = Target(slots=(ConfiguredSlot("lib.launch", "where", 1), ConfiguredSlot("Engine.load", "d", 0)))
    assert call.format("device") in fixed_by("DEV102", use.format('"cuda"'), target=target)
    assert call.format('"cuda"') in fixed_by("DEV102", use.format('"cuda"'))
