"""Models that run in DataParallel are on CUDA wherever there is CUDA, whatever a flag says of their inputs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

HEAD = (
    "import argparse\nimport torch\nfrom torch.nn import DataParallel\nfrom par import Balanced, Plain\n\n\n"
    "class Own(DataParallel):\n    pass\n\n\ndef wrap(net):\n    return DataParallel(net)\n\n\n"
    "parser = argparse.ArgumentParser()\nparser.add_argument('--no-cuda', action='store_true')\nargs = parser.parse_args()\n"
)
PAR = (
    "import torch\n\n\nclass Balanced(torch.nn.DataParallel):\n    pass\n\n\nclass Plain(torch.nn.Module):\n    pass\n"
)
TAIL = "\nx = torch.ones(1)\nif not args.no_cuda:\n    x = x.cuda()\nprint(net(x))\n"


@pytest.mark.parametrize(
    ("made", "follows"),
    [
        ("net = DataParallel(torch.nn.Linear(1, 1)).cuda()", False),
        ("net = torch.nn.Linear(1, 1).cuda()\nnet = DataParallel(net)", False),
        ("one = torch.nn.Linear(1, 1)\none.cuda()\nnet = DataParallel(one)", False),
        ("net = DataParallel(module=torch.nn.Linear(1, 1).cuda())", False),
        ("net = wrap(torch.nn.Linear(1, 1)).cuda()", False),
        ("net = Own(torch.nn.Linear(1, 1)).cuda()", False),
        ("net = Balanced(torch.nn.Linear(1, 1)).cuda()", False),
        ("net = torch.nn.Linear(1, 1)\nnet = DataParallel(net) if args.many else net\nnet.cuda()", False),
        ("net = DataParallel(torch.nn.Linear(1, 1)).train().cuda()", False),
        ("net = torch.nn.Linear(1, 1).cuda()\nprint(torch.nn.parallel.data_parallel(net, 1))", False),
        ("net = Plain(torch.nn.Linear(1, 1)).cuda()", True),
        ("net = torch.nn.Linear(1, 1).cuda()", True),
    ],
)
def test_a_parallel_model_by_other_words(tmp_path: Path, made: str, follows: bool) -> None:
    text = fix_files(write_files(tmp_path / "p", {"par.py": PAR, "main.py": HEAD + made + TAIL}))["main.py"]
    assert ("if not args.no_cuda and torch.cuda.is_available()" in text) is follows
    assert ".cuda()" not in text


def test_a_parallel_model_of_an_instance(tmp_path: Path) -> None:
    text = (
        "import torch\n\n\nclass Trainer:\n    def __init__(self, net, use_gpu):\n        self.use_gpu = use_gpu\n"
        "        self.net = {}(net)\n        self.net = self.net.cuda()\n\n    def step(self, x):\n        if self.use_gpu:\n"
        "            x = x.cuda()\n        return self.net(x)\n"
    )
    for made, follows in (("torch.nn.DataParallel", False), ("torch.nn.Sequential", True)):
        after = fix_files(write_files(tmp_path / made, {"main.py": text.format(made)}))["main.py"]
        assert ('"cuda" if self.use_gpu' in after) is follows


@pytest.mark.parametrize(("wrapper", "follows"), [("DataParallel", False), ("Sequential", True)])
def test_a_parallel_model_beside_a_device_of_the_options(tmp_path: Path, wrapper: str, follows: bool) -> None:
    """It moves its inputs to its cards itself, so that an option for the CPU has worked on CUDA."""
    config = (
        "import argparse\nimport torch\n\n\ndef parse():\n    parser = argparse.ArgumentParser()\n"
        "    parser.add_argument('--no_cuda', action='store_true')\n    args = parser.parse_args()\n"
        "    args.device = torch.device('cpu' if args.no_cuda else 'cuda')\n    return args\n"
    )
    model = (
        "import torch\n\n\ndef make(args):\n    return Net(device=args.device)\n\n\ndef wrap(net, args):\n"
        f"    return torch.nn.{wrapper}(net).cuda()\n"
    )
    files = {"setup.py": "", "config.py": config, "model.py": model}
    after = fix_files(write_files(tmp_path / "p", files), unsafe=False)["model.py"]
    assert (".to(args.device)" in after) is follows
    assert ".cuda()" not in after


@pytest.mark.parametrize(
    ("line", "left"),
    [("", 0), ("    print(model(torch.ones(3).cuda()))\n", 2), ("    if args.deep:\n        model.half().cuda()\n", 2)],
)
def test_a_parallel_model_under_a_test_of_the_same_option(tmp_path: Path, line: str, left: int) -> None:
    """Where all is under tests, no device decides about what is moved without one."""
    text = (
        "import argparse\nimport torch\n\n\ndef train(rows, cuda, several):\n    model = torch.nn.Linear(3, 3)\n"
        "    if cuda:\n        model = model.cuda()\n    if several:\n        model = torch.nn.DataParallel(model)\n"
        "    for x in rows:\n        if cuda:\n            x = x.cuda()\n        print(model(x))\n\n\n"
        "def test(args):\n    model = torch.nn.Linear(3, 3)\n    if args.cuda:\n        model = model.cuda()\n"
        f"    model = torch.nn.DataParallel(model)\n{line}    print(model(torch.ones(3)))\n\n\n"
        "parser = argparse.ArgumentParser()\nparser.add_argument('--cuda', action='store_true')\n"
        "parser.add_argument('--deep', action='store_true')\nargs = parser.parse_args()\n"
        "if args.deep:\n    test(args)\nelse:\n    train([torch.ones(3)], args.cuda, args.deep)\n"
    )
    after = fix_files(write_files(tmp_path / "p", {"main.py": text}), unsafe=False)["main.py"]
    assert after.count("if cuda:") == left


LATE = (
    "import argparse\nimport torch\n\n\nparser = argparse.ArgumentParser()\n"
    "parser.add_argument('--cuda', action='store_true')\nparser.add_argument('--many', action='store_true')\n"
    "args = parser.parse_args()\n{}\nx = torch.ones(1)\nif args.cuda:\n    x = x.cuda()\n"
    "out = net(x)\nprint(out)\n"
)
MOVE = "if args.cuda:\n    net = net.cuda()"
DEVICE = "device = torch.device('cuda' if args.cuda else 'cpu')"
SHOWN = "out = net(torch.ones(1))\nif args.cuda:\n    out = out.cuda()\nprint(out)"
SEVERAL = "if torch.cuda.device_count() > 1:\n    net = torch.nn.DataParallel(net)"


@pytest.mark.parametrize(
    ("lines", "left"),
    [
        (["net = torch.nn.DataParallel(torch.nn.Linear(1, 1))", MOVE], True),
        ([DEVICE, "net = torch.nn.DataParallel(torch.nn.Linear(1, 1))", MOVE], True),
        (["net = torch.nn.Linear(1, 1)", "if args.many:\n    net = torch.nn.DataParallel(net)", MOVE], True),
        (["net = torch.nn.Linear(1, 1)", MOVE, "net = torch.nn.DataParallel(net)", SHOWN], True),
        (["net = torch.nn.Linear(1, 1)", MOVE, "net = torch.nn.DataParallel(net)"], False),
        (["net = torch.nn.Linear(1, 1)", "if args.cuda:\n    net = torch.nn.DataParallel(net)", MOVE], False),
        (["net = torch.nn.Linear(1, 1)", SEVERAL, MOVE], False),
    ],
)
def test_a_parallel_model_that_is_moved_by_a_flag_once_it_is_one(tmp_path: Path, lines: list[str], left: bool) -> None:
    """On a machine with one card it is there already, and the CPU of the flag would take it away."""
    text = LATE.format("\n".join(lines))
    after = fix_files(write_files(tmp_path / "p", {"main.py": text}), unsafe=False).get("main.py", text)
    assert (".cuda()" in after) is left
    assert left or ".to(device)" in after
