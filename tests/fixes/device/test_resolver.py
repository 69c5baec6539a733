"""Where the device comes from: whole programs in ``device_programs``, with the lines that fixing takes away and adds.

``modules``, ``parameters``, ``names``, ``flags``, ``partners`` and ``definitions`` are the steps of the resolver, in its
order; their fixes are safe. ``evidence`` has devices that look as if they were the right ones. A program without marked lines is left as it is.
"""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest
from pyflakes import checker, messages

from devlint.core.target import Target
from devlint.sources.source import Source
from devlint.syntax.parse import compiles
from tests.support import engine
from tests.support.rule_cases import CUDA, rule, source

PROGRAMS = Path(__file__).parent / "device_programs"
STEPS = ("modules", "parameters", "names", "flags", "partners", "definitions", "evidence")
RULES = [rule("DEV101"), rule("DEV105")]
UNBOUND = (messages.UndefinedName, messages.UndefinedLocal, messages.UndefinedExport)


def programs(*steps: str) -> list[tuple[str, str]]:
    """Titles and marked lines of the programs of some steps."""
    found = []
    for step in steps:
        text = (PROGRAMS / f"{step}.txt").read_text(encoding="utf-8")
        for program in text.removeprefix("== ").split("\n== "):
            title, _, lines = program.partition("\n")
            found.append((f"{step}: {title}", lines))
    return found


def unmarked(lines: str, without: str) -> str:
    """A program before (``without`` "+") or after (``without`` "-") it is fixed."""
    kept = [line[2:] for line in lines.rstrip("\n").split("\n") if not line.startswith(without)]
    return "\n".join(kept) + "\n"


def unbound(text: str) -> Counter[str]:
    """Names that pyflakes finds undefined, or used before they are bound, with how often."""
    found = checker.Checker(ast.parse(text)).messages
    return Counter(str(one.message_args[0]) for one in found if isinstance(one, UNBOUND))


def fixed(text: str, unsafe: bool, target: Target = CUDA) -> str:
    """The fixed text, which compiles, is settled, and needs no name that it does not bind."""
    result = engine.fix(source(text), RULES, target, unsafe)
    assert result.failure is None, result.failure
    # A program for a later Python than the one that runs is one before and after.
    assert compiles(result.text) is None or compiles(text) is not None
    assert not unbound(result.text) - unbound(text)
    assert engine.fix(source(result.text), RULES, target, unsafe).text == result.text
    return result.text


@pytest.mark.parametrize(("title", "lines"), programs(*STEPS))
def test_safe(title: str, lines: str) -> None:
    before, after = unmarked(lines, "+"), unmarked(lines, "-")
    assert fixed(before, unsafe=False) == after
    assert fixed(before, unsafe=True) == after


@pytest.mark.parametrize(("title", "lines"), programs("left"))
def test_safe_beside_a_test_that_is_off(title: str, lines: str) -> None:
    before, after = unmarked(lines, "+"), unmarked(lines, "-")
    assert fixed(before, unsafe=False) == after
    assert ".cuda()" in after
    assert ".cuda()" not in fixed(before, unsafe=True)


@pytest.mark.parametrize(("title", "lines"), programs("unsafe"))
def test_unsafe(title: str, lines: str) -> None:
    before, after = unmarked(lines, "+"), unmarked(lines, "-")
    assert fixed(before, unsafe=False) == before
    assert fixed(before, unsafe=True) == after


OPTIONS = """
import argparse, torch
parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", dest="cuda", action="store_false")
def get_args():
    args = parser.parse_args()
    return args
"""
ASKS = OPTIONS.replace("    return", "    args.cuda = args.cuda and torch.cuda.is_available()\n    return")
USES_OPTIONS = """
import torch
from options import get_args
args = get_args()
x = torch.ones(1)
if args.cuda:
    x = x.cuda()
"""


@pytest.mark.parametrize(
    ("options", "test"), [(OPTIONS, "args.cuda and torch.cuda.is_available()"), (ASKS, "args.cuda")]
)
def test_option_of_another_file(tmp_path: Path, options: str, test: str) -> None:
    (tmp_path / "options.py").write_text(options, encoding="utf-8")
    result = engine.fix(Source.from_text(str(tmp_path / "train.py"), USES_OPTIONS), RULES, CUDA)
    assert f'"cuda" if {test} else "cpu"' in result.text


BASE = "class Base:\n    def __init__(self, options):\n        self.use_cuda = {}\n"
USES_BASE = """
import torch
from base import Base


class Model(Base):
    def set_input(self, x):
        if self.use_cuda:
            x = x.cuda()
        self.input = x
"""


