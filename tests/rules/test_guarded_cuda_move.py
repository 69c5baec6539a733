from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from devlint.core.target import Target
from devlint.rules.guarded_cuda_move import GuardedCudaMove
from devlint.sources.source import Source
from tests.support import engine
from tests.support.rule_cases import check, fixed, found, places

CODE = "DEV105"
FLAG = 'import torch\n\nuse_cuda = torch.cuda.is_available()\ndevice = torch.device("cuda" if use_cuda else "cpu")\n'
OPTIONS = """\
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--gpu", type=int, default=0)
parser.add_argument("--cuda", default=True)
args = parser.parse_args()
"""

# The test goes: it governs nothing but moves, and is the device's own.
HOISTED = [
    ("if use_cuda:\n    x = x.cuda()", "x = x.to(device)"),
    ("if use_cuda:\n    net.cuda()", "net.to(device)"),
    ("if use_cuda:\n    net.cuda()\n    x = x.cuda()\n    y.z.cuda()\nf(y.z)", "net.to(device)\nx = x.to(device)\ny.z.to(device)\nf(y.z)"),
    ("if use_cuda: x = x.cuda()", "x = x.to(device)"),
    ("if use_cuda: x = x.cuda()  # why", "x = x.to(device)  # why"),
    ("if use_cuda: x = x.cuda(); y = y.cuda()", "x = x.to(device); y = y.to(device)"),
    ("if (use_cuda):\n    x = x.cuda()", "x = x.to(device)"),
    ("if (\n    use_cuda\n):\n    x = x.cuda()", "x = x.to(device)"),
    ("if use_cuda:\n    x, y = x.cuda(), y.cuda()", "x, y = x.to(device), y.to(device)"),
    ("if use_cuda:\n    x, y = x.cuda(), y", "x, y = x.to(device), y"),
    ("if use_cuda:\n    x, y = [z.cuda() for z in [x, y]]", "x, y = [z.to(device) for z in [x, y]]"),
    ("if use_cuda:\n    x, y = [z.cuda() for z in (x, y)]", "x, y = [z.to(device) for z in (x, y)]"),
    ("if use_cuda:\n    net.cuda(), y.z.cuda()\nf(y.z)", "net.to(device), y.z.to(device)\nf(y.z)"),
    ('if use_cuda:\n    x["a"] = x["a"].cuda()\nf(x["a"])', 'x["a"] = x["a"].to(device)\nf(x["a"])'),
    ("if use_cuda:\n    x[i] = x[i].cuda()\nf(x[i])", "x[i] = x[i].to(device)\nf(x[i])"),
    ("if use_cuda:\n    x = x.cuda(None, True)", "x = x.to(device, non_blocking=True)"),
    ('if use_cuda:\n    x = x.to("cuda")', "x = x.to(device)"),
    ('if use_cuda:\n    x = x.to("cuda", non_blocking=True)', "x = x.to(device, non_blocking=True)"),
    ("if use_cuda:\n    x = (x\n         .cuda())", "x = (x\n     .to(device))"),
    ("if torch.cuda.is_available():\n    x = x.cuda()", "x = x.to(device)"),
    (
        "if use_cuda:  # why\n    # first\n    x = x.cuda()  # move\n\n    # second\n    y = y.cuda()\n    # last\n# after\nz",
        "# why\n# first\nx = x.to(device)  # move\n\n# second\ny = y.to(device)\n# last\n# after\nz",
    ),
    ("if use_cuda:\n    y = net(x.cuda())\nelse:\n    y = net(x)\nz", "y = net(x.to(device))\nz"),
    ("if use_cuda: y = net(x.cuda())\nelse: y = net(x)\nz", "y = net(x.to(device))\nz"),
    ("if use_cuda:\n    x, y = f(x.cuda()), \\\n        f(y.cuda())\nelse:\n    x, y = f(x), f(y)", "x, y = f(x.to(device)), \\\n    f(y.to(device))"),
    ("if use_cuda:\n    y = net(x.cuda())  # why\nelse:\n    y = net(x)\nz", "y = net(x.to(device))  # why\nz"),
    ("x = [torch.ones(n) for n in y]\nx = [z.long() for z in x]\nx = [z.cuda() if use_cuda else z for z in x]", "x = [torch.ones(n) for n in y]\nx = [z.long() for z in x]\nx = [z.to(device) for z in x]"),
    ("if use_cuda:\n    x = x.cuda()\nelse:\n    x = x", "x = x.to(device)"),
    ("def f(x):\n    if use_cuda:\n        return x.cuda()\n    else:\n        return x", "def f(x):\n    return x.to(device)"),
    ("for x in y:\n\tif use_cuda:\n\t\tx = x.cuda()\n\tz", "for x in y:\n\tx = x.to(device)\n\tz"),
    ("class A:\n    def f(self):\n        if use_cuda:\n            self.x = self.x.cuda()\n        f(self.x)", "class A:\n    def f(self):\n        self.x = self.x.to(device)\n        f(self.x)"),
    ("if use_cuda:\n    net.cuda()\nelse:\n    net.cpu()", "net.to(device)"),
    ("x = x.cuda() if use_cuda else x", "x = x.to(device)"),
    ("x = x.cuda() if use_cuda else x.cpu()", "x = x.to(device)"),
    ("x = f(x.cuda(), y.cuda()) if use_cuda else f(x.cpu(), y)", "x = f(x.to(device), y.to(device))"),
    ("x = x if not use_cuda else x.cuda()", "x = x.to(device)"),
    ("x = (x.cuda() if use_cuda else x).float()", "x = x.to(device).float()"),
    ("x = f(x.cuda(), y.cuda()) if use_cuda else f(x, y)", "x = f(x.to(device), y.to(device))"),
    ("x = [y.cuda() if use_cuda else y for y in z]", "x = [y.to(device) for y in z]"),
    ("f = lambda x: x.cuda() if use_cuda else x", "f = lambda x: x.to(device)"),
    ("def f(x=y.cuda() if use_cuda else y): pass", "def f(x=y.to(device)): pass"),
    ("f(x.cuda() if use_cuda else x, y)", "f(x.to(device), y)"),
    ("x = (\n    x.cuda()\n    if use_cuda\n    else x\n)", "x = x.to(device)"),
    ("def f(x):\n    if use_cuda:\n        return x.cuda()\n    return x", "def f(x):\n    return x.to(device)"),
    ("if use_cuda:\n    if y:\n        x = x.cuda()\n    else:\n        z.cuda()", "if y:\n    x = x.to(device)\nelse:\n    z.to(device)"),
    ("if use_cuda:\n    if y in ['a'] and not z.b:\n        x = x.cuda()\n    elif y is None:\n        x = x.cuda()", "if y in ['a'] and not z.b:\n    x = x.to(device)\nelif y is None:\n    x = x.to(device)"),
    ("if use_cuda and y:\n    x = x.cuda()", "if y:\n    x = x.to(device)"),
    ("if use_cuda and x is not None:\n    x = x.cuda()", "if x is not None:\n    x = x.to(device)"),
    ("if torch.cuda.is_available and use_cuda:\n    x = x.cuda()", "x = x.to(device)"),
    ("if y != 'a' and use_cuda:\n    x = x.cuda()", "if y != 'a':\n    x = x.to(device)"),
    ("if use_cuda  \\\n    and y:\n    x = x.cuda()", "if y:\n    x = x.to(device)"),
    ("if use_cuda:\n    x = [y.cuda() for y in x]\n    z = z.cuda()", "x = [y.to(device) for y in x]\nz = z.to(device)"),
    ("if use_cuda:\n    pass\n    # why\n    x = x.cuda()\n    # last\nz", "if use_cuda:\n    pass\n# why\nx = x.to(device)\n# last\nz"),
    ("if use_cuda:\n    x = x.cuda()\n    x = f(x)\n    y = y.cuda()", "x = x.to(device)\nif use_cuda:\n    x = f(x)\ny = y.to(device)"),
    ("if use_cuda:\n    x = tuple(y.cuda(None, True) for y in x)", "x = tuple(y.to(device, non_blocking=True) for y in x)"),
    ("if use_cuda:\n    x = {k: v.cuda() for k, v in x.items()}", "x = {k: v.to(device) for k, v in x.items()}"),
    ("x = [y.cuda() for y in x] if use_cuda else x", "x = [y.to(device) for y in x]"),
    ("if use_cuda:\n    x = (f(y[0].cuda()), [z.cuda() for z in y[1]])\nelse:\n    x = (f(y[0]), y[1])", "x = (f(y[0].to(device)), [z.to(device) for z in y[1]])"),
    ("if use_cuda:\n    x, y = [z.cuda() for z in w]\nelse:\n    x, y = w", "x, y = [z.to(device) for z in w]"),
    ("if use_cuda:\n    x, y = [z.cuda() for z in w]\nelse:\n    x, y = w[0], w[1]", "x, y = [z.to(device) for z in w]"),
    ("if use_cuda:\n    x, _ = [z.cuda() for z in w]\nelse:\n    x = w[0]\nf(x)", "x, _ = [z.to(device) for z in w]\nf(x)"),
    ("if use_cuda:\n    net = net.cuda()\n    x = x.cuda()\nelse:\n    net = net.cpu()", "net = net.to(device)\nx = x.to(device)"),
    ("if use_cuda:\n    x = x.cuda()\n    y = z.cuda()\nelse:\n    y = z", "x = x.to(device)\ny = z.to(device)"),
    ("x = x.cuda().type(torch.cuda.LongTensor) if use_cuda else x.type(torch.LongTensor)", "x = x.to(device, torch.int64)"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), HOISTED)
