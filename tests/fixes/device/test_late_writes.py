"""Options that get another value after they were asked: by another name, in another file, through their dictionary."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

OPTIONS = "import argparse\n\nimport torch\nimport {}\n\nparser = argparse.ArgumentParser()\n"
OPTIONS += "parser.add_argument('--cuda', action='store_true')\n"
SCRIPT = OPTIONS + "{}args = parser.parse_args()\n{}x = torch.ones(1)\nif args.cuda:\n    x = x.cuda()\n{}"
SCRIPT += "y = torch.ones(1)\nif args.cuda:\n    y = y.cuda()\nprint(x, y)\n"
LATE = [
    ("", "", "opt = args\nopt.cuda = False\n", ""),
    ("", "state = vars(args)\n", 'state["cuda"] = False\n', ""),
    ("", "", "helper.prepare(args)\n", "def prepare(opt):\n    opt.cuda = False\n"),
    ("", "", "helper.prepare(vars(args))\n", 'def prepare(state):\n    state["cuda"] = False\n'),
    ("", "", "helper.prepare(args.__dict__)\n", "def prepare(state):\n    state.update(cuda=False)\n"),
    ("", "", "helper.prepare(args)\n", "def prepare(opt):\n    off(opt)\n\n\ndef off(opt):\n    opt.cuda = False\n"),
    (
        "",
        "helper.keep(args)\n",
        "helper.off()\n",
        "def keep(opt):\n    global kept\n    kept = opt\n\n\ndef off():\n    kept.cuda = False\n",
    ),
    ("def put(opt, key, value):\n    setattr(opt, key, value)\n\n\n", "", 'put(args, "cuda", False)\n', ""),
    ("def put(o):\n    for key, value in kept:\n        setattr(o, key, value)\n\n\n", "", "put(args)\n", ""),
]
EARLY = [
    ("", "", "args.cuda = False\n", ""),
    ("", "helper.prepare(args)\n", "", "def prepare(opt):\n    opt.cuda = False\n"),
    ("", "", "", "def parse(parser):\n    opt = parser.parse_args()\n    opt.cuda = False\n    return opt\n"),
    ("", "", "other = helper.copy(args)\nother.cpu = False\n", ""),
    ("", "", "args.cuda = args.cuda and torch.cuda.is_available()\n", ""),
    ("", "", "if not torch.cuda.is_available():\n    args.cuda = False\n", ""),
]
MOVE = "import torch\n\n\nclass Net:\n    def __init__(self, args):\n        self.args = args\n\n"
MOVE += "    def step(self, x):\n        if self.args.cuda:\n            x = x.cuda()\n        return x\n"
KEPT = "import torch\n\n\nclass Net:\n    def __init__(self, use_cuda):\n        self.use_cuda = use_cuda\n"
KEPT += "        self.device = torch.device('cuda' if self.use_cuda else 'cpu')\n\n{}"
KEPT += (
    "    def step(self, x):\n        if self.use_cuda:\n            x = x.cuda()\n        return x.to(self.device)\n"
)
LOCAL = "import torch\n\n\ndef main(use_cuda):\n    {}device = torch.device('cuda' if use_cuda else 'cpu')\n{}"
LOCAL += "    x = torch.ones(1)\n    if use_cuda:\n        x = x.cuda()\n    return x.to(device)\n"


def _script(above: str, before: str, between: str) -> str:
    return SCRIPT.format("helper", above, before, between)


@pytest.mark.parametrize(("above", "before", "between", "helper"), LATE)
def test_options_that_are_written_after_the_first_move(
    tmp_path: Path, above: str, before: str, between: str, helper: str
) -> None:
    files = {"main.py": _script(above, before, between), "helper.py": helper}
    assert "if args.cuda:\n    y = y." in fix_files(write_files(tmp_path / "p", files)).get("main.py", files["main.py"])


@pytest.mark.parametrize(("above", "before", "between", "helper"), EARLY)
def test_options_that_keep_their_value(tmp_path: Path, above: str, before: str, between: str, helper: str) -> None:
    files = {"main.py": _script(above, before, between), "helper.py": helper}
    assert "\ny = y.to(device)" in fix_files(write_files(tmp_path / "p", files))["main.py"]


@pytest.mark.parametrize(
    ("main", "is_kept"),
    [
        ("args = parse()\nnet = Net(args)\nargs.cuda = False\nnet.step(x)\n", False),
        ("net = Net(parse())\nnet.args.cuda = False\nnet.step(x)\n", False),
        ("def main(opt):\n    opt.cuda = False\n\n\nmain(args)\n", False),
        ("def main():\n    args = parse()\n    args.cuda = False\n    print(args)\n    net = Net(args)\n", True),
        ("args = parse()\nargs.cuda = False\nnet = Net(args)\n", True),
        ("net = Net(args)\nargs.cuda = args.cuda and torch.cuda.is_available()\n", False),
        ("def main(opt):\n    opt.cuda = opt.cuda and torch.cuda.is_available()\n    net = Net(opt)\n", True),
        ("args = check(parse())\nnet = Net(args)\nprint(args.cuda == 1)\n", True),
    ],
)
def test_options_that_an_instance_keeps(tmp_path: Path, main: str, is_kept: bool) -> None:
    files = {"main.py": f"from helper import parse\nfrom net import Net\n\n{main}", "net.py": MOVE}
    after = fix_files(write_files(tmp_path / "p", files)).get("net.py", "")
    assert ("self.device = " in after) is is_kept


def test_entries_that_an_instance_updates(tmp_path: Path) -> None:
    net = MOVE.replace("args.cuda", 'args["cuda"]') + "\n    def load(self, saved):\n        self.args.update(saved)\n"
    assert "self.device" not in fix_files(write_files(tmp_path / "p", {"net.py": net})).get("net.py", "")


@pytest.mark.parametrize(
    ("method", "outside", "is_kept"),
    [
        ("", "", True),
        ("    def off(self):\n        self.use_cuda = False\n\n", "", False),
        ("", "net.use_cuda = False\n", False),
        ("", "args.use_cuda = False\n", True),
        ("", "class Own(Net):\n    def off(self):\n        self.use_cuda = False\n", False),
    ],
)
def test_a_flag_of_an_instance_beside_its_device(tmp_path: Path, method: str, outside: str, is_kept: bool) -> None:
    main = f"from net import Net\n\nnet = Net(True)\n{outside}"
    after = fix_files(write_files(tmp_path / "p", {"net.py": KEPT.format(method), "main.py": main})).get("net.py", "")
    assert ("        x = x.to(self.device)\n        return" in after) is is_kept


@pytest.mark.parametrize(
    ("above", "below", "is_kept"),
    [
        ("", "", True),
        ("use_cuda = bool(use_cuda)\n    ", "", True),
        ("", "    use_cuda = False\n", False),
        ("", "    if use_cuda:\n        use_cuda = False\n", False),
        ("", "    def off():\n        nonlocal use_cuda\n        use_cuda = False\n\n    off()\n", False),
    ],
)
def test_a_variable_beside_the_device_that_was_built_from_it(
    tmp_path: Path, above: str, below: str, is_kept: bool
) -> None:
    after = fix_files(write_files(tmp_path / "p", {"main.py": LOCAL.format(above, below)})).get("main.py", "")
    assert ("    x = x.to(device)\n    return" in after) is is_kept


@pytest.mark.parametrize("is_imported", [False, True])
def test_a_class_whose_cuda_is_a_flag(tmp_path: Path, is_imported: bool) -> None:
    net = "import torch\n\n\nclass Net(torch.nn.Module):\n    def __init__(self, cuda):\n        super().__init__()\n"
    net += "        self.cuda = cuda\n\n\n"
    main = "net = Net(True)\ntry:\n    net.cuda()\nexcept TypeError:\n    pass\n"
    both = {"net.py": net, "main.py": f"import torch\nfrom net import Net\n\n{main}"}
    files = both if is_imported else {"main.py": net + main}
    assert "net.to(" not in fix_files(write_files(tmp_path / "p", files)).get("main.py", "")