@pytest.mark.parametrize(
    ("value", "test"), [("True", "self.use_cuda and torch.cuda.is_available()"), ("options.cuda", "self.use_cuda")]
)
def test_flag_of_a_base_in_another_file(tmp_path: Path, value: str, test: str) -> None:
    (tmp_path / "base.py").write_text(BASE.format(value), encoding="utf-8")
    result = engine.fix(Source.from_text(str(tmp_path / "model.py"), USES_BASE), RULES, CUDA)
    assert f'"cuda" if {test} else "cpu"' in result.text


INITIALIZED = """
import torch
from base import Base


class Model(Base):
    def initialize(self, options):
        {}
        self.net = torch.nn.Linear(2, 2)
        if self.use_cuda:
            self.net = self.net.cuda()
"""


@pytest.mark.parametrize("call", ["Base.initialize(self, options)", "super().initialize(options)"])
def test_flag_that_a_base_in_another_file_sets_above_the_first_use(tmp_path: Path, call: str) -> None:
    base = BASE.format("options.cuda").replace("__init__", "initialize")
    (tmp_path / "base.py").write_text(base, encoding="utf-8")
    result = engine.fix(Source.from_text(str(tmp_path / "model.py"), INITIALIZED.format(call)), RULES, CUDA)
    device = 'device = torch.device("cuda" if self.use_cuda else "cpu")'
    made = "self.net = torch.nn.Linear(2, 2)"
    assert f"        {call}\n        {made}\n        {device}\n        self.net = self.net.to" in result.text


def test_titles_are_told_apart() -> None:
    titles = [title for title, _ in programs(*STEPS, "left", "unsafe")]
    assert len(titles) > 180 and len(titles) == len(set(titles))


ACCELERATOR = Target("accelerator", torch_min_version=(2, 6))
NAMED = Target("project", "torch_device", "from testing_utils import torch_device")
CALLED = Target("project", "get_device()", "from testing_utils import get_device")
WITHOUT_IMPORT = Target("project", "get_device()")
HEAD = "import torch\nimport torch.nn as nn\n"
BODY = "x = torch.ones(1).cuda()\ndef f(y):\n    return y.cuda() + torch.ones(1).cuda(None, True)\n"
MOVED = "x = torch.ones(1).to({0})\ndef f(y):\n    return y.to({0}) + torch.ones(1).to({0}, non_blocking=True)\n"
AVAILABLE = 'torch.accelerator.current_accelerator() if {} else torch.device("cpu")'


@pytest.mark.parametrize(
    ("target", "before", "after"),
    [
        (
            ACCELERATOR,
            HEAD + BODY,
            f"{HEAD}\ndevice = {AVAILABLE.format('torch.accelerator.is_available()')}\n\n{MOVED.format('device')}",
        ),
        (
            ACCELERATOR,
            "import torch\ndef f(x, use_cuda):\n    return x.cuda() if use_cuda else x\n",
            f"import torch\ndef f(x, use_cuda):\n    device = {AVAILABLE.format('use_cuda')}\n    return x.to(device)\n",
        ),
        (
            ACCELERATOR,
            "import torch\ndef f(x):\n    if torch.cuda.is_available():\n        x = x.cuda()\n",
            "import torch\ndef f(x):\n"
            f"    device = {AVAILABLE.format('torch.accelerator.is_available()')}\n    x = x.to(device)\n",
        ),
        (
            ACCELERATOR,
            "import torch\ndef f(x): return x.cuda()\n",
            "import torch\ndef f(x): return "
            'x.to(torch.accelerator.current_accelerator().type if torch.accelerator.is_available() else "cpu")\n',
        ),
        (ACCELERATOR, "import torch\ndef f(x, device): x.cuda()\n", "import torch\ndef f(x, device): x.to(device)\n"),
        # The project's own expression, and its import: once, after the imports.
        (NAMED, HEAD + BODY, f"{HEAD}from testing_utils import torch_device\n{MOVED.format('torch_device')}"),
        (CALLED, HEAD + BODY, f"{HEAD}from testing_utils import get_device\n{MOVED.format('get_device()')}"),
        (  # above what needs it, wherever other imports stand
            CALLED,
            f"try:\n    import torch\nexcept ImportError:\n    torch = None\n{HEAD}"
            "def f(x):\n    return x.cuda()\nf(nn.Linear(1, 1))\nimport json\n",
            f"try:\n    import torch\nexcept ImportError:\n    torch = None\n{HEAD}from testing_utils import get_device\n"
            "def f(x):\n    return x.to(get_device())\nf(nn.Linear(1, 1))\nimport json\n",
        ),
        (
            CALLED,
            "import torch\nfrom testing_utils import get_device\nx = torch.ones(1).cuda()\n",
            "import torch\nfrom testing_utils import get_device\nx = torch.ones(1).to(get_device())\n",
        ),
        (
            CALLED,
            '"""Doc."""\nfrom __future__ import annotations\ndef f(x): return x.cuda()\n',
            '"""Doc."""\nfrom __future__ import annotations\nfrom testing_utils import get_device\n'
            "def f(x): return x.to(get_device())\n",
        ),
        (
            NAMED,
            "import torch\ndef f(x, device, use_cuda):\n    if use_cuda:\n        x = x.cuda()\n",
            "import torch\nfrom testing_utils import torch_device\n"
            "def f(x, device, use_cuda):\n    if use_cuda:\n        x = x.to(torch_device)\n",
        ),
        (
            WITHOUT_IMPORT,
            "import torch\ndef get_device(): return 'cpu'\nx = torch.ones(1).cuda()\n",
            "import torch\ndef get_device(): return 'cpu'\nx = torch.ones(1).to(get_device())\n",
        ),
        (
            WITHOUT_IMPORT,
            "import torch\nfrom util import *\nx = torch.ones(1).cuda()\n",
            "import torch\nfrom util import *\nx = torch.ones(1).to(get_device())\n",
        ),
    ],
)
def test_targets(target: Target, before: str, after: str) -> None:
    assert fixed(before, unsafe=True, target=target) == after


