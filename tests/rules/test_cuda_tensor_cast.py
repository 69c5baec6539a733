from __future__ import annotations

import pytest

from devlint.analysis.legacy_types.tensor_types import DTYPES
from tests.support import engine
from tests.support.rule_cases import CUDA, check, found, places, rule, source

CODE = "DEV202"
HEAD = "import torch\ndevice = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n"
F32 = "device, torch.float32"
IF = "if torch.cuda.is_available():\n"

CASTS = [
    ("y = x.type(torch.cuda.FloatTensor)", f"y = x.to({F32})"),
    ("y = x.type('torch.cuda.FloatTensor')", f"y = x.to({F32})"),
    ('y = x.type(u"torch.cuda.FloatTensor")', f"y = x.to({F32})"),
    ("y = x.type(dtype=torch.cuda.FloatTensor)", f"y = x.to({F32})"),
    ("y = x.type(torch.cuda.FloatTensor, True)", f"y = x.to({F32}, non_blocking=True)"),
    ("y = x.type(torch.cuda.FloatTensor, non_blocking=b)", f"y = x.to({F32}, non_blocking=b)"),
    ("x.type(torch.cuda.FloatTensor)", "x.type(torch.float32).to(device)"),
    ("net = make().type(torch.cuda.FloatTensor)", f"net = make().to({F32})"),
    (
        "net = torch.nn.BatchNorm1d(3).type(torch.cuda.HalfTensor)",
        "net = torch.nn.BatchNorm1d(3).type(torch.float16).to(device)",
    ),
    (
        "net = make()\nnet = net.type(torch.cuda.FloatTensor)\nnet.eval()",
        "net = make()\nnet = net.type(torch.float32).to(device)\nnet.eval()",
    ),
    (
        "def make():\n    return torch.nn.Linear(1, 1)\nnet = make().type(torch.cuda.FloatTensor)",
        "def make():\n    return torch.nn.Linear(1, 1)\nnet = make().type(torch.float32).to(device)",
    ),
    ("y = (x > 0).type(torch.cuda.FloatTensor)", f"y = (x > 0).to({F32})"),
    ("y = torch.ones(3).type(torch.cuda.FloatTensor).sum()", f"y = torch.ones(3).to({F32}).sum()"),
    ("y = x.data.type(torch.cuda.FloatTensor)[0]", f"y = x.data.to({F32})[0]"),
    ("y = [one.type(torch.cuda.FloatTensor) for one in x]", f"y = [one.to({F32}) for one in x]"),
    ("y = x.cuda().type(torch.cuda.FloatTensor)", f"y = x.to({F32})"),
    ("y = f(x).to(device).type(torch.cuda.FloatTensor)", f"y = f(x).to({F32})"),
    ("y = x.to(other).type(torch.cuda.FloatTensor)", f"y = x.to(other).to({F32})"),
    ("y = lambda x: x.type(torch.cuda.FloatTensor)", f"y = lambda x: x.to({F32})"),
    ("if x: y = x.type(torch.cuda.FloatTensor)", f"if x: y = x.to({F32})"),
    (
        "a = x.type(torch.cuda.FloatTensor); b = y.type('torch.cuda.LongTensor')",
        f"a = x.to({F32}); b = y.to(device, torch.int64)",
    ),
    ("y = f(x.type(torch.cuda.FloatTensor)).type(torch.cuda.FloatTensor)", f"y = f(x.to({F32})).to({F32})"),
    ("y = x.type((torch.cuda.FloatTensor))", f"y = x.to({F32})"),
    (
        "y = x.type(  # one\n    torch.cuda.FloatTensor,  # two\n    non_blocking=True,\n)",
        f"y = x.to(  # one\n    {F32},  # two\n    non_blocking=True,\n)",
    ),
    ("y = x.type(\n    dtype\n    =\n    torch.cuda.FloatTensor\n)", f"y = x.to(\n    {F32}\n)"),
    ("y = x.type(torch.cuda.sparse.FloatTensor)", f"y = x.to({F32})"),
    ("y = x.type(torch.cuda.FloatTensor if torch.cuda.is_available() else torch.FloatTensor)", f"y = x.to({F32})"),
    (
        "y = x.type(torch.cuda.FloatTensor if many else torch.FloatTensor)",
        'y = x.to(device if many else "cpu", torch.float32)',
    ),
    (
        "y = x.type('torch.FloatTensor' if slow else 'torch.cuda.FloatTensor')",
        "y = x.to(device if not slow else 'cpu', torch.float32)",
    ),
    (
        "y = x.type(torch.cuda.FloatTensor if z.is_cuda else torch.FloatTensor)",
        "y = x.to(z.device, torch.float32)",
    ),
    ("y = x.type(torch.cuda.FloatTensor if x.is_cuda else torch.FloatTensor)", "y = x.to(torch.float32)"),
    (f"{IF}    y = x.type(torch.cuda.FloatTensor)\nelse:\n    y = x.type(torch.FloatTensor)", f"y = x.to({F32})"),
    (f"{IF}    y = x.type('torch.cuda.FloatTensor')\nelse:\n    y = x.type('torch.FloatTensor')", f"y = x.to({F32})"),
    (
        f"{IF}    y = x.type(torch.cuda.FloatTensor); z = z.cuda()\nelse:\n    y = x.type(torch.FloatTensor); z = z",
        f"y = x.to({F32}); z = z.to(device)",
    ),
    (
        "y = x.type(torch.cuda.FloatTensor) if torch.cuda.is_available() else x.type(torch.FloatTensor)",
        f"y = x.to({F32})",
    ),
    (
        f"def f(x):\n    {IF}        return x.type(torch.cuda.FloatTensor)\n    return x.type(torch.FloatTensor)",
        f"def f(x):\n    return x.to({F32})",
    ),
    (
        f"{IF}    y = x.type(torch.cuda.FloatTensor)\nelse:\n    y = x.type(torch.DoubleTensor)",
        f"{IF}    y = x.to({F32})\nelse:\n    y = x.type(torch.DoubleTensor)",
    ),
    (
        f"{IF}    y = x.type(torch.cuda.FloatTensor)\nelse:\n    y = x.type(torch.FloatTensor)  # slow",
        f"{IF}    y = x.to({F32})\nelse:\n    y = x.type(torch.FloatTensor)  # slow",
    ),
    (
        "if many:\n    y = x.type(torch.cuda.FloatTensor)\nelse:\n    y = x.type(torch.FloatTensor)",
        f"if many:\n    y = x.to({F32})\nelse:\n    y = x.type(torch.FloatTensor)",
    ),
]
LEFT = [
    "y = x.type(torch.cuda.HalfTensor if many else torch.FloatTensor)",
    "y = x.type(torch.cuda.FloatTensor, a=1)",
]
SILENT = [
    "y = x.type(torch.FloatTensor)",
    "y = x.type(kind)",
    "y = x.type()",
    "y = x.cast('torch.cuda.FloatTensor')",
    "y = f('torch.cuda.FloatTensor')",
    "y = x.type('cupy.cuda.FloatTensor')",
    "y = type(torch.cuda.FloatTensor)",
    "y = 'x.type(torch.cuda.FloatTensor)'",
]