def test_a_test_of_nothing_but_moves_goes(before: str, after: str) -> None:
    assert fixed(CODE, f"{FLAG}{before}\n", unsafe=False) == f"{FLAG}{after}\n"


def test_an_empty_line_below_stays_where_an_editor_left_white_space_in_it() -> None:
    text = (
        f"{FLAG}def f(x):\n    if use_cuda:\n        x = x.cuda()\n    else:\n        x = x\n        \n    return x\n"
    )
    result = engine.fix(Source.from_text("case.py", text), [GuardedCudaMove], Target(), False)
    assert result.text == f"{FLAG}def f(x):\n    x = x.to(device)\n        \n    return x\n"


SWITCHED = """\
import torch


class Trainer:
    def __init__(self, net):
        self.gpu = False
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        if torch.cuda.is_available() and torch.cuda.device_count() > 0:
            self.gpu = True
        self.net = net.to(self.device)

    def step(self, x):
        if self.gpu:
            x = x.cuda()
        return x


def run(x):
    use_cuda = False
    if torch.cuda.is_available(): use_cuda = True
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if use_cuda:
        x = x.cuda()
    return x.to(device)


def detect(x):
    if torch.cuda.is_available():
        use_cuda = 1
    else:
        use_cuda = 0
    if use_cuda:
        x = x.cuda()
    return x
"""


def test_a_flag_that_is_on_where_there_is_cuda_means_the_same() -> None:
    after = SWITCHED.replace("        if self.gpu:\n            x = x.cuda()\n", "        x = x.to(self.device)\n")
    run, detect = after.split("\n\ndef detect")
    run = run.replace("    if use_cuda:\n        x = x.cuda()\n", "    x = x.to(device)\n")
    own = '    device = torch.device("cuda" if use_cuda else "cpu")\n    x = x.to(device)\n'
    detect = detect.replace("    if use_cuda:\n        x = x.cuda()\n", own)
    assert fixed(CODE, SWITCHED, unsafe=False) == f"{run}\n\ndef detect{detect}"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("self.gpu = True\n", "self.gpu = True\n        self.gpu = net.fast\n"),
        ("self.gpu = True\n", "self.gpu = True\n        else:\n            print()\n"),
        ("torch.cuda.device_count() > 0", "net.fast"),
        ("torch.cuda.device_count() > 0", "torch.cuda.device_count() > 1"),
        ("self.gpu = False\n", "self.gpu = False\n        self.step(net)\n"),
        ("return x\n\n\ndef run", "self.gpu = False\n        return x\n\n\ndef run"),
        ("return x\n\n\ndef run", "self.gpu |= 1\n        return x\n\n\ndef run"),
        ("return x\n\n\ndef run", "return x\n\n\nTrainer(net).gpu = False\n\n\ndef run"),
    ],
)
def test_a_flag_that_may_be_off_where_there_is_cuda_is_another(old: str, new: str) -> None:
    assert "if self.gpu" in fixed(CODE, SWITCHED.replace(old, new, 1), unsafe=False)


# The test stays, and so do the moves: it is the device's own condition.
KEPT = [
    "if use_cuda:\n    y = net(x.cuda())  # why\nelse:\n    y = net(x)  # otherwise\nz",
    "x = [1]\nx = [z for z in x]\nx = [z.cuda() if use_cuda else z for z in x]",
    "if use_cuda:\n    x = x.cuda(); print(x)",
    "if use_cuda:\n    pass\n    x = x.cuda()\n    pass",
    "if use_cuda:\n    x = make()\n    x = x.cuda()",
    "if use_cuda:\n    x = f(x.cuda())\n    y = y.cuda()",
    "if use_cuda:\n    x.y = make()\n    x.y.cuda()",
    "if use_cuda:\n    x = y.cuda()",
    "if use_cuda:\n    x = x.float().cuda()",
    "if use_cuda:\n    x = [y.cuda() for y in z]",
    "if use_cuda:\n    x = [y.cuda() for y in x if y is not None]",
    "if use_cuda:\n    x = [y.float().cuda() for y in x]",
    "if use_cuda:\n    x = {k: v.cuda() for v, k in x.items()}",
    "if use_cuda:\n    x = (y.cuda() for y in x)",
    "if use_cuda:\n    x, y = [z.cuda() for z in [y, x]]",
    "if use_cuda:\n    x, y = [z.cuda() for z in [*x, y]]",
    "if use_cuda:\n    x, y = [z.cuda() for z in [x, y] if z is not None]",
    "if use_cuda:\n    x = x.cuda().float()",
    "if use_cuda:\n    x = torch.nn.DataParallel(x).cuda()",
    "if use_cuda:\n    x = z = x.cuda()",
    "if use_cuda:\n    x += x.cuda()",
    "if use_cuda:\n    x[f()] = x[f()].cuda()",
    "if use_cuda:\n    for p in x: p.cuda()",
    "if use_cuda:\n    x, y = y.cuda(), x.cuda()",
    "if use_cuda:\n    x: torch.Tensor = x.cuda()",
    "if use_cuda:\n    x = x.cuda()\nelse:\n    print('CPU')",
    "if use_cuda:\n    y = net(x.cuda())\nelse:\n    y = other(x)",
    "if use_cuda:\n    x, y = [z.cuda() for z in w]\nelse:\n    x = w[0]\nf(x, y)",
    "if use_cuda:\n    x, y = [z.cuda() for z in w]\nelse:\n    x, y = w[1], w[0]",
    "if use_cuda:\n    x = [f(y.cuda()) for y in x]\nelse:\n    x = x",
    "if use_cuda:\n    x = x.cuda()\nelse:\n    net = net.cpu()",
    "if use_cuda:\n    x = x.cuda()\nelse:\n    x = y.cpu()",
    "if use_cuda:\n    x = x.cuda()\n    y = z.cuda()\nelse:\n    # slow\n    y = z",
    "if use_cuda:\n    y = net(x.cuda())\nelse:\n    y = net(x)  # slow",
    "if use_cuda:\n    y = net(x.cuda())\n# slow\nelse:\n    y = net(x)",
    "if use_cuda:\n    x = x.cuda()\nelif y:\n    x = y",
    "if y:\n    x = y\nelif use_cuda:\n    x = x.cuda()",
    "if use_cuda and f():\n    x = x.cuda()",
    "if use_cuda and x == 1:\n    x = x.cuda()",
    "if use_cuda and y:\n    x = x.cuda()\nelse:\n    x = y",
    "if use_cuda:\n    if x:\n        x = x.cuda()",
    "if use_cuda:\n    if f():\n        x = x.cuda()",
    "def f(x):\n    if use_cuda:\n        return x.cuda()\n    return y",
    "if not use_cuda:\n    print('CPU')\nelse:\n    x = x.cuda()",
    "x = x.cuda() if use_cuda and y else x",
    "x = use_cuda and x.cuda()",
    "use_cuda and x.cuda()",
    "not use_cuda or x.cuda()",
    "x = use_cuda and x.cuda() or x",
    "def f(x):\n    if not use_cuda:\n        return x\n    return x.cuda()",
    "for x in y:\n    if not use_cuda:\n        continue\n    x = x.cuda()",
]


@pytest.mark.parametrize("text", KEPT)
def test_a_test_of_anything_else_stays(text: str) -> None:
    assert fixed(CODE, f"{FLAG}{text}\n", unsafe=False) == f"{FLAG}{text}\n"


# No definition is written for what keeps its test and runs only where there is CUDA.
WITHOUT_DEVICE = [
    "import torch\n\n\ndef f(x):\n    if torch.cuda.is_available():\n        print(x.cuda())\n",
    "import torch\n\n\ndef f(xs):\n    if torch.cuda.is_available():\n        return [x.cuda() for x in xs]\n    else:\n        return g(xs)\n",
    "import torch\n\n\ndef has_gpu():\n    return torch.cuda.is_available()\n\n\ndef f(x):\n    if has_gpu():\n        x = x.cuda()\n    return x\n",
]  # fmt: skip


