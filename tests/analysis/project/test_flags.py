"""Flags that are set without asking for CUDA, by the callers of a class or in a configuration of another file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

OPTION = (
    "import argparse\nimport torch\n\n\nclass Experiment:\n    def __init__(self, data, cuda=False):\n"
    "        self.data = data\n        self.cuda = cuda\n\n    def run(self, x):\n        if self.cuda:\n"
    "            x = x.cuda()\n        return x\n\n\nif __name__ == '__main__':\n    parser = argparse.ArgumentParser()\n"
    "    parser.add_argument('--cuda', type=bool, default={})\n    args = parser.parse_args()\n"
    "    Experiment({}).run(torch.ones(2))\n"
)
LIBRARY = (
    "import torch\nfrom data import cfg\n\nGPU = {}\n\n\ndef loss(x, y):\n"
    "    if GPU:\n        x = x.cuda()\n    return x - y\n"
)
ASKS = "and torch.cuda.is_available() else 'cpu')"


def fixed(tmp_path: Path, files: dict[str, str]) -> str:
    """The fixed program on one line with one kind of quotes, since its lines may be broken."""
    found = fix_files(write_files(tmp_path / "p", {"pyproject.toml": "", **files}), unsafe=False)
    return (
        " ".join(found["train.py"].replace('"', "'").replace("(\n", "( ").split()).replace("( ", "(").replace(" )", ")")
    )


@pytest.mark.parametrize("given", ["1, args.cuda", "1, cuda=args.cuda", "data=1, cuda=True"])
def test_an_option_given_to_a_class_of_the_file_never_asks(tmp_path: Path, given: str) -> None:
    text = fixed(tmp_path, {"train.py": OPTION.format("True", given)})
    assert f"self.device = torch.device('cuda' if self.cuda {ASKS}" in text


@pytest.mark.parametrize("given", ["1, torch.cuda.is_available()", "1, args.cuda and torch.cuda.is_available()"])
def test_who_gives_a_class_what_asks_is_not_asked_again(tmp_path: Path, given: str) -> None:
    text = fixed(tmp_path, {"train.py": OPTION.format("True", given)})
    assert "self.device = torch.device('cuda' if self.cuda else 'cpu')" in text


def test_an_entry_of_another_files_configuration_never_asks(tmp_path: Path) -> None:
    files = {"data/__init__.py": "from .config import *\n", "data/config.py": "cfg = {'size': 8, 'gpu': True}\n"}
    text = fixed(tmp_path, {"train.py": LIBRARY.format("cfg['gpu']"), **files})
    assert f"def loss(x, y): device = torch.device('cuda' if GPU {ASKS}" in text


@pytest.mark.parametrize("config", ["{'gpu': ask()}", "{**others, 'gpu': True}", "{'gpu': False}", "load('gpu')"])
def test_what_an_entry_is_must_be_seen(tmp_path: Path, config: str) -> None:
    text = fixed(tmp_path, {"train.py": LIBRARY.format("cfg['gpu']"), "data.py": f"cfg = {config}\n"})
    assert "torch.device('cuda' if GPU else 'cpu')" in text


def test_a_name_of_another_files_configuration_never_asks(tmp_path: Path) -> None:
    files = {"data.py": "class cfg: ...\n", "settings.py": "USE_GPU = True\n"}
    text = fixed(tmp_path, {"train.py": "import settings\n" + LIBRARY.format("settings.USE_GPU"), **files})
    assert f"def loss(x, y): device = torch.device('cuda' if GPU {ASKS}" in text


@pytest.mark.parametrize("setter", ["args.cuda = torch.cuda.is_available()", "setattr(args, 'cuda', False)"])
def test_an_option_that_another_file_sets_is_asked_below_that(tmp_path: Path, setter: str) -> None:
    program = (
        "import settings\nimport torch\n\n\ndef main(args):\n    settings.setup(args)\n    net = torch.nn.Linear(2, 2)\n"
        "    if args.cuda:\n        net.cuda()\n    return net\n"
    )
    files = {"settings.py": f"import torch\n\n\ndef setup(args):\n    {setter}\n", "train.py": program}
    assert "2, 2) device = torch.device('cuda' if args.cuda else 'cpu') net.to(device)" in fixed(tmp_path, files)


SCRIPT = (
    "import argparse\nimport torch\nfrom train import Trainer\n\nparser = argparse.ArgumentParser()\n"
    "parser.add_argument('--use_gpu', type=bool, default=True)\nargs = parser.parse_args()\n{}Trainer(args).run()\n"
)
RUN = (
    "import torch\n\n\nclass Trainer:\n    def __init__(self, args):\n        self.args = args\n\n    def run(self):\n"
    "        x = torch.ones(2)\n        if self.args.use_gpu:\n            x = x.cuda()\n        return x\n"
)
ASKED = "args.use_gpu = args.use_gpu and torch.cuda.is_available()\n"


@pytest.mark.parametrize(
    ("first", "second", "joined"),
    [(ASKED, "", True), ("", "", True), (ASKED, ASKED, False)],
    ids=["one", "none", "both"],
)
def test_one_of_two_scripts_asks_before_it_gives_its_options(
    tmp_path: Path, first: str, second: str, joined: bool
) -> None:
    files = {"train.py": RUN, "small.py": SCRIPT.format(first), "large.py": SCRIPT.format(second)}
    assert (ASKS in fixed(tmp_path, files)) is joined


ENGINE = (
    "import torch\n\n\ndef load(x, cuda):\n    if cuda:\n        x = x.cuda()\n    return x\n\n\n"
    "def batch(items, opt):\n    x = torch.stack(items)\n    if opt['cuda']:\n        x = x.cuda()\n    return x\n"
)
MAIN = (
    "import torch\nfrom train import batch, load\n\n{}\n\nif __name__ == '__main__':\n"
    "    params = dict(cuda=bool(1))\n    print(batch([torch.ones(2)], params), load(torch.ones(2), params['cuda']))\n"
)


@pytest.mark.parametrize(
    ("line", "joined"),
    [
        ("", True),
        ("torch.distributed.is_available()", True),
        ("device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')", True),
        ("if torch.cuda.is_available():\n    torch.cuda.set_device(0)", True),
        ("GPU = torch.cuda.is_available()", False),
        ("GPU = True if torch.cuda.is_available() else False", False),
        ("if not torch.cuda.is_available():\n    cuda = 0", False),
        ("if not torch.cuda.is_available():\n    raise RuntimeError('no CUDA')", False),
    ],
)
def test_the_flags_of_a_program_that_never_asks_for_cuda_are_joined(tmp_path: Path, line: str, joined: bool) -> None:
    text = fixed(tmp_path, {"train.py": ENGINE, "main.py": MAIN.format(line)})
    assert text.count(ASKS) == (2 if joined else 0)


def test_the_flag_of_a_library_is_its_callers_business(tmp_path: Path) -> None:
    assert ASKS not in fixed(tmp_path, {"train.py": ENGINE, "other.py": "import torch\n"})


HANDED_ON = (
    "import torch\n\n\nclass Mask:\n    def __init__(self, n, no_cuda):\n        self.n = n\n        self.no_cuda = no_cuda\n\n"
    "    def make(self):\n        x = torch.ones(self.n)\n        if not self.no_cuda:\n            x = x.cuda()\n"
    "        return x\n\n\nclass Net:\n    def __init__(self, no_cuda{}):\n        self.no_cuda = no_cuda\n"
    "        self.mask = Mask(2, self.no_cuda)\n\n\ndef ask():\n    use_cuda = torch.cuda.is_available()\n"
    "    return use_cuda\n"
)


@pytest.mark.parametrize(("default", "joined"), [("=False", True), ("", False)])
def test_a_flag_that_classes_hand_on_under_one_name(tmp_path: Path, default: str, joined: bool) -> None:
    text = fixed(tmp_path, {"train.py": HANDED_ON.format(default)})
    assert (f"not self.no_cuda {ASKS}" in text) is joined


MIXED = (
    "import torch\nimport config as cfg\n\n\nclass Instructor:\n    def __init__(self, gen, dis):\n        self.gen = gen\n"
    "        self.dis = dis\n\n    def start(self):\n        if cfg.CUDA:\n            self.gen = self.gen.cuda()\n"
    "            self.dis = self.dis.cuda()\n\n    def train(self, batch):\n        weight = torch.rand(1).cuda()\n"
    "        if cfg.CUDA:\n            batch = batch.cuda()\n        return self.gen(batch) * weight\n"
)


@pytest.mark.parametrize(
    ("config", "gone"),
    [
        ("CUDA = True\n", True),
        ("CUDA = True\n\n\ndef choose(options):\n    global CUDA\n    CUDA = options.cuda\n", True),
        ("CUDA = False\n", False),
        ("CUDA = True\nCUDA = ask()\n", False),
    ],
)
def test_an_imported_flag_that_is_on_by_default_decides_for_a_whole_file(
    tmp_path: Path, config: str, gone: bool
) -> None:
    text = fixed(tmp_path, {"train.py": MIXED, "config.py": config, "main.py": "import torch\nimport train\n"})
    assert ("def get_device(): return torch.device('cuda' if cfg.CUDA and" in text) is gone
    assert ("if cfg.CUDA:" not in text) is gone
    # A constant that is off keeps its moves, as any test that is off by default does.
    assert (".cuda()" in text) is (config == "CUDA = False\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("import config as cfg\n\n\n", "import config as cfg\n\ncfg.CUDA = ask()\n\n\n"),
        ("        weight = torch.rand(1).cuda()\n", "        weight = torch.rand(1).cuda()\n        cfg.read(batch)\n"),
    ],
)
def test_an_imported_flag_that_may_say_something_else_decides_for_what_it_guards(
    tmp_path: Path, old: str, new: str
) -> None:
    text = fixed(tmp_path, {"train.py": MIXED.replace(old, new), "config.py": "CUDA = True\n"})
    assert "if cfg.CUDA: batch = batch.to(" in text


def test_what_never_meets_anything_that_an_imported_flag_moves_is_on_cuda_as_before(tmp_path: Path) -> None:
    other = "\n\ndef other(shape):\n    return torch.ones(shape).cuda().sum().item()\n"
    text = fixed(tmp_path, {"train.py": MIXED + other, "config.py": "CUDA = True\n"})
    assert "torch.device('cuda' if torch.cuda.is_available() else 'cpu')" in text