@pytest.mark.parametrize(("before", "after"), CASTS)
def test_casts(before: str, after: str) -> None:
    check(CODE, HEAD + before + "\n", HEAD + after + "\n")
    assert {kind for _, kind in places(CODE, HEAD + before + "\n")} == {"safe"}


@pytest.mark.parametrize("text", LEFT)
def test_no_fix(text: str) -> None:
    assert {kind for _, kind in places(CODE, HEAD + text + "\n")} == {"none"}


@pytest.mark.parametrize("text", SILENT)
def test_nothing_found(text: str) -> None:
    assert not found(CODE, HEAD + text + "\n")


@pytest.mark.parametrize(("name", "dtype"), DTYPES.items())
def test_every_type(name: str, dtype: str) -> None:
    for written in (f"torch.cuda.{name}", f'"torch.cuda.{name}"'):
        check(CODE, f"{HEAD}y = x.type({written})\n", f"{HEAD}y = x.to(device, torch.{dtype})\n", "safe")


def test_the_flag_of_the_choice_decides() -> None:
    before = """
        import torch
        use_cuda = args.cuda and torch.cuda.is_available()
        x = x.type(torch.cuda.FloatTensor if use_cuda else torch.FloatTensor)
    """
    after = """
        import torch
        use_cuda = args.cuda and torch.cuda.is_available()
        device = torch.device("cuda" if use_cuda else "cpu")
        x = x.to(device, torch.float32)
    """
    check(CODE, before, after, "safe")


def test_a_guarded_cast_is_fixed_in_place() -> None:
    before = """
        import torch
        use_cuda = torch.cuda.is_available()
        if use_cuda:
            x = x.type(torch.cuda.FloatTensor)
    """
    after = """
        import torch
        use_cuda = torch.cuda.is_available()
        device = torch.device("cuda" if use_cuda else "cpu")
        if use_cuda:
            x = x.to(device, torch.float32)
    """
    check(CODE, before, after, "safe")


def test_several_functions_that_cast_share_one_device() -> None:
    head = "import torch\n\n\ndef first(x):\n    return {}\n\n\ndef second(x):\n    return {}\n\n\ndef third(x):\n    return {}\n"
    before = head.format(
        "x.type(torch.cuda.FloatTensor)", "x + x.type(torch.cuda.LongTensor)", "torch.cuda.FloatTensor(2, 3).zero_()"
    )
    result = engine.fix(source(before), [rule(CODE), rule("DEV201")], CUDA, False)
    after = result.text
    assert after.count("is_available()") == 1
    assert after.count("get_device()") == 4
    assert "return x.to(get_device(), torch.float32)" in after


@pytest.mark.parametrize(
    ("chosen", "card", "is_safe"),
    [("args.gpu", "0", False), ("args.gpu", "args.gpu", True), ("0", "0", True), ("'cuda:0'", "0", True)],
)
def test_a_card_that_is_not_the_current_one(chosen: str, card: str, is_safe: bool) -> None:
    other = f"torch.cuda.set_device({chosen})\n    print(cast(torch.ones(2).cuda({card})))\n"
    text = f"import torch\n\n\ndef cast(x):\n    return x.type(torch.cuda.FloatTensor)\n\n\ndef run(args):\n    {other}"
    after = engine.fix(source(text), [rule(CODE)], CUDA, False).text
    assert ("x.type" not in after) is is_safe