@pytest.mark.parametrize("text", WITHOUT_DEVICE)
def test_nothing_is_defined_for_what_keeps_its_test(text: str) -> None:
    assert len(found(CODE, text)) == 1
    assert fixed(CODE, text) == text
    assert "torch.accelerator" in fixed(CODE, text, target=Target("accelerator"))


# Nor does a device that something else decides come under it.
OTHER_DEVICE = """import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda")
args = parser.parse_args()
net = torch.nn.Linear(1, 1).to(args.device)
if {test}:
    x = x.cuda()
"""


@pytest.mark.parametrize(
    ("test", "moved"), [("torch.cuda.is_available()", "x.cuda()"), ("args.cuda", "x.to(args.device)")]
)
def test_a_device_that_something_else_decides_is_no_gain_where_there_is_cuda(test: str, moved: str) -> None:
    assert moved in fixed(CODE, OTHER_DEVICE.format(test=test), unsafe=False)


# The line above the move fails without CUDA, and both keep their test.
STOPPED = [
    "if args.gpu >= 0:\n    torch.cuda.set_device(args.gpu)\n    net.cuda()\n    n = 1",
    "if args.cuda:\n    torch.cuda.synchronize()\n    x = f(x.cuda())",
    "if not args.cuda:\n    print('CPU')\nelse:\n    torch.cuda.set_device(1)\n    x = f(x.cuda())",
]
GOES_ON = [
    "if args.cuda:\n    torch.cuda.empty_cache()\n    x = f(x.cuda())",
    "if args.cuda:\n    x = f(x.cuda())\n    torch.cuda.set_device(1)",
    "if args.cuda:\n    if x:\n        torch.cuda.set_device(1)\n    x = f(x.cuda())",
]


@pytest.mark.parametrize("text", STOPPED)
def test_nothing_is_moved_where_the_line_above_fails(text: str) -> None:
    assert len(found(CODE, f"{OPTIONS}{text}\n")) == 1
    assert fixed(CODE, f"{OPTIONS}{text}\n") == f"{OPTIONS}{text}\n"


@pytest.mark.parametrize("text", GOES_ON)
def test_a_move_is_rewritten_where_the_line_above_does_nothing_without_cuda(text: str) -> None:
    assert "x.to(device)" in fixed(CODE, f"{OPTIONS}{text}\n", unsafe=False)


# The moves run only where there is CUDA, and would after a fix.
GATED = [
    "assert use_cuda\nx = x.cuda()",
    "assert(opt.no_cuda is False)\nx = x.cuda()",
    "if y:\n    assert (torch.cuda.is_available())\n    x = x.cuda()",
    "if not use_cuda:\n    raise SystemExit\nx = x.cuda()",
    "if not torch.cuda.is_available():\n    print('no CUDA')\n    exit(1)\nx = x.cuda()",
    "if use_cuda:\n    print('CUDA')\nelse:\n    raise RuntimeError\nx = x.cuda()",
    "if torch.cuda.device_count() == 0:\n    raise SystemExit\nx = x.cuda()",
    "n = torch.cuda.device_count()\nif n < 1:\n    raise SystemExit\nx = x.cuda()",
    "if torch.cuda.device_count() > 1:\n    y = 1\nelif torch.cuda.device_count() == 1:\n    y = 0\n"
    "else:\n    raise ValueError\nx = x.cuda()",
    "x = x.cuda() if use_cuda else y",
    "x = x.cuda() if use_cuda else y.cpu()",
    "x = x.cuda() if use_cuda else x.cpu().numpy()",
    "x = x.cuda().cpu() if use_cuda else x.cpu(memory_format=torch.channels_last)",
    "x = x.cuda() if use_cuda else None",
    "@unittest.skipIf(not use_cuda, 'no GPU')\ndef test():\n    x.cuda()",
    "@unittest.skipUnless(torch.cuda.is_available(), 'no GPU')\ndef test():\n    x.cuda()",
    "@pytest.mark.skipif(not torch.cuda.is_available(), reason='no GPU')\nclass Test:\n    def test(self):\n        x.cuda()",
    "@require_cuda\ndef test():\n    x.cuda()",
    "pytestmark = pytest.mark.skipif(not use_cuda, reason='no GPU')\ndef test():\n    x.cuda()",
    "class Test:\n    def setUp(self):\n        if not use_cuda:\n            self.skipTest('no GPU')\n    def test(self):\n        x.cuda()",
    "def test():\n    if not use_cuda:\n        return\n    x.cuda()",
    "def is_cuda(net):\n    return next(net.parameters()).is_cuda\nif is_cuda(net):\n    x = x.cuda()",
    "if num_gpus > 1:\n    net = nn.DataParallel(net).cuda()",
    "if gpu_id >= 0:\n    with torch.cuda.device(gpu_id):\n        x = x.cuda()\nelse:\n    x = x.float()",
    "if use_cuda:\n    with torch.cuda.stream(copies):\n        x = x.cuda(non_blocking=True)",
    "if use_cuda and torch.cuda.device_count() > 1:\n    x = x.cuda()",
    "if torch.cuda.device_count() >= 2:\n    net = nn.DataParallel(net).cuda()",
    "@pytest.mark.skipif(torch.cuda.get_device_capability() < (8, 0), reason='old')\ndef test():\n    x.cuda()",
    "new = torch.cuda.get_device_capability()[0] >= 8\n@unittest.skipUnless(new, 'old')\ndef test():\n    x.cuda()",
    "if isinstance(y, torch.cuda.FloatTensor):\n    x = x.cuda()",
    "if use_cuda:\n    if isinstance(y.data, torch.cuda.HalfTensor) and x.dim():\n        x = x.cuda()",
    "if type(y) == torch.cuda.FloatTensor:\n    x = x.cuda()",
    "def test():\n    if use_cuda:\n        x.cuda()\n        assert net(x)",
    "class Test:\n    def helper(self):\n        assert use_cuda\n        x.cuda()\n    def test(self):\n        self.helper()",
]


@pytest.mark.parametrize("text", GATED)
def test_what_stays_for_cuda_is_left_alone(text: str) -> None:
    assert found(CODE, f"{FLAG}{text}\n") == ()
    assert found(CODE, f"{FLAG}{text}\n", Target("accelerator", torch_min_version=(2, 6)))


def test_what_a_tensor_said_before_stays() -> None:
    text = """
        import torch

        def cov(a):
            on_gpu = a.is_cuda
            b = torch.ones(a.size(0), 1)
            if on_gpu:
                b = b.cuda()
            return b
    """
    assert found(CODE, text) == ()


# The moves that a block begins with go before the test; the rest stays under it.
LED = [
    ("if use_cuda:\n    x = x.cuda()\n    print(x)", "x = x.to(device)\nif use_cuda:\n    print(x)"),
    (
        "if use_cuda:  # why\n    # first\n    net.cuda()  # move\n    x = x.cuda()\n\n    # fast\n    fast()\n    y.cuda()\n# end",
        "# first\nnet.to(device)  # move\nx = x.to(device)\n\nif use_cuda:  # why\n    # fast\n    fast()\ny.to(device)\n# end",
    ),
    (
        "def f(x):\n\tif use_cuda:\n\t\tx = x.cuda()\n\t\tprint(x)",
        "def f(x):\n\tx = x.to(device)\n\tif use_cuda:\n\t\tprint(x)",
    ),
    (
        'if use_cuda:\n    x.cuda()\n    y = """\n    long\n    """',
        'x.to(device)\nif use_cuda:\n    y = """\n    long\n    """',
    ),
]


@pytest.mark.parametrize(("before", "after"), LED)
def test_moves_at_the_start_and_the_end_of_a_block_go_out_of_it(before: str, after: str) -> None:
    assert fixed(CODE, f"{FLAG}{before}\n", unsafe=False) == f"{FLAG}{after}\n"


def test_moves_are_not_torn_from_others_that_keep_the_test() -> None:
    kept = "    if isinstance(h, tuple):\n        h = (h[0].cuda(), h[1].cuda())\n    y = y.cuda()\n"
    before = f"{FLAG}if use_cuda:\n    x = x.cuda()\n{kept}"
    assert fixed(CODE, before, unsafe=False) == before


LOOPS = [
    "for i in range(len(x)):\n        x[i] = x[i].cuda()",
    "for k, v in batch.items():\n        batch[k] = v.cuda()",
    "for s in optimizer.state.values():\n        for k, v in s.items():\n            if torch.is_tensor(v):\n                s[k] = v.cuda()",
    "for k, v in s.items():\n        if isinstance(v, torch.Tensor):\n            s[k] = v.cuda()",
]


