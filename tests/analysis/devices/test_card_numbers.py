"""What is the number of a card, or None, whatever the program does."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint.analysis.devices.card_numbers import is_number
from tests.support.projects import fix_files, write_files
from tests.support.questions import asked

CASES = [
    ("ask(1)", True),
    ("ask(None)", True),
    ("ask('a')", False),
    ("ask(1.5)", False),
    ("ask(x)", False),
    ("ask(1 + 2)", True),
    ("ask(1 % 2)", True),
    ("ask(3 / 2)", False),
    ("ask(1 + x)", False),
    ("ask(x + 1)", False),
    ("ask(1 or 2)", True),
    ("ask(x or 1)", False),
    ("ask(1 if a else 2)", True),
    ("ask(1 if a else 'a')", False),
    ("ask('a' if a else 1)", False),
    ("ask(len(x))", True),
    ("ask(int(x))", True),
    ("ask(str(x))", False),
    ("def len(x): pass\nask(len(x))", False),
    ("ask(torch.cuda.device_count())", True),
    ("ask(torch.cuda.current_device())", True),
    ("ask(torch.distributed.get_rank())", True),
    ("ask(f())", False),
    ("n = 1\nask(n)", True),
    ("n = 'a'\nask(n)", False),
    ("n = 1\nn = 'a'\nask(n)", False),
    ("n = 1\nn += 1\nask(n)", True),
    ("n = 1\nn /= 2\nask(n)", False),
    ("n = 1\nn += x\nask(n)", False),
    ("n = 1\nn = n + 1\nask(n)", True),
    ("for i in range(3):\n    ask(i)", True),
    ("for i in x:\n    ask(i)", False),
    ("for i, y in enumerate(x):\n    ask(i)", True),
    ("for y, i in enumerate(x):\n    ask(i)", False),
    ("for i, y in zip(x):\n    ask(i)", False),
    ("for (i, j) in range(3):\n    ask(i)", False),
    ("[ask(i) for i in range(3)]", True),
    ("def f(n: int):\n    ask(n)", True),
    ("def f(n: str):\n    ask(n)", False),
    ("def f(n):\n    ask(n)", False),
    ("def f(n=1):\n    ask(n)", False),
    ("def f(n: int = 'a'):\n    ask(n)", False),
    ("def f(n=None):\n    ask(n)\nf(1)", True),
    ("def f(n):\n    ask(n)\nf(1)\nf(2)", True),
    ("def f(n):\n    ask(n)\nf(1)\nf('a')", False),
    ("def f(n):\n    ask(n)\nf()", False),
    ("def f(n):\n    ask(n)\n    f(n)\nf(1)", True),
    ("def f(n):\n    ask(n)\n    f(n - 1)\nf(1)", True),
    ("def f(n):\n    ask(n)\ng(f)", False),
    ("import torch.multiprocessing as mp\ndef f(n):\n    ask(n)\nmp.spawn(f)", True),
    ("with a as n:\n    ask(n)", False),
    ("import n\nask(n)", False),
    ("class A:\n    def __init__(self):\n        self.n = 1\n    def f(self):\n        ask(self.n)", True),
    ("class A:\n    def __init__(self):\n        self.n = 'a'\n    def f(self):\n        ask(self.n)", False),
    ("class A:\n    def __init__(self, n: int):\n        self.n = n\n    def f(self):\n        ask(self.n)", True),
    (
        "class A:\n    def __init__(self):\n        self.n = 1\n        self.n += 1\n    def f(self):\n        ask(self.n)",
        False,
    ),
    (
        "class A:\n    def __init__(self):\n        self.n = 1\n    def f(self):\n        for self.n in x:\n            pass\n        ask(self.n)",
        False,
    ),
    ("class A:\n    def f(self):\n        ask(self.n)", False),
    ("class A:\n    def __init__(self):\n        self.n = 1\n    def f(self):\n        ask(self.n.m)", False),
    (
        "class A:\n    def __init__(self):\n        self.n = 1\n        setattr(self, 'n', 'a')\n    def f(self):\n        ask(self.n)",
        False,
    ),
    ("class A:\n    n: int = 1\n    def f(self):\n        ask(self.n)", False),
    ("n = [0, 1]\nask(n[0])", True),
    ("n = (0, f())\nask(n[0])", False),
    ("n = list(range(f()))\nask(n[0])", True),
    ("n = range(f())\nask(n[-1])", True),
    ("n = sorted(f())\nask(n[0])", False),
    ("n = [int(one) for one in f()]\nif f():\n    n = [0]\nask(n[f()])", True),
    ("n = [one for one in f()]\nask(n[0])", False),
    ("n = [0, 1]\nask(n[:1])", False),
    ("n = [0, 1]\nn.append(f())\nask(n[0])", False),
    ("n = [0, 1]\nn[0] = f()\nask(n[0])", False),
    ("n = [0, 1]\nn += f()\nask(n[0])", False),
    ("list = f\nn = list([0, 1])\nask(n[0])", False),
    ("p = argparse.ArgumentParser()\np.add_argument('--n', type=int)\nargs = p.parse_args()\nask(args.n)", True),
    ("p = argparse.ArgumentParser()\np.add_argument('--n')\nargs = p.parse_args()\nask(args.n)", False),
    (
        "p = argparse.ArgumentParser()\np.add_argument('--n', type=int)\nargs = p.parse_args()\nargs.n = 'a'\nask(args.n)",
        False,
    ),
    (
        "p = argparse.ArgumentParser()\np.add_argument('--n', type=int)\nargs = p.parse_args()\nargs.n = 2\nask(args.n)",
        True,
    ),
    ("p = argparse.ArgumentParser()\np.add_argument('--n', type=int)\nargs = p.parse_args()\nask(args.m)", False),
    (
        "p = argparse.ArgumentParser()\np.add_argument('--n', type=int)\nargs = p.parse_args()\ndef f(a):\n    ask(a.n)\nf(args)",
        True,
    ),
    (
        "p = argparse.ArgumentParser()\np.add_argument('--n', type=int)\nargs = p.parse_args()\ndef f(a):\n    ask(a.n)\nf(other)",
        False,
    ),
    (
        "p = argparse.ArgumentParser()\np.add_argument('--n', type=int)\nargs = p.parse_args()\ndef f(a):\n    ask(a.n)\n    f(a)\nf(args)",
        True,
    ),
    ("p = argparse.ArgumentParser()\np.add_argument('--n', type=int)\nargs = p.parse_args()\nask(other.n)", False),
    ("p = argparse.ArgumentParser()\np.add_argument('--n', type=int)\nargs = p.parse_args()\nask(f().n)", False),
    (
        "p = argparse.ArgumentParser()\np.add_argument('--n', type=int)\ndef options():\n    o = p.parse_args()\n    return o\nargs = options()\nask(args.n)",
        True,
    ),
    (
        "p = argparse.ArgumentParser()\np.add_argument('--n', type=int)\ndef options():\n    o = p.parse_args()\n    return o\nask(options().n)",
        False,
    ),
    (
        "p = argparse.ArgumentParser()\np.add_argument('--n', type=int)\ndef options():\n    o = p.parse_args()\n    return o\ndef main():\n    a = options()\n    f(a)\ndef f(b):\n    ask(b.n)\nmain()",
        True,
    ),
    (
        "p = argparse.ArgumentParser()\np.add_argument('--n', type=int)\ndef options():\n    if x:\n        return p.parse_args()\n    return y\nargs = options()\nask(args.n)",
        False,
    ),
    (
        "p = argparse.ArgumentParser()\np.add_argument('--n', type=int)\ndef options():\n    def inner():\n        return 1\n    return p.parse_args()\nargs = options()\nask(args.n)",
        True,
    ),
    (
        "p = argparse.ArgumentParser()\np.add_argument('--n', type=int)\ndef options():\n    p.parse_args()\nargs = options()\nask(args.n)",
        False,
    ),
    (
        "p = argparse.ArgumentParser()\np.add_argument('--n', type=int)\n@cached\ndef options():\n    return p.parse_args()\nargs = options()\nask(args.n)",
        False,
    ),
    (
        "p = argparse.ArgumentParser()\np.add_argument('--n', type=int)\ndef options():\n    o = p.parse_args()\n    return o\nargs = options()\nargs = other\nask(args.n)",
        False,
    ),
    (
        "p = argparse.ArgumentParser()\np.add_argument('--n', type=int)\nif x:\n    args = p.parse_args(y)\nelse:\n    args = p.parse_args()\nask(args.n)",
        True,
    ),
    (
        "p = argparse.ArgumentParser()\np.add_argument('--n', type=int)\nargs = p.parse_args()\nprint([args.n])\nask(args.n)",
        True,
    ),
    (
        "p = argparse.ArgumentParser()\np.add_argument('--n', type=int)\nargs = p.parse_args()\n[args.n] = x\nask(args.n)",
        False,
    ),
    ("def f(n: int, o):\n    o.n = n\n    ask(o.n)", True),
    ("def f(n: str, o):\n    o.n = n\n    ask(o.n)", False),
    ("def f(n: int, o):\n    if n:\n        o.n = n\n    ask(o.n)", False),
    ("def f(n: int, o):\n    ask(o.n)\n    o.n = n", False),
    ("def f(n: int, o):\n    o.n = n\n    o = g()\n    ask(o.n)", False),
    ("def f(n: int, o):\n    o.n = n\n    ask(o.n)\ndef g(o):\n    o.n = 'a'", False),
    (
        "p = argparse.ArgumentParser()\np.add_argument('--n', type=int)\ndef f(n, o):\n    o.n = n\n    ask(o.n)\nargs = p.parse_args()\nf(args.n, args)",
        True,
    ),
    (
        "p = argparse.ArgumentParser()\np.add_argument('--n')\ndef f(n, o):\n    o.n = n\n    ask(o.n)\nargs = p.parse_args()\nf(args.n, args)",
        False,
    ),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_is_a_number(text: str, expected: bool) -> None:
    assert is_number(*asked(f"import torch\nimport argparse\n{text}")) is expected


OPTIONS = "import argparse\n\nparser = argparse.ArgumentParser()\nparser.add_argument('--gpu', type=int)\n"
MOVE = "import torch\n{}\n\n\ndef main():\n{}    print(torch.ones(2).cuda(args.gpu))\n\n\nmain()\n"
PARSED = "    args = options.parser.parse_args()\n"


@pytest.mark.parametrize(
    ("imports", "args", "is_known"),
    [
        ("from tools import options", PARSED, True),
        ("import options  # in a folder that somebody adds", PARSED, True),
        ("from tools import more as options", PARSED, True),
        ("from tools import plain", PARSED.replace("options", "plain"), False),
        ("import configs", PARSED.replace("options", "configs"), False),
        ("from configs import args", "", False),
        ("from tools.options import args", "", True),
    ],
)
def test_options_of_files_that_a_program_imports(tmp_path: Path, imports: str, args: str, is_known: bool) -> None:
    files = {
        "pyproject.toml": "",
        "main.py": MOVE.format(imports, args),
        "tools/options.py": OPTIONS + "args = parser.parse_args()\n",
        "tools/more.py": "def f():\n    from .options import parser\n\n    return parser\n",
        "tools/plain.py": "import os\n",
    }
    fixed = fix_files(write_files(tmp_path / "p", files)).get("main.py", "cuda(args.gpu)")
    assert ("cuda(args.gpu)" not in fixed) is is_known


def test_options_that_the_caller_in_another_file_has_read(tmp_path: Path) -> None:
    net = (
        "import torch\n\n\ndef train(args):\n    step(args)\n\n\n"
        "def step(args):\n    print(torch.ones(2).cuda(args.gpu))\n"
    )
    run = "from net import train\nfrom tools.options import parser\n\ntrain(parser.parse_args())\n"
    files = {"pyproject.toml": "", "net.py": net, "run.py": run, "tools/options.py": OPTIONS}
    assert "cuda(args.gpu)" not in fix_files(write_files(tmp_path / "p", files))["net.py"]