@pytest.mark.parametrize(
    ("target", "text"),
    [
        (NAMED, "import torch\ndef f(torch_device, x):\n    return x.cuda()\n"),
        (CALLED, "import torch\ndef get_device(x):\n    return x.cuda().device\n"),
        (WITHOUT_IMPORT, "import torch\nx = torch.ones(1).cuda()\n"),
        (Target("project", "x"), "import torch\nx = torch.ones(1).cuda()\n"),
        (Target("project", "d"), "import torch\ndef f(x):\n    x.cuda()\n    d = 'cpu'\n    return d\n"),
        (Target("project"), "import torch\nx = torch.ones(1).cuda()\n"),
    ],
)
def test_a_project_without_its_expression_here(target: Target, text: str) -> None:
    assert fixed(text, unsafe=True, target=target) == text


def test_the_device_is_below_all_the_imports_that_torch_begins() -> None:
    head = (
        "import sys\nfor path in sys.path:\n    print(path)\nimport torch\nfrom tqdm import tqdm\n"
        "try:\n    import apex\nexcept ImportError:\n    apex = None\n"
    )
    definition = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'
    after = fixed(f"{head}print(tqdm)\nimport json\nx = torch.ones(1).cuda()\n", unsafe=False)
    assert after == f"{head}\n{definition}\n\nprint(tqdm)\nimport json\nx = torch.ones(1).to(device)\n"


@pytest.mark.parametrize(
    ("start", "call"),
    [
        ("if data:\n    net = ", "get_device()"),
        ("class Kept:\n    net = ", '"cuda" if torch.cuda.is_available() else "cpu"'),
    ],
)
def test_a_statement_that_can_have_no_definition_asks_the_function_of_the_others(start: str, call: str) -> None:
    text = (
        "import multiprocessing\n\nimport torch\n\n\ndef read(names):\n    with multiprocessing.Pool(2) as pool:\n"
        "        return pool.map(len, names)\n\n\ndef train(net, x):\n    return net(x.cuda())\n\n\n"
        "def test(net, x):\n    return net(x.cuda())\n\n\ndata = read(['a', 'b'])\n"
    )
    after = fixed(f"{text}{start}torch.nn.Linear(2, 2).cuda()\n", unsafe=False)
    assert "def get_device():" in after
    assert after.endswith(f"\n{start}torch.nn.Linear(2, 2).to({call})\n")


def test_statements_that_can_have_no_definition_share_one_function() -> None:
    begin = (
        "import multiprocessing\n\nimport torch\n\n\ndef read(names):\n    with multiprocessing.Pool(2) as pool:\n"
        "        return pool.map(len, names)\n\n\ndef test(net, x):\n    return net(x.cuda())\n\n\ndata = read(['a', 'b'])\n"
    )
    net = "if data:\n    net = torch.nn.Linear(2, 2).cuda()\n"
    after = fixed(begin + net, unsafe=False)
    assert "def get_device():" in after and after.count("get_device()") == 3
    main = fixed(f'{begin}if __name__ == "__main__":\n    net = torch.nn.Linear(2, 2).cuda()\n', unsafe=False)
    assert "def get_device():" not in main