LISTS = [
    ("x = [torch.nn.Linear(n, 1) for n in y]", "for n in x:\n        n.cuda()", True),
    ("x = [torch.nn.Linear(n, 1) for n in y]", "for n in x:\n        n = n.cuda()", True),
    ("x = torch.nn.ModuleList(y)", "for n in x:\n        n.cuda()", True),
    ("x = [torch.nn.Linear(n, 1) for n in y]\nn = 0", "for n in x:\n        n.cuda()\nf(n)", False),
    ("x = load()", "for n in x:\n        n.cuda()", False),
    ("x, y = load()", "for n in x:\n        n.cuda()", False),
    (
        "class A:\n    def __init__(self, y):\n        self.x = [torch.nn.Linear(n, 1) for n in y]",
        "for n in x:\n        n.cuda()",
        False,
    ),
    ("x = (torch.nn.Linear(n, 1) for n in y)", "for n in x:\n        n.cuda()", False),
    ("x = [torch.nn.Linear(1, 1)]\nif y:\n    x = [3]", "for n in x:\n        n.cuda()", False),
]


@pytest.mark.parametrize(
    ("made", "goes"), [("[torch.nn.Linear(n, 1) for n in y]", True), ("y", False), ("(n for n in y)", False)]
)
def test_a_loop_over_a_list_of_the_instance_is_nothing_but_moves(made: str, goes: bool) -> None:
    text = f"class A:\n    def __init__(self, y):\n        self.x = {made}\n        if use_cuda:\n            for n in self.x:\n                n.cuda()\n"
    assert ("if use_cuda:" not in fixed(CODE, f"{FLAG}{text}", unsafe=False)) is goes


@pytest.mark.parametrize(("made", "loop", "goes"), LISTS)
def test_a_loop_over_a_list_is_nothing_but_moves(made: str, loop: str, goes: bool) -> None:
    after = fixed(CODE, f"{FLAG}{made}\nif use_cuda:\n    {loop}\n", unsafe=False)
    assert ("if use_cuda:" not in after) is goes


@pytest.mark.parametrize("loop", LOOPS)
def test_a_loop_over_moves_is_nothing_but_moves(loop: str) -> None:
    after = loop.replace("\n    ", "\n").replace(".cuda()", ".to(device)")
    assert fixed(CODE, f"{FLAG}if use_cuda:\n    {loop}\n", unsafe=False) == f"{FLAG}{after}\n"


def test_a_loop_over_what_is_used_up_keeps_its_test() -> None:
    for loop in ("for k, v in items():\n        x[k] = v.cuda()", "for k, v in y.items():\n        x[k] = v.cuda()"):
        text = f"{FLAG}if use_cuda:\n    {loop}\n"
        assert fixed(CODE, text, unsafe=False) == text


PARSED = """\
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true")
args = parser.parse_args()
device = torch.device("cuda" if not args.no_cuda and torch.cuda.is_available() else "cpu")
"""


@pytest.mark.parametrize(
    "load",
    ['torch.load("a")', 'torch.load("a")["model"]', 'torch.load("a").module', 'torch.jit.load("a")'],
)
def test_what_is_loaded_to_where_it_was_saved_is_moved_where_it_was(load: str) -> None:
    """With --no-cuda it stays on the GPU that it was saved on, and goes on meeting what is there."""
    text = f"{PARSED}net = {load}\nif not args.no_cuda:\n    net.cuda()\n"
    assert fixed(CODE, text) == text.replace(".cuda()", ".to(device)")
    named = f"{PARSED}state = {load}\nnet = state.net\nif not args.no_cuda:\n    net.cuda()\n"
    assert fixed(CODE, named) == named.replace(".cuda()", ".to(device)")


def test_what_is_loaded_onto_the_cpu_moves_without_a_test() -> None:
    text = f'{PARSED}net = torch.load("a", map_location="cpu")\nif not args.no_cuda:\n    net.cuda()\n'
    assert fixed(CODE, text).endswith('map_location="cpu")\nnet.to(device)\n')


@pytest.mark.parametrize(
    ("test", "other", "is_left"),
    [
        ("not args.no_cuda", 'torch.load("a", map_location="cpu")', False),
        ("not args.no_cuda", 'torch.load("a", lambda storage, loc: storage)', False),
        ("not args.no_cuda", 'torch.load("a")', True),
        ("args.large", 'torch.load("a", map_location="cpu")', True),
    ],
)
def test_what_is_loaded_under_the_same_flag_moves_without_a_test(test: str, other: str, is_left: bool) -> None:
    text = f'{PARSED}if {test}:\n    net = torch.load("a")\nelse:\n    net = {other}\nif not args.no_cuda:\n    net.cuda()\n'
    after = fixed(CODE, text, unsafe=False)
    assert after.endswith(
        "if not args.no_cuda:\n    net.to(device)\n" if is_left else f"    net = {other}\nnet.to(device)\n"
    )


def test_nothing_is_loaded_onto_cuda_where_torch_says_there_is_none() -> None:
    assert fixed(CODE, f'{FLAG}net = torch.load("a")\nif use_cuda:\n    net.cuda()\n').endswith(
        'net = torch.load("a")\nnet.to(device)\n'
    )
    text = f'{FLAG}net = torch.load("a")\nif torch.cuda.is_available():\n    net.cuda()\n'
    assert fixed(CODE, text).endswith('net = torch.load("a")\nnet.to(device)\n')


def test_a_test_that_asks_another_tensor_is_another_rules() -> None:
    assert not found(CODE, f"{FLAG}if x.is_cuda:\n    y = y.cuda()\n")
    assert found(CODE, f"{FLAG}if x.is_cuda:\n    y = y.cuda(self.device)\n")
    assert not found(CODE, f"{FLAG}z = y.cuda() if x.data.is_cuda else y\n")


def test_a_flag_of_the_programs_own_that_is_called_is_cuda() -> None:
    before = f"{FLAG}class A:\n    def f(self, x):\n        if self.is_cuda:\n            x = x.cuda()\n"
    check(CODE, before, before.replace(".cuda()", ".to(device)"))


SILENT = [
    "x.cuda()",
    "if y:\n    x.cuda()",
    "if use_cuda or y:\n    x.cuda()",
    "if not use_cuda:\n    x.cuda()",
    "if use_cuda:\n    pass\nelse:\n    x.cuda()",
    "x = x if use_cuda else x.cuda()",
    "use_cuda or x.cuda()",
    "if not x.is_cuda:\n    x.cuda()",
    "if use_cuda:\n    x.cuda(1)",
    'if use_cuda:\n    x = "cuda"',
    "if use_cuda:\n    torch.cuda.manual_seed(1)",
    "def f():\n    if use_cuda:\n        return\n    x.cuda()",
    "assert not use_cuda\nx.cuda()",
    "if backend == 'nccl':\n    x = x.cuda()",
    "if dist.get_backend() is dist.Backend.NCCL and not x.is_cuda:\n    x = x.cuda()",
    "class A:\n    def cuda(self):\n        if use_cuda:\n            self.x.cuda()",
]


@pytest.mark.parametrize("text", SILENT)
def test_silent(text: str) -> None:
    assert found(CODE, f"{FLAG}{text}\n") == ()


def test_a_flag_of_another_device_keeps_its_test() -> None:
    text = """
        import argparse
        import torch

        args = argparse.ArgumentParser().parse_args()
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        x = torch.ones(1).to(device)
        if args.cuda:
            x = x.cuda()
    """
    check(CODE, text, text.replace("x.cuda()", "x.to(device)"), "safe")


def test_the_device_is_defined_after_the_flag() -> None:
    before = """
        import torch

        use_cuda = torch.cuda.is_available()
        net = torch.nn.Linear(1, 1)
        if use_cuda:
            net.cuda()
    """
    after = """
        import torch

        use_cuda = torch.cuda.is_available()
        device = torch.device("cuda" if use_cuda else "cpu")
        net = torch.nn.Linear(1, 1)
        net.to(device)
    """
    check(CODE, before, after, "safe")


GLOBAL = """
    import torch

    def main(argv):
        global args
        args = parse(argv)
        args.cuda = args.cuda and torch.cuda.is_available()
        net = torch.nn.Linear(1, 1)
        if args.cuda:
            net.cuda()
        train(net)

    def train(net):
        print(net, args.cuda)

    if __name__ == "__main__":
        main([])
"""


def test_a_global_that_one_function_sets_is_a_flag_of_that_function() -> None:
    after = fixed(CODE, GLOBAL, unsafe=False)
    assert (
        "        args.cuda = args.cuda and torch.cuda.is_available()\n"
        '        device = torch.device("cuda" if args.cuda else "cpu")\n'
        "        net = torch.nn.Linear(1, 1)\n"
        "        net.to(device)\n"
    ).replace("\n    ", "\n")[4:] in after


@pytest.mark.parametrize("setter", ["args.cuda = True", "global args\n    args = None"])
def test_a_global_that_other_functions_set_keeps_its_test(setter: str) -> None:
    text = GLOBAL.replace("print(net, args.cuda)", setter.replace("\n", "\n    "))
    assert "if args.cuda:" in fixed(CODE, text, unsafe=False)


