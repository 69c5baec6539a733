"""What flags are on a machine without CUDA, where nobody asks for it."""

from __future__ import annotations

from pathlib import Path

import libcst as cst
import pytest

from devlint.analysis.cuda.values_without_cuda import value_without_cuda
from devlint.sources.source import Source
from devlint.syntax.file_context import FileContext
from tests.support.projects import write_files

ASKS = "torch.cuda.is_available()"
PARSER = "import argparse\nparser = argparse.ArgumentParser()\n"
ARGS = "args = parser.parse_args()\n"
OTHERS = {
    "settings.py": f"{PARSER}parser.add_argument('--cuda', action='store_true')\nif big:\n    USE = True\n{ARGS}USE = args.cuda\n",
    "holder.py": "class Names:\n    GPU = True\n    CARDS = 0\n",
    "asked.py": f"import torch\ndef wants_gpu():\n    return {ASKS}\n",
    "runs.py": f"import torch\nfrom main import move, Net\nmove(1, {ASKS})\nNet(on={ASKS})\n",
    "options.py": f"{PARSER}parser.add_argument('--card', action='store_true')\n",
}
OPTION = PARSER + "parser.add_argument('--cuda', {})\n" + ARGS + "if args.cuda:\n    here\n"
NAMED = [
    (f"cuda = {ASKS}\nif cuda:\n    here\n", False),
    (f"cuda = not {ASKS}\nif cuda:\n    here\n", True),
    (f"cuda = {ASKS} and other\nif cuda:\n    here\n", False),
    (f"cuda = {ASKS} or other\nif cuda:\n    here\n", None),
    (f"cuda = True if {ASKS} else False\nif cuda:\n    here\n", False),
    ("cuda = 'on' if other else True\nif cuda:\n    here\n", True),
    ("cuda = [] if other else None\nif cuda:\n    here\n", False),
    (f"cuda = choose()\ncuda &= {ASKS}\nif cuda:\n    here\n", None),
    ("cuda = 0\nif cuda:\n    here\n", False),
    ("cards = torch.cuda.device_count()\nif cards > 0:\n    here\n", False),
    ("cards = []\nif len(cards) >= 1:\n    here\n", False),
    ("cards = [0]\nif len(cards) >= 1:\n    here\n", True),
    ("if x.is_cuda:\n    here\n", False),
    ("if is_cuda(x):\n    here\n", False),
    ("if not x.is_cuda:\n    here\n", True),
    ("for cuda in x:\n    if cuda:\n        here\n", None),
    ("if cuda:\n    here\n", None),
    ("if choose():\n    here\n", None),
    ("x.cuda = x.cuda\nif x.cuda:\n    here\n", None),
    (OPTION.format("action='store_true'"), False),
    (OPTION.format("action='store_false'"), True),
    (OPTION.format("action='store_true', default=True"), True),
    (OPTION.format("type=int, default=1"), True),
    (OPTION.format("type=str2bool, default='False'"), False),
    (OPTION.format("type=str2bool, default='yes'"), True),
    (OPTION.format(f"type=bool, default={ASKS}"), False),
    (OPTION.format("nargs='+', default=[]"), False),
    (OPTION.format("type=int"), False),
    (OPTION.format("type=int, required=True"), None),
    (OPTION.replace("if ", f"args.cuda = args.cuda and {ASKS}\nif ").format("default=True"), False),
    ("def f(x, cuda=False):\n    if cuda:\n        here\n", False),
    ("def f(x, cuda=True):\n    if cuda:\n        here\n", True),
    ("def f(x, cuda):\n    if cuda:\n        here\n", None),
    (f"def f(x, cuda=True):\n    if cuda:\n        here\nf(1, {ASKS})\nf(2, cuda=False)\n", False),
    (f"def f(x, cuda=True):\n    if cuda:\n        here\nf(1, {ASKS})\nf(2)\n", None),
    ("def f(x, cuda=True):\n    if cuda:\n        here\nf(*y)\n", None),
    (f"def g(cuda=True):\n    pass\ndef f(cuda):\n    if cuda:\n        here\nf({ASKS})\n", False),
    ("def g(cuda=True):\n    cuda = 1\ndef f():\n    cuda = False\n    if cuda:\n        here\n", None),
    (f"cuda = {ASKS}\ndef f(cuda):\n    if cuda:\n        here\nf(cuda)\n", False),
    (
        f"class A:\n    def __init__(self, on):\n        self.on = on\n    def f(self):\n        if self.on:\n            here\nA({ASKS})\n",
        False,
    ),
    ("class A:\n    on = False\n    def f(self):\n        if self.on:\n            here\n", False),
    ("def move(x, cuda=True):\n    if cuda:\n        here\n", False),
    ("class Net:\n    def __init__(self, on=True):\n        if on:\n            here\n", False),
    ("class Other:\n    def __init__(self, on=True):\n        if on:\n            here\n", True),
    ("import settings\nif settings.USE:\n    here\n", False),
    ("from settings import USE\nif USE:\n    here\n", False),
    ("from settings import USE as there\nif there:\n    here\n", False),
    ("from holder import Names\nif Names.GPU:\n    here\n", True),
    ("from holder import Names\nif Names.CARDS:\n    here\n", False),
    ("from asked import wants_gpu\nif wants_gpu():\n    here\n", False),
    ("def f(args):\n    if args.card:\n        here\n", False),
    ("if config['use_cuda']:\n    here\nconfig['use_cuda'] = False\n", False),
]


@pytest.mark.parametrize(("text", "expected"), NAMED)
def test_flags(tmp_path: Path, text: str, expected: bool | None) -> None:
    text = f"import torch\n{text}"
    folder = write_files(tmp_path / "p", {**OTHERS, "main.py": text})
    ctx = FileContext(Source.from_text(str(folder / "main.py"), text))
    for _ in range(2):
        (test,) = [one.test for one in ctx.tree.of_type(cst.If) if "here" in ctx.text_of(one.body)]
        assert value_without_cuda(ctx, test) is expected


def test_a_class_of_the_same_name_in_another_file_is_another(tmp_path: Path) -> None:
    text = f"import torch\nclass Net:\n    def __init__(self, on):\n        if on:\n            here\nNet({ASKS})\n"
    other = "class Net:\n    def __init__(self, on):\n        pass\nNet(True)\n"
    folder = write_files(tmp_path / "p", {"main.py": text, "other.py": other})
    ctx = FileContext(Source.from_text(str(folder / "main.py"), text))
    (test,) = [one.test for one in ctx.tree.of_type(cst.If)]
    assert value_without_cuda(ctx, test) is False
