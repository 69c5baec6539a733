"""The comparison of where things go before and after a fix: what it calls the same, and what it shows."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from benchmarks import placements
from benchmarks.placement_names import Module, Project


def read(before: str, after: str, tmp_path: Path, beside: str = "") -> tuple[Module, Module]:
    """The two texts as files of a program."""
    roots = [tmp_path / "before", tmp_path / "after"]
    for root, text in zip(roots, (before, after)):
        root.mkdir()
        (root / "train.py").write_text("import torch\n" + dedent(text))
        (root / "options.py").write_text("import torch\n" + dedent(beside))
    old, new = Project(roots[0]).module("train.py"), Project(*roots).module("train.py")
    assert old is not None and new is not None
    return old, new


def shown(before: str, after: str, tmp_path: Path, beside: str = "") -> list[str]:
    """The lines that differ, each with the answers of the first case."""
    return [
        " ".join([*(f"{name}={answer}" for name, answer in one.answers.items()), *_texts(one)])
        for one in placements.differences(*read(before, after, tmp_path, beside))
        if not one.is_unknown
    ]


def shown_without_cuda(before: str, after: str, tmp_path: Path, beside: str = "") -> list[str]:
    """The lines that differ without CUDA, and what is moved there that may be no tensor."""
    old, new = read(before, after, tmp_path, beside)
    found = [*placements.differences(old, new, has_cuda=False), *placements.newly_moved(old, new)]
    return [" ".join(_texts(one)) for one in found]


def _texts(one: placements.Difference) -> list[str]:
    return [f"-{text.strip()}" for text, _ in one.before] + [f"+{text.strip()}" for text, _ in one.after]


DEVICE = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
FLAG_DEVICE = 'device = torch.device("cuda" if args.cuda and torch.cuda.is_available() else "cpu")\n'
SAME = {
    "a move": ("x = x.cuda()", DEVICE + "x = x.to(device)"),
    "a flag's move": ("if args.cuda:\n    x = x.cuda()", FLAG_DEVICE + "x = x.to(device)"),
    "a flag through another": (
        "args.cuda = not args.no_cuda and torch.cuda.is_available()\nif args.cuda:\n    model.cuda()",
        "args.cuda = not args.no_cuda and torch.cuda.is_available()\n"
        'device = torch.device("cuda" if args.cuda else "cpu")\nmodel.to(device)',
    ),
    "several in one": ("if args.cuda:\n    x, y = x.cuda(), y.cuda()", FLAG_DEVICE + "x, y = x.to(device), y.to(device)"),
    "a function that gives it": (
        "def f(x):\n    return x.cuda(non_blocking=True)",
        'def get_device():\n    return torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
        "def f(x):\n    return x.to(get_device(), non_blocking=True)",
    ),
    "an instance's": (
        "class A:\n    def __init__(self):\n        self.net = f().cuda()\n    def g(self, x):\n        return x.cuda()",
        "class A:\n    def __init__(self):\n"
        '        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
        "        self.net = f().to(self.device)\n    def g(self, x):\n        return x.to(self.device)",
    ),
    "a default": (
        'def f(x, device="cuda"):\n    return x.to(device)',
        "def f(x, device=None):\n    if device is None:\n"
        '        device = "cuda" if torch.cuda.is_available() else "cpu"\n    return x.to(device)',
    ),
    "a tensor type": (
        "Tensor = torch.cuda.FloatTensor if args.cuda else torch.FloatTensor\nx = Tensor([1.0])",
        FLAG_DEVICE + "x = torch.tensor([1.0], dtype=torch.float32, device=device)",
    ),
    "autocast": (
        "with torch.cuda.amp.autocast():\n    f()",
        DEVICE + 'with torch.autocast(device_type=device.type, enabled=device.type != "cpu"):\n    f()',
    ),
    "autocast by a name": (
        'from torch import autocast\nwith autocast("cuda", dtype=torch.float32):\n    f()',
        "from torch import autocast\n" + DEVICE + "device_type = device.type\n"
        'with autocast(device_type, dtype=torch.float32, enabled=device_type != "cpu"):\n    f()',
    ),
    "a global that a function sets": (
        "place = None\ndef start():\n    global place\n    place = g()\ndef f(x):\n    return x.cuda()",
        "place = None\ndef start():\n    global place\n    place = g()\ndef f(x):\n    return x.to(place)",
    ),
    "a device that is given": ('f(torch.device("cuda"))', DEVICE + "f(device)"),
    "a loop around moves": ("if args.cuda:\n    for x in y:\n        x.cuda()", FLAG_DEVICE + "for x in y:\n    x.to(device)"),
    "a call that is guarded": ("torch.cuda.synchronize()", "if torch.cuda.is_available():\n    torch.cuda.synchronize()"),
    "where a checkpoint goes": ("x = torch.load(path)", 'x = torch.load(path, map_location="cpu")'),
    "what goes back": ("if args.cuda:\n    m = m.cuda()\nelse:\n    m = m.cpu()", FLAG_DEVICE + "m = m.to(device)"),
    "an imported device": ("x = x.cuda()", "from options import device\nx = x.to(device)"),
}  # fmt: skip
SHOWN = {
    "a flag for what has none": (
        "x = x.cuda()", FLAG_DEVICE + "x = x.to(device)", ["args.cuda=False -x = put(x, 'cuda')"],
    ),
    "another flag": (
        "args.mix = not args.cuda\nif args.mix:\n    f(x.cuda())",
        "args.mix = not args.cuda\n" + FLAG_DEVICE + "if args.mix:\n    f(x.to(device))",
        ["args.cuda=False -f(put(x, 'cuda')) +f(x)"],
    ),
    "another card": ("x = x.cuda(1)", DEVICE + "x = x.to(device)", ["-x = put(x, 'cuda:1') +x = put(x, 'cuda')"]),
    "a statement that went": (
        "if args.cuda:\n    print('hello')\n    x = x.cuda()", FLAG_DEVICE + "x = x.to(device)",
        ["args.cuda=True -print('hello')"],
    ),
    "a copy that waits": (
        "x = x.cuda(non_blocking=True)", DEVICE + "x = x.to(device)",
        ["-x = put(x, 'cuda', non_blocking=True) +x = put(x, 'cuda')"],
    ),
    "another type": (
        "x = x.type(torch.cuda.LongTensor)", DEVICE + "x = x.to(device, torch.int32)",
        ["-x = put(x, 'cuda', dtype=int64) +x = put(x, 'cuda', dtype=int32)"],
    ),
}  # fmt: skip


CUDA = "if torch.cuda.is_available():\n    "
WITHOUT_CUDA = {
    "what may be None": (
        f"x = None\nif y:\n    x = f()\n{CUDA}x = x.cuda()", f"{DEVICE}x = None\nif y:\n    x = f()\nx = x.to(device)",
        ["+x is moved without CUDA, and may be None"],
    ),
    "a parameter that may be None": (
        "def f(x=None):\n    if torch.cuda.is_available():\n        x = x.cuda()\n    return x",
        f"{DEVICE}def f(x=None):\n    x = x.to(device)\n    return x",
        ["+x is moved without CUDA, and may be None"],
    ),
    "what is asked first": (
        "def f(x=None):\n    if torch.cuda.is_available():\n        if x is not None:\n            x = x.cuda()\n    return x",
        f"{DEVICE}def f(x=None):\n    if x is not None:\n        x = x.to(device)\n    return x",
        [],
    ),
    "a list": (
        f"x = [1]\n{CUDA}x = x.cuda()", f"{DEVICE}x = [1]\nx = x.to(device)",
        ["+x is moved without CUDA, and may be `[1]`"],
    ),
    "a class without to": (
        f"class A:\n    def cuda(self):\n        return self\na = A()\n{CUDA}a = a.cuda()",
        f"class A:\n    def cuda(self):\n        return self\n{DEVICE}a = A()\na = a.to(device)",
        ["+a is moved without CUDA, and may be of `A`, which has no `to`"],
    ),
    "a class of modules": (
        f"class A(torch.nn.Module):\n    pass\na = A()\n{CUDA}a = a.cuda()",
        f"class A(torch.nn.Module):\n    pass\n{DEVICE}a = A()\na = a.to(device)",
        [],
    ),
    "a value only with CUDA": (
        f"{CUDA}x = f()\n{CUDA}x = x.cuda()", f"{DEVICE}{CUDA}x = f()\nx = x.to(device)",
        ["+x is moved without CUDA, and gets its value only with CUDA"],
    ),
    "what ran only with CUDA": (f"{CUDA}print(1)\n    x = x.cuda()", f"{DEVICE}print(1)\nx = x.to(device)", ["+print(1)"]),
    "what ran only without": (
        f"{CUDA}x = x.cuda()\nelse:\n    print(1)", f"{DEVICE}x = x.to(device)", ["-print(1)"],
    ),
    "a guarded call": ("torch.cuda.synchronize()", f"{CUDA}torch.cuda.synchronize()", []),
    "a context": (
        "with torch.cuda.device(1):\n    f()",
        "with torch.cuda.device(1) if torch.cuda.is_available() else nullcontext():\n    f()",
        [],
    ),
    "a type": ("x = x.type(torch.cuda.LongTensor)", DEVICE + "x = x.to(device, torch.int64)", []),
}  # fmt: skip


@pytest.mark.parametrize("name", SAME)
def test_the_same(name: str, tmp_path: Path) -> None:
    before, after = SAME[name]
    assert shown(before, after, tmp_path, DEVICE) == []


@pytest.mark.parametrize("name", SAME)
def test_the_same_without_cuda(name: str, tmp_path: Path) -> None:
    before, after = SAME[name]
    assert shown_without_cuda(before, after, tmp_path, DEVICE) == []


@pytest.mark.parametrize("name", WITHOUT_CUDA)
def test_what_differs_without_cuda_is_shown(name: str, tmp_path: Path) -> None:
    before, after, expected = WITHOUT_CUDA[name]
    assert shown_without_cuda(before, after, tmp_path) == expected


@pytest.mark.parametrize("name", SHOWN)
def test_what_differs_is_shown(name: str, tmp_path: Path) -> None:
    before, after, expected = SHOWN[name]
    assert shown(before, after, tmp_path) == expected


def test_a_device_that_cannot_be_worked_out_is_shown_on_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, move in (("before", "cuda()"), ("after", "to(y.device)")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_text(f"def f(x, y):\n    return x.{move}\n")
    arguments = [str(tmp_path / "before"), "--fixed", str(tmp_path / "after")]
    assert placements.main(arguments) == 0
    assert placements.main([*arguments, "--unknown"]) == 1
    assert "+ return put(x, '?y.device')" in capsys.readouterr().out


@pytest.mark.slow
def test_repositories_are_fixed_in_a_copy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "import torch\n\nx = torch.ones(2).cuda()\nprint(x)\n"
    (tmp_path / "train.py").write_text(text)
    assert placements.main([str(tmp_path)]) == 0
    assert (tmp_path / "train.py").read_text() == text
    assert capsys.readouterr().out == "0 to read\n"