def test_mixed_guards_are_one_finding_each() -> None:
    text = f"{FLAG}if use_cuda:\n    x.cuda()\n    y = y.cuda()\nz = z.cuda() if use_cuda else z\n"
    assert places(CODE, text) == [(6, "safe"), (7, "safe"), (8, "safe")]


def test_what_it_says() -> None:
    (finding,) = found(CODE, f"{FLAG}x = x.cuda() if (\n    use_cuda) else x\n")
    assert finding.message == "`.cuda()` under its own test for CUDA (`( use_cuda)`)"
    assert (finding.location.row, finding.location.column, finding.end_location.column) == (5, 7, 13)


def test_crlf() -> None:
    text = f"{FLAG}if use_cuda:\n    x = x.cuda()\n    # last\ny = 1\n".replace("\n", "\r\n")
    assert fixed(CODE, text) == f"{FLAG}x = x.to(device)\n# last\ny = 1\n".replace("\n", "\r\n")


def test_no_final_newline() -> None:
    assert fixed(CODE, f"{FLAG}if use_cuda:\n    x = x.cuda()") == f"{FLAG}x = x.to(device)"
    assert fixed(CODE, f"{FLAG}if use_cuda:\n    x = x.cuda()\n    # last") == f"{FLAG}x = x.to(device)\n# last"


def test_accelerator() -> None:
    text = "import torch\n\ndef f(x, use_cuda):\n    if use_cuda:\n        x = x.cuda()\n    return x\n"
    assert fixed(CODE, text, target=Target("accelerator", torch_min_version=(2, 6))) == (
        "import torch\n\ndef f(x, use_cuda):\n"
        '    device = torch.accelerator.current_accelerator() if use_cuda else torch.device("cpu")\n'
        "    x = x.to(device)\n    return x\n"
    )


# Programs that are told to use no CUDA, on a machine that has it.
PROGRAMS = [
    """
        import torch

        use_cuda = not args.no_cuda and torch.cuda.is_available()
        x = torch.ones(1)
        if use_cuda:
            x = x.cuda()
    """,
    """
        import torch

        x = torch.ones(1)
        if not args.no_cuda:
            x = x.cuda()
    """,
    """
        import torch

        x = torch.ones(1)
        x = x if args.no_cuda else x.cuda()
    """,
    """
        import torch

        args.cuda = not args.no_cuda
        x = torch.ones(1)
        if args.cuda and torch.cuda.is_available():
            x = x.cuda()
    """,
    """
        import torch

        def move(x, use_gpu):
            if use_gpu:
                x = x.cuda()
            return x

        x = move(torch.ones(1), not args.no_cuda)
    """,
    """
        import torch

        class Trainer:
            def __init__(self, use_gpu):
                self.use_gpu = use_gpu

            def move(self, x):
                return x.cuda() if self.use_gpu else x

        x = Trainer(not args.no_cuda).move(torch.ones(1))
    """,
    """
        import torch

        def move(x):
            if args.no_cuda:
                return x
            return x.cuda()

        x = move(torch.ones(1))
    """,
]
SAME = [
    "def f(x, cpu_only):\n    if cpu_only:\n        return x + 1\n    else:\n        return x.cuda()\n",
    "def f(q, use_gpu=False):\n    if use_gpu:\n        q = make(q).cuda().float()\n        return run(q).cpu()\n"
    "    else:\n        q = make(q).contiguous()\n        return run(q)\n",
    "def f(q, use_gpu=False):\n    return run(q.cuda()) if use_gpu else walk(q)\n",
]
OTHER = [
    "def f(q, use_gpu=True):\n    if use_gpu:\n        q = make(q).cuda().float()\n        return run(q).cpu()\n",
]
HALF = """\
import torch


def f(q, use_gpu=False):
    net = Net()
    if use_gpu:
        net.cuda()
    if use_gpu:
        q = make(q).cuda().float()
        return run(q).cpu()
    return net(q)
"""


class FakeTensor:
    """A tensor that knows where it is."""

    def __init__(self, device: str = "cpu") -> None:
        self.device = device

    def cuda(self) -> FakeTensor:
        return FakeTensor("cuda")

    def to(self, device: str) -> FakeTensor:
        return FakeTensor(device)


class FakeTorch:
    """As much of torch as PROGRAMS use, on a machine that has CUDA or not."""

    def __init__(self, available: bool) -> None:
        self.cuda = self
        self.available = available

    def is_available(self) -> bool:
        return self.available

    def ones(self, *_: int) -> FakeTensor:
        return FakeTensor()

    def device(self, name: str) -> str:
        return name


class Options:
    """What the command line said."""

    def __init__(self, no_cuda: bool) -> None:
        self.no_cuda = no_cuda


def run(text: str, available: bool, no_cuda: bool) -> str:
    """Where ``x`` is after the program ran."""
    scope: dict[str, object] = {"torch": FakeTorch(available), "args": Options(no_cuda)}
    exec(compile(text.replace("import torch\n", ""), "case.py", "exec"), scope)
    x = scope["x"]
    assert isinstance(x, FakeTensor)
    return x.device


@pytest.mark.parametrize("text", PROGRAMS)
def test_no_cuda_still_means_no_cuda(text: str) -> None:
    after = fixed(CODE, text, unsafe=False)
    asks_both = "if args.cuda and torch.cuda.is_available()" in text  # which keeps it off, and needs no device
    assert (".cuda()" in after.replace("torch.cuda", "")) is asks_both
    for no_cuda in (True, False):
        assert run(after, True, no_cuda) == ("cpu" if no_cuda else "cuda")
    assert run(after, False, True) == "cpu"


@pytest.mark.parametrize("text", SAME)
def test_no_device_where_a_test_stays_around_all_that_needs_it(text: str) -> None:
    text = f"import torch\n\n\n{text}"
    assert fixed(CODE, text) == text
    assert [kind for _, kind in places(CODE, text)] == ["none"]


@pytest.mark.parametrize("text", OTHER)
def test_a_device_where_it_says_more_than_the_test(text: str) -> None:
    assert ".cuda()" not in fixed(CODE, f"import torch\n\n\n{text}")


def test_what_keeps_its_test_stays_where_others_need_a_device() -> None:
    moved = "    if use_gpu:\n        net.cuda()\n"
    device = '    device = torch.device("cuda" if use_gpu else "cpu")\n'
    after = HALF.replace(moved, f"{device}    net.to(device)\n")
    assert fixed(CODE, HALF, unsafe=False) == after


def test_an_empty_line_with_spaces_below_the_last_move_stays() -> None:
    before = f"{FLAG}if use_cuda:\n    net.cuda()\n    \nnet.eval()\n"
    after = engine.fix(Source.from_text("x.py", before), [GuardedCudaMove], Target()).text
    assert after.endswith("net.to(device)\n    \nnet.eval()\n")


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (
            'def f(x):\n    measure(x)\n    if torch.cuda.is_available():\n        y = x.to("cuda")\n        measure(y)',
            [],
        ),
        ("def f(x):\n    if torch.cuda.is_available():\n        x = x.cuda()\n        measure(x)", [4]),
        (
            "def f(x, y):\n    if torch.cuda.is_available():\n        y = x.cuda()\n        measure(y)\n    return y",
            [4],
        ),
        (
            "def f(x):\n    if torch.cuda.is_available():\n        y = x.cuda()\n        g(y)\n    else:\n        h(x)",
            [4],
        ),
    ],
)
def test_what_is_done_with_cuda_in_addition(text: str, rows: list[int]) -> None:
    assert [row for row, _ in places("DEV105", f"import torch\n{text}\n")] == rows


def test_the_same_name_for_another_thing_done_in_addition() -> None:
    lines = "    if torch.cuda.is_available():\n        gpu = x.cuda()\n        measure(lambda: gpu.sum())\n"
    text = f"import torch\nfor x in xs:\n{lines}for x in ys:\n{lines}"
    assert places("DEV105", text) == []
    assert [row for row, _ in places("DEV105", f"{text}print(gpu)\n")] == [4, 8]


def test_a_function_with_the_flag_needs_no_device_of_the_main_part() -> None:
    text = "import torch\n\n\ndef make(size, cuda):\n    x = torch.ones(size)\n    if cuda:\n        x = x.cuda()\n    return x\n\n\n"
    text += "{}cuda = torch.cuda.is_available()\n{}x = make(3, cuda)\n{}if cuda:\n{}    x = x.cuda()\n"
    main = text.format('if __name__ == "__main__":\n    ', "    ", "    ", "    ")
    local = '    device = torch.device("cuda" if cuda else "cpu")\n    x = x.to(device)\n    return x\n'
    assert local in fixed(CODE, main)
    assert "    x = torch.ones(size)\n    x = x.to(device)\n    return x\n" in fixed(CODE, text.format("", "", "", ""))


