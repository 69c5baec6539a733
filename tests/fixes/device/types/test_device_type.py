from __future__ import annotations

from textwrap import dedent

import libcst as cst
import pytest

from devlint.analysis.names.bindings import dotted_name
from devlint.core.target import Target
from devlint.fixes.device.types.device_type import DeviceType, device_type
from devlint.sources.source import Source
from devlint.syntax.file_context import FileContext

AVAILABLE = "torch.cuda.is_available()"


def asked(text: str, target: Target | None = None) -> DeviceType | None:
    """The type of the device where ``text`` calls ``here()``."""
    text = dedent(text).lstrip("\n")
    ctx = FileContext(Source.from_text("case.py", text if "import" in text else f"import torch\n{text}"), target)
    return device_type(ctx, next(one for one in ctx.tree.of_type(cst.Call) if dotted_name(one.func) == "here"))


DEVICES = [
    f'device = torch.device("cuda" if {AVAILABLE} else "cpu")\nhere()\n',
    f'device = torch.device("cuda:1" if {AVAILABLE} else "cpu")\nhere()\n',
    "def f(device: torch.device):\n    here(device=device)\n    x.to(device)\n",
    "def f(device):\n    x.to(device)\n    here()\n\n\ndevice = torch.device('cuda')\nf(device)\nf(device=device)\n",
    "def f(device):\n    x.to(device)\n    y = device.type == 'mps'\n    here()\n",
    "here()\nloss.backward()\n",
]


@pytest.mark.parametrize("text", DEVICES)
def test_devices(text: str) -> None:
    found = asked(text)
    assert found is not None and (found.expression, found.not_cpu) == ("device.type", 'device.type != "cpu"')
    assert found.caveat is None


WORDS = [
    f'device = "cuda" if {AVAILABLE} else "cpu"\nhere()\n',
    f'device = "cpu"\nif {AVAILABLE}:\n    device = "cuda"\nhere()\n',
]


@pytest.mark.parametrize("text", WORDS)
def test_words(text: str) -> None:
    found = asked(text)
    assert found is not None and (found.expression, found.not_cpu) == ("device", 'device != "cpu"')


BESIDE = [
    "device_type = choose()\nranks, device = begin(device_type)\nif device_type == 'cuda':\n    pass\nx.to(device)\nhere()\n",
    'device_type = "cuda" if "cuda" in device else "cpu"\nhere()\n',
]


@pytest.mark.parametrize("text", BESIDE)
def test_a_type_beside_the_device(text: str) -> None:
    found = asked("device = str(choose())\nx.to(device)\n" + text)
    assert found is not None and (found.expression, found.not_cpu) == ("device_type", 'device_type != "cpu"')


@pytest.mark.parametrize("text", ['device_type = "cuda"', "device_type = device"])
def test_what_may_not_be_the_type_of_the_device(text: str) -> None:
    found = asked(f"device = str(choose())\nx.to(device)\n{text}\nhere()\n")
    assert found is not None and found.expression == "torch.device(device).type"


INSTANCE = "class A:\n    def __init__(self, {1}):\n        {0}.device = {2}\n\n    def f(self, x):\n        x.to({0}.device)\n        here()\n"


def test_a_word_of_an_instance_that_nobody_else_gives() -> None:
    word = f'"cuda" if {AVAILABLE} else "cpu"'
    found = asked(INSTANCE.format("self", "x", word))
    assert found is not None and (found.expression, found.not_cpu) == ("self.device", 'self.device != "cpu"')
    assert asked(INSTANCE.format("self", "device", "device")) != found


EITHER = [
    f'device = "cuda:0" if {AVAILABLE} else "cpu"\nhere()\n',
    "def f(device):\n    x.to(device)\n    here()\n",
    "def f(device):\n    x.to(device)\n    here()\n\n\nf('cuda:0')\n",
    "def f(device):\n    x.to(device)\n    here()\n\n\nmap(f, [])\n",
    "def f(device: str):\n    x.to(device)\n    here()\n",
    "def f(device='cuda'):\n    x.to(device)\n    here()\n",
]


@pytest.mark.parametrize("text", EITHER)
def test_what_may_be_either_is_made_a_device(text: str) -> None:
    found = asked(text)
    assert found is not None
    assert (found.expression, found.not_cpu) == ("torch.device(device).type", 'not str(device).startswith("cpu")')


def test_attributes() -> None:
    args = "args = parse()\n{}x.to(args.device)\nhere()\n"
    found = asked(args.format(""))
    assert found is not None and found.expression == "torch.device(args.device).type"
    found = asked(args.format("args.device = torch.device('cuda')\n"))
    assert found is not None and found.expression == "args.device.type"


def test_the_modules_own_tensor() -> None:
    found = asked(
        """
        import torch

        class Net(torch.nn.Module):
            def forward(self, x):
                x = self.fc(x).view(1)
                return x[: x.size(0)] + here()
        """
    )
    assert found is not None and found.expression == "x.device.type"


def test_a_device_that_may_be_none_has_no_type() -> None:
    assert asked("def f(device=None):\n    x.to(device)\n    here()\n") is None


def test_in_place() -> None:
    found = asked("import torch\n\nclass A:\n    def f(self): return here()\n")
    assert found is not None
    assert (found.expression, found.not_cpu) == (f'"cuda" if {AVAILABLE} else "cpu"', AVAILABLE)


def test_another_card_is_of_the_same_type() -> None:
    found = asked('def f(i):\n    device = torch.device(f"cuda:{i}")\n    here()\n')
    assert found is not None and (found.expression, found.caveat) == ("device.type", None)


def test_targets() -> None:
    found = asked("here()\n", Target("project", "get_device()", "from here import get_device"))
    assert found is not None and found.expression == "torch.device(get_device()).type"
    found = asked("import torch\n\nclass A:\n    def f(self): return here()\n", Target("accelerator"))
    assert found is not None and found.not_cpu == "torch.accelerator.is_available()"