_ASKED = """import torch


class Net(torch.nn.Module):
    def forward(self, x, y):
        device = next(self.parameters()).device
        z = torch.zeros(1, 1, 3)
{}
        return self.attention(z, y)
"""


@pytest.mark.parametrize("quote", ["'", '"'])
def test_a_device_that_the_test_asks_is_the_device(quote: str) -> None:
    before = f"        if device.type == {quote}cuda{quote}:\n            z = z.cuda()"
    check(CODE, _ASKED.format(before), _ASKED.format("        z = z.to(device)"), "safe")
    part = _ASKED.format("        if x:\n            z = z.to(device)")
    check(CODE, _ASKED.format(before.replace(":", " and x:")), part, "safe")


_EARLY = """import torch


def f(gpu):
    {}
    return torch.empty(1).cuda().device
"""


@pytest.mark.parametrize(
    ("lines", "kinds"),
    [
        ("if not torch.cuda.is_available():\n        return None\n    torch.cuda.set_device(gpu)", []),
        ("if not torch.cuda.is_available():\n        return None\n    elif gpu:\n        return gpu.cuda()", ["none"]),
        ("if gpu is None:\n        return None\n    torch.cuda.set_device(gpu)", ["none"]),
    ],
)
def test_below_an_early_return_nothing_is_gained_by_a_device(lines: str, kinds: list[str]) -> None:
    assert [kind for _, kind in places(CODE, _EARLY.format(lines))] == kinds


_SWITCHED = """import torch


class Reader:
    def __init__(self):
        self.use_cuda = {}

    def update(self, x):
        if self.use_cuda:
            y = x.cuda(non_blocking=True)
        else:
            y = {{}}
        return y

    def cuda(self):
        self.use_cuda = True
        self.net = self.net.cuda()
"""


@pytest.mark.parametrize(("start", "kind"), [("False", "none"), ("True", "safe")])
def test_a_flag_that_only_the_own_cuda_switches_on(start: str, kind: str) -> None:
    assert [found for _, found in places(CODE, _SWITCHED.format(start))] == [kind]


@pytest.mark.parametrize(
    ("test", "kind"),
    [
        ("cards[0] >= 0 and torch.cuda.is_available()", "none"),
        ("cards[0] >= 0", "safe"),
        ("cards[0] >= 0 or torch.cuda.is_available()", "safe"),
        ("not torch.cuda.is_available()", "safe"),
    ],
)
def test_a_flag_that_is_on_only_below_a_test_that_asks_torch(test: str, kind: str) -> None:
    own = "    def cuda(self):\n        self.use_cuda = True\n        self.net = self.net.cuda()\n"
    init = (
        f"cards\n        if {test}:\n            self.use_cuda = True\n        else:\n            self.use_cuda = False"
    )
    text = _SWITCHED.format(init).replace("self.use_cuda = cards\n        ", "").replace(own, "")
    assert [found for _, found in places(CODE, text.replace("(self)", "(self, cards)"))] == [kind]


_OPTIONAL = """import numpy as np
import torch


def to_torch(x, cuda):
    {}
    if cuda:
        return x.cuda()
    return x
"""


@pytest.mark.parametrize(
    ("line", "goes"),
    [
        ("if x is not None:\n        x = torch.from_numpy(np.asarray(x))", False),
        ("x = torch.from_numpy(np.asarray(x))", True),
        ("if x is None:\n        return None", True),
    ],
)
def test_a_parameter_that_the_function_takes_for_none_keeps_its_test(line: str, goes: bool) -> None:
    assert ("if cuda:" not in fixed(CODE, _OPTIONAL.format(line), unsafe=False)) is goes


def test_a_move_that_a_test_wants_to_fail_is_no_finding() -> None:
    text = (
        "import pytest\nimport torch\n\n\ndef test(model):\n    with pytest.raises(TypeError):\n        model.cuda()\n"
    )
    assert not found("DEV101", text)


@pytest.mark.parametrize(
    ("other", "is_free"),
    [
        ("", True),
        ("from base import Engine\nclass Heir(Engine):\n    def late(self):\n        self.use_gpu = True\n", True),
        ("from main import Trainer\nclass Heir(Trainer):\n    def late(self):\n        self.use_gpu = True\n", False),
        ("from main import Trainer\ntrainer = Trainer(True)\ntrainer.use_gpu = True\n", False),
        ("from options import args\nargs.use_gpu = True\n", True),
    ],
)
def test_the_flag_of_a_base_in_another_file(other: str, is_free: bool, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "base.py").write_text(
        "import torch\n\nclass Engine:\n    def __init__(self, use_gpu=True):\n"
        "        self.use_gpu = torch.cuda.is_available() and use_gpu\n"
        "        self.device = torch.device('cuda' if self.use_gpu else 'cpu')\n"
    )
    (tmp_path / "other.py").write_text(other)
    text = (
        "import torch\nfrom base import Engine\n\n\nclass Trainer(Engine):\n    def step(self, x):\n"
        "        if self.use_gpu:\n            x = x.cuda()\n        return x\n"
    )
    (tmp_path / "main.py").write_text(text)
    after = engine.fix(Source.from_text(str(tmp_path / "main.py"), text), [GuardedCudaMove], Target("cuda")).text
    free = text.replace("        if self.use_gpu:\n            x = x.cuda()\n", "        x = x.to(self.device)\n")
    assert after == (free if is_free else text.replace("x.cuda()", "x.to(self.device)"))


@pytest.mark.parametrize(
    ("heir", "is_kept"),
    [
        ("class Both(Search):\n    def __init__(self):\n        super().__init__()\n", True),
        ("class Both(Search, Loader):\n    def __init__(self):\n        super().__init__()\n", True),
        ("class Both(Loader, Search):\n    def __init__(self):\n        super().__init__()\n", False),
        ("class Both(Loader, Search):\n    pass\n", False),
        (
            "class Both(Loader, Search):\n    def __init__(self):\n        Loader.__init__(self)\n"
            "        Search.__init__(self)\n",
            True,
        ),
    ],
)
def test_no_device_for_a_class_whose_init_another_base_may_keep_from_running(
    heir: str, is_kept: bool, tmp_path: Path
) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "heirs.py").write_text(f"from main import Search\n\nclass Loader:\n    pass\n\n{heir}")
    text = (
        "import torch\n\n\nclass Search:\n    def __init__(self, use_gpu=True):\n        self.use_gpu = use_gpu\n\n"
        "    def step(self, x):\n        if self.use_gpu:\n            x = x.cuda()\n        return x\n"
    )
    (tmp_path / "main.py").write_text(text)
    after = engine.fix(Source.from_text(str(tmp_path / "main.py"), text), [GuardedCudaMove], Target("cuda")).text
    assert ("self.device = " in after) is is_kept


ASKED = "import torch\n\nUSE_CUDA = torch.cuda.is_available()\n"
SET_BY_CASES = "import torch\n\nif torch.cuda.is_available():\n    USE_CUDA = True\nelse:\n    USE_CUDA = False\n"


@pytest.mark.parametrize(
    ("line", "settings", "other", "is_answer"),
    [
        ("from settings import *", ASKED, "", True),
        ("from settings import *", SET_BY_CASES, "", True),
        ("from other import *", ASKED, "from settings import *\n", True),
        ("from other import *\nfrom settings import *", ASKED, "from settings import *\n", True),
        ("from settings import USE_CUDA", ASKED, "", True),
        ("import settings", ASKED, "", True),
        ("from settings import *", f"{ASKED}USE_CUDA = False\n", "", False),
        ("from settings import *", SET_BY_CASES.replace("True\n", "False\n"), "", False),
        ("from settings import *", f"{ASKED}\ndef stop():\n    global USE_CUDA\n    USE_CUDA = False\n", "", False),
        ("from settings import *", ASKED, "import settings\n\nsettings.USE_CUDA = False\n", False),
        ("from settings import *", ASKED, "import main\n\nmain.USE_CUDA = False\n", False),
        ("import settings", ASKED, "import settings\n\nsettings.USE_CUDA = False\n", False),
        ("from settings import *\nfrom other import *", ASKED, "USE_CUDA = False\n", False),
        ("from settings import *\nfrom unknown import *", ASKED, "", False),
        ("from other import *", ASKED, "from settings import *\nfrom unknown import *\n", False),
        ("from settings import *", f"{ASKED}__all__ = ['a']\n", "", False),
    ],
)
def test_a_flag_by_which_another_file_asks_for_cuda(
    line: str, settings: str, other: str, is_answer: bool, tmp_path: Path
) -> None:
    flag = "settings.USE_CUDA" if line == "import settings" else "USE_CUDA"
    functions = [
        f"\n\ndef {name}(n):\n    x = torch.zeros(n)\n    if {flag}:\n        x = x.cuda()\n    return x\n"
        for name in ("first", "second", "third")
    ]
    text = f"import torch\n{line}\n{''.join(functions)}"
    for name, content in (("pyproject.toml", ""), ("settings.py", settings), ("other.py", other), ("main.py", text)):
        (tmp_path / name).write_text(content)
    after = engine.fix(Source.from_text(str(tmp_path / "main.py"), text), [GuardedCudaMove], Target("cuda")).text
    asked = flag if is_answer else f"{flag} and torch.cuda.is_available()"
    given = f'def get_device():\n    return torch.device("cuda" if {asked} else "cpu")\n'
    assert given in after
    assert after.count("    x = torch.zeros(n)\n    x = x.to(get_device())\n    return x\n") == 3


def test_a_flag_that_the_file_sets_itself_is_not_the_other_files(tmp_path: Path) -> None:
    text = (
        "import torch\nfrom settings import *\n\nUSE_CUDA = choose()\n\n\ndef first(n):\n    x = torch.zeros(n)\n"
        "    if USE_CUDA:\n        x = x.cuda()\n    return x\n"
    )
    for name, content in (("pyproject.toml", ""), ("settings.py", ASKED), ("main.py", text)):
        (tmp_path / name).write_text(content)
    after = engine.fix(Source.from_text(str(tmp_path / "main.py"), text), [GuardedCudaMove], Target("cuda")).text
    assert "USE_CUDA" in after.partition("def first")[2], after


CONFIGURED = """\
import torch
from settings import cfg


class Trainer:
    def __init__(self, cards):
        torch.cuda.set_device(cards[0])

    def load(self):
        net = torch.nn.Linear(2, 2)
        if cfg.CUDA:
            net.cuda()
        return net

    def train(self, n):
        x = torch.zeros(n)
        if cfg.CUDA:
            x = x.cuda()
        y = torch.zeros(n)
        if cfg.CUDA:
            y = y.cuda()
        return x, y
"""


def test_a_function_asks_an_imported_flag_for_several_others() -> None:
    after = fixed(CODE, CONFIGURED, unsafe=False)
    assert (
        'def get_device():\n    return torch.device("cuda" if cfg.CUDA and torch.cuda.is_available() else "cpu")'
        in after
    )
    assert "        net.to(get_device())\n        return net\n" in after
    assert (
        "        device = get_device()\n        x = x.to(device)\n        y = torch.zeros(n)\n        y = y.to(device)"
        in after
    )
    assert "if cfg.CUDA:" not in after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("        x = torch.zeros(n)\n", "        cfg.CUDA = False\n        x = torch.zeros(n)\n"),
        ("        y = torch", "        cfg.merge_from_file(n)\n        y = torch"),
    ],
)
def test_no_device_for_a_function_that_changes_an_imported_flag(before: str, after: str) -> None:
    text = CONFIGURED.replace(before, after, 1)
    assert text != CONFIGURED
    assert "        if cfg.CUDA:\n" in fixed(CODE, text, unsafe=False).partition("def train")[2]


def test_no_function_asks_an_imported_flag_where_others_use_cuda_without_it() -> None:
    text = f"{CONFIGURED}\n    def test(self, x):\n        return x.cuda()\n"
    assert '"cuda" if cfg.CUDA' not in fixed(CODE, text, unsafe=False)


@pytest.mark.parametrize("kind", ["torch.cuda.FloatTensor", "(torch.FloatTensor, torch.cuda.FloatTensor)"])
def test_a_question_for_a_kind_of_tensor_uses_no_cuda(kind: str) -> None:
    text = f"{CONFIGURED}\n    def test(self, x):\n        return isinstance(x, {kind})\n"
    assert '"cuda" if cfg.CUDA' in fixed(CODE, text, unsafe=False)


@pytest.mark.parametrize("made", ["x.untyped_storage()", "torch.UntypedStorage(3)"])
def test_a_storage_has_no_to(made: str) -> None:
    text = f"import torch\n\n\ndef f(x, cuda):\n    kept = {made}\n    if cuda:\n        kept = kept.cuda()\n    return kept\n"
    assert "kept.cuda()" in fixed(CODE, text)


@pytest.mark.parametrize("move", ["lambda s, l: s.cuda() if cuda else s", "(lambda s, l: s.cuda()) if cuda else None"])
def test_storages_that_are_loaded_keep_their_test(move: str) -> None:
    text = f"import torch\n\n\ndef f(path, cuda):\n    return torch.load(path, map_location={move})\n"
    assert fixed(CODE, text) == text


@pytest.mark.parametrize(
    ("condition", "goes"),
    [("torch.cuda.is_available() and args.gpu", True), ("torch.cuda.is_available() and args.gpu or x", False)],
)
def test_a_device_that_asks_first_and_then_the_flag_is_the_flags(condition: str, goes: bool) -> None:
    begin = f'{OPTIONS}device = torch.device("cuda" if {condition} else "cpu")\nx = torch.ones(1)\n'
    after = fixed(CODE, f"{begin}if args.gpu:\n    x = x.cuda()\n", unsafe=False)
    assert (after == f"{begin}x = x.to(device)\n") is goes


def test_a_mask_made_on_the_cpu_goes_to_what_it_meets_without_its_flag() -> None:
    program = dedent(
        """
        import torch
        from torch import nn


        class Recommender(nn.Module):
            def __init__(self, args):
                super().__init__()
                self.args = args

            def forward(self, items):
                seen = (items > 0).long()
                mask = torch.tril(torch.ones(3, 3)).long()
                if self.args.cuda_condition:
                    mask = mask.cuda()
                return seen.unsqueeze(1) * mask
        """
    ).lstrip()
    wanted = program.replace(
        "        if self.args.cuda_condition:\n            mask = mask.cuda()\n",
        "        mask = mask.to(seen.device)\n",
    )
    assert wanted != program
    assert fixed("DEV105", program) == wanted


@pytest.mark.parametrize(
    ("start", "read", "goes"),
    [
        ("", "numpy()", True),
        ("", "data.numpy().ravel()", True),
        ("", "sum()", False),
        ("class Held:\n    def cpu(self):\n        return self.held\n\n\n", "numpy()", False),
    ],
)
def test_what_one_branch_takes_to_the_cpu_to_read_it_is_there_in_the_other(start: str, read: str, goes: bool) -> None:
    program = f"{FLAG}{start}if use_cuda:\n    y = f(x.cuda()).cpu().{read}\nelse:\n    y = f(x).{read}\n"
    wanted = f"{FLAG}{start}y = f(x.to(device)).cpu().{read}\n"
    assert (fixed(CODE, program) == wanted) is goes


@pytest.mark.parametrize(("method", "goes"), [("cpu", False), ("eval", True)])
def test_a_cpu_of_the_programs_own_is_still_called(method: str, goes: bool) -> None:
    text = (
        f"import torch\n\n\nclass Net(torch.nn.Linear):\n    def {method}(self):\n        self.kind = 1\n        return super().{method}()\n\n\n"
        "use_cuda = torch.cuda.is_available()\nnet = Net(1, 1)\nif use_cuda:\n    net.cuda()\nelse:\n    net.cpu()\n"
    )
    assert ("net.cpu()" not in fixed(CODE, text)) is goes


_CHOSEN = """\
import torch

device = torch.device("{card}" if torch.cuda.is_available() else "cpu")
x = torch.ones(2)
"""


@pytest.mark.parametrize("asks", ['if device.type == "cuda":', 'use_gpu = device.type == "cuda"\nif use_gpu:'])
@pytest.mark.parametrize(("card", "goes"), [("cuda", True), ("cuda:0", True), ("cuda:1", False)])
def test_what_a_devices_own_type_moves_goes_there_unless_it_is_another_card(asks: str, card: str, goes: bool) -> None:
    program = f"{_CHOSEN.format(card=card)}{asks}\n    x = x.cuda()\nprint(x)\n"
    after = fixed(CODE, program, unsafe=False)
    kept = asks.rpartition("\n")[0]
    wanted = f"{_CHOSEN.format(card=card)}{kept}{kept and chr(10)}x = x.to(device)\nprint(x)\n"
    assert after == (wanted if goes else program)


def test_a_device_that_gets_another_value_is_not_the_one_that_a_flag_asked() -> None:
    program = f'{_CHOSEN.format(card="cuda")}use_gpu = device.type == "cuda"\ndevice = torch.device("cpu")\nif use_gpu:\n    x = x.cuda()\n'
    assert "x.to(device)" not in fixed(CODE, program, unsafe=False)


def test_a_flag_that_asks_torch_twice_is_torchs_answer() -> None:
    text = """\
import torch


def f(x, y):
    use_cuda = torch.cuda.is_available()
    x = x.new(2)
    if use_cuda:
        x = x.cuda()
    use_cuda = torch.cuda.is_available()
    if use_cuda:
        y = y.cuda()
    return x, y
"""
    assert "    if use_cuda:" not in fixed(CODE, text, unsafe=False)
    assert "    if use_cuda:" in fixed(CODE, text.replace("torch.cuda.is_available()", "y is None", 1), unsafe=False)


@pytest.mark.parametrize("asks", ['device == torch.device("cuda")', 'torch.device("cuda:0") == device'])
def test_a_move_where_the_device_is_cuda_for_certain_stays(asks: str) -> None:
    chosen = 'import torch\n\ndevice = torch.device("cuda")\nif not torch.cuda.is_available():\n    device = torch.device("cpu")\n'
    text = (
        f"{chosen}net = torch.nn.Linear(2, 2)\nif {asks}:\n    net.cuda()\nprint(net(torch.ones(2, device=device)))\n"
    )
    assert "    net.cuda()" in fixed(CODE, text, unsafe=False)


def test_a_flag_of_the_main_part_alone_makes_no_function_for_several() -> None:
    """The function that moves relies on the flag, but one that others could call would be new in that."""
    before = """\
import argparse
import os
import torch


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--use_cpu", action="store_true", default=False)
    parser.add_argument("--gpu", type=str, default="0")
    return parser.parse_args()


def test(net, loader):
    for points in loader:
        if not args.use_cpu:
            points = points.cuda()
        net(points)


def main(args):
    os.environ["CUDA_VISIBLE_DEVICES"] = args.gpu
    args = parse_args()
    net = torch.nn.Linear(2, 2)
    if not args.use_cpu:
        net = net.cuda()
    test(net, [])


if __name__ == "__main__":
    args = parse_args()
    main(args)
"""
    after = fixed(CODE, before)
    assert "def get_device" not in after
    assert "points = points.to(device)" in after
    assert after.count("not args.use_cpu and torch.cuda.is_available()") == 2


AGAIN = """\
import torch

def run(batch, use_cuda):
    x, y = torch.ones(2), torch.ones(2)
    if {0}:
        {1}

    {2}
    return x + y
"""
_ASKS = "torch.cuda.is_available()"
_BOTH = "x, y = x.cuda(), y.cuda()"


@pytest.mark.parametrize(
    ("test", "moves", "below", "is_left"),
    [
        (_ASKS, _BOTH, "x, y = x.to(batch.device), y.to(batch.device)", True),
        (_ASKS, "x = x.cuda()\n        y = y.cuda()", "y = y.to(batch.device)\n    x = x.to(batch.device)", True),
        ("use_cuda", _BOTH, "x, y = x.to(batch.device), y.to(batch.device)", False),
        (_ASKS, _BOTH, "x = x.to(batch.device)", False),
        (_ASKS, _BOTH, "x, y = y.to(batch.device), x.to(batch.device)", False),
        (_ASKS, _BOTH, "print(x)\n    x, y = x.to(batch.device), y.to(batch.device)", False),
    ],
)
def test_what_is_moved_again_right_below_is_left(test: str, moves: str, below: str, is_left: bool) -> None:
    text = AGAIN.format(test, moves, below)
    assert (fixed(CODE, text, unsafe=False) == text) is is_left


def test_what_goes_to_the_device_of_a_model_below_gets_no_second_one() -> None:
    text = AGAIN.format(_ASKS, _BOTH, "x = x.to(batch.device)").replace("batch", "model")
    assert fixed(CODE, text, unsafe=False) == text


def test_one_flag_asked_in_other_words_gets_no_second_device() -> None:
    code = dedent("""\
        import torch

        def test(net, loss, batches, gpu):
            if gpu is True:
                loss = loss.cuda()
            for x, y in batches:
                if gpu:
                    x, y = x.cuda(), y.cuda()
                print(loss(net(x), y))
        """)
    made = fixed(CODE, code, unsafe=False)
    assert "    if gpu is True:\n        loss = loss.cuda()\n" in made
    assert made.count("torch.device(") == 1
    assert "        x, y = x.to(device), y.to(device)\n" in made


@pytest.mark.parametrize(("given", "is_left"), [("torch.cuda.is_available()", True), ("True", False)])
def test_a_test_that_stays_around_moves_only_and_is_off_keeps_them(given: str, is_left: bool) -> None:
    code = dedent("""\
        import torch

        class Learner:
            def __init__(self, net, use_cuda):
                self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
                self.net = net.to(self.device)
                self.use_cuda = use_cuda

            def learn(self, batches):
                for x in batches:
                    if self.use_cuda:
                        x = x.cuda()
                    self.net(x)

        Learner(torch.nn.Linear(2, 2), GIVEN).learn([torch.ones(2).to("cuda")])
        """).replace("GIVEN", given)
    assert ("            x = x.cuda()\n" in fixed(CODE, code, unsafe=False)) is is_left


def test_half_a_test_is_taken_for_no_device_that_only_it_needs() -> None:
    head = "import torch\n\ndef f(x, other=None):\n"
    code = (
        head + "    if (other is None or other.y) and torch.cuda.is_available():\n        x = x.cuda()\n    return x\n"
    )
    assert fixed(CODE, code, unsafe=False) == code
    at_hand = code.replace(
        "    if", '    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n    if'
    )
    made = fixed(CODE, at_hand, unsafe=False)
    assert "    if other is None or other.y:\n        x = x.to(device)\n" in made


@pytest.mark.parametrize(("card", "kind"), [("params.gpu", "unsafe"), ("", "safe")])
def test_a_move_is_not_torn_from_one_to_a_card_under_its_test(card: str, kind: str) -> None:
    text = (
        f"{FLAG}\n\ndef train(params, x):\n    if params.cuda:\n        if params.many:\n"
        f"            x = x.cuda().float()\n        else:\n            x = x.cuda({card})\n    return x\n"
    )
    assert {how for _, how in places(CODE, text)} == {kind}


@pytest.mark.parametrize(("test", "kinds"), [("torch.cuda.is_available()", ["none"]), ("use_gpu", ["safe"])])
def test_an_expression_that_asks_torch_keeps_a_move_for_which_it_has_no_device_of_its_own(
    test: str, kinds: list[str]
) -> None:
    text = (
        "import torch\nfrom torch import nn\n\n\ndef loss(device, x, use_gpu=True):\n"
        f"    criterion = nn.MSELoss().cuda() if {test} else nn.MSELoss()\n    return criterion(x.to(device), x.to(device))\n"
    )
    assert [how for _, how in places(CODE, text)] == kinds


@pytest.mark.parametrize(
    ("test", "kind"), [("torch.cuda.is_available()", "none"), ("x.is_cuda", "none"), ("use_cuda", "safe")]
)
def test_a_move_to_a_card_that_is_given_gains_nothing_where_there_is_cuda(test: str, kind: str) -> None:
    text = (
        "import torch\n\n\ndef place(x, y, device=None, use_cuda=True):\n"
        f"    if {test}:\n        if device:\n            y = y.cuda(device)\n    return x + y\n"
    )
    assert [how for _, how in places(CODE, text)][-1:] == [kind]


CHOSEN = """\
import torch


def choose_device(opt):
    return torch.device("cuda" if opt["cuda"] and torch.cuda.is_available() else "cpu")


class Trainer:
    def __init__(self, opt, model):
        self.opt = opt
        self.model = model

    def load(self, path):
        self.opt = read(path)

    def step(self, x):
        device = choose_device(self.opt)
        y = torch.zeros(3).to(device)
        z = torch.from_numpy(x)
        {}
        if self.opt['cuda']:
            z = z.cuda()
        return y + z
"""


@pytest.mark.parametrize("between", ["z = self.model(z)", "self.model.train()", "self.model = z"])
def test_device_of_chooser_follows_what_it_asks(between: str) -> None:
    """Nothing between sets the options of the instance, though another method of it does."""
    assert "        z = z.to(device)\n" in fixed(CODE, CHOSEN.format(between), unsafe=False)


@pytest.mark.parametrize(
    "between", ["self.load(x)", "load(self)", "self.opt = read(x)", "super().load(x)", "me = self"]
)
def test_options_of_chooser_may_be_others(between: str) -> None:
    assert "        if self.opt['cuda']:\n" in fixed(CODE, CHOSEN.format(between), unsafe=False)


@pytest.mark.parametrize(
    ("head", "is_same"),
    [("for one in other:", True), ("for opt in other:", False), ("with other as opt:", False), ("with other:", True)],
)
def test_options_that_a_block_names_are_others(head: str, is_same: bool) -> None:
    text = (
        "import torch\n\n\ndef run(opt, x, other):\n    device = torch.device('cuda' if opt.cuda else 'cpu')\n"
        "    y = torch.zeros(3).to(device)\n"
        f"    {head}\n        if opt.cuda:\n            x = x.cuda()\n    return x, y\n"
    )
    assert ("        x = x.to(device)\n" in fixed(CODE, text, unsafe=False)) is is_same
