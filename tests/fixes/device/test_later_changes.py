"""Flags that get their value, or another one, below the place where they are first bound."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

PROGRAM = """import torch
{}

def train(net, x):
    if {}:
        x = x.cuda()
        net = net.cuda()
    return net(x)


def main():
    {}
    print(train(torch.nn.Linear(1, 1), torch.ones(1)))


main()
"""
OPTIONS = "from tools import Options\nopt = Options()"
LOADED = "config = {'cuda': False}\n\ndef load(given):\n    given['cuda'] = torch.cuda.is_available()\n"


@pytest.mark.parametrize(
    ("defined", "flag", "line", "in_function"),
    [
        (OPTIONS, "opt.use_cuda", "opt.parse()", True),
        (OPTIONS, "opt.use_cuda", "opt.save()", False),
        (OPTIONS, "opt.use_cuda", "print(vars(opt))", False),
        (OPTIONS, "opt.use_cuda", "vars(opt).update(read())", True),
        (OPTIONS, "opt.use_cuda", "setattr(opt, read(), False)", True),
        (OPTIONS, "opt.use_cuda", "parser().parse_args(namespace=opt)", True),
        ("from absl import flags\nopt = flags.FLAGS", "opt.use_cuda", "pass", True),
        ("config = {}", "config['cuda']", "config.update(read())", True),
        (LOADED, "config['cuda']", "load(config)", True),
        (LOADED, "config['cuda']", "show(config)", False),
        (OPTIONS + "\nfor n in (1, 2):\n    opt.load(n)\n    print(n)", "opt.use_cuda", "pass", True),
        (OPTIONS + "\nopt.load(3)", "opt.use_cuda", "pass", False),
    ],
)
def test_options_that_a_function_sets(tmp_path: Path, defined: str, flag: str, line: str, in_function: bool) -> None:
    program = write_files(tmp_path / "p", {"main.py": PROGRAM.format(defined, flag, line), "tools.py": ""})
    text = fix_files(program)["main.py"]
    assert ("    device = " in text) is in_function
    assert ("\ndevice = " in text) is not in_function
    assert ".cuda()" not in text


@pytest.mark.parametrize(
    "line",
    [
        "args.cuda &= not args.debug",
        "args.cuda: bool = not args.debug",
        "args.cuda, seed = not args.debug, 3",
        "setattr(args, 'cuda', not args.debug)",
        "vars(args)['cuda'] = not args.debug",
        "vars(args).update(cuda=not args.debug)",
        "args.cuda = not args.debug",
    ],
)
def test_a_device_stands_below_all_that_sets_its_flag(tmp_path: Path, line: str) -> None:
    head = (
        "import argparse\nimport torch\n\nparser = argparse.ArgumentParser()\nparser.add_argument('--cuda', action='store_true')\n"
        "parser.add_argument('--debug', action='store_true')\nargs = parser.parse_args()\n"
    )
    uses = "net = torch.nn.Linear(1, 1)\nif args.cuda:\n    net.cuda()\nx = torch.ones(1)\nif args.cuda:\n    x = x.cuda()\n"
    text = fix_files(write_files(tmp_path / "p", {"main.py": f"{head}{line}\n{uses}"}))["main.py"]
    assert f"{line}\ndevice = " in text


def test_an_entry_that_is_changed_in_place(tmp_path: Path) -> None:
    line = 'config["cuda"] &= ask()'
    uses = 'net = torch.nn.Linear(1, 1)\nif config["cuda"]:\n    net.cuda()\nif config["cuda"]:\n    x = x.cuda()\n'
    program = f'import torch\nfrom tools import *\n\nconfig = {{"cuda": True}}\n{line}\n{uses}'
    text = fix_files(write_files(tmp_path / "p", {"main.py": program}))["main.py"]
    assert f"{line}\ndevice = " in text


def test_an_attribute_that_is_written_as_an_entry(tmp_path: Path) -> None:
    line = '    config["use_gpu"] = options.use_gpu'
    program = (
        f"import torch\nfrom tools import Settings\n\n\ndef main(options):\n    config = Settings('config.json')\n{line}\n"
        "    net = torch.nn.Linear(1, 1)\n    if config.use_gpu:\n        net.cuda()\n    return net\n"
    )
    text = fix_files(write_files(tmp_path / "p", {"main.py": program, "tools.py": "class Settings(dict):\n    pass\n"}))
    assert f"{line}\n    device = " in text["main.py"]


def test_a_flag_that_says_two_things_below_one_another(tmp_path: Path) -> None:
    program = PROGRAM.format(
        OPTIONS + "\nnet = torch.nn.Linear(1, 1)\nif opt.cuda:\n    net.cuda()\nopt.load()", "opt.cuda", "pass"
    )
    text = fix_files(write_files(tmp_path / "p", {"main.py": program, "tools.py": ""}))["main.py"]
    assert 'if opt.cuda else "cpu"' not in text.partition("opt.load()")[0]


@pytest.mark.parametrize(
    ("line", "in_function"),
    [
        ("import lib\nlib.use_cuda = False", True),
        ("import lib as other\nother.use_cuda = False", True),
        ("import lib\nsetattr(lib, 'use_cuda', False)", True),
        ("import lib\n\ndef test(monkeypatch):\n    monkeypatch.setattr(lib, 'use_cuda', False)", True),
        ("def test(monkeypatch):\n    monkeypatch.setattr('lib.use_cuda', False)", True),
        ("from unittest.mock import patch\n\n@patch('lib.use_cuda', False)\ndef test():\n    pass", True),
        ("import lib\nfrom unittest.mock import patch\npatch.object(lib, 'use_cuda', False)", True),
        ("import lib\nlib.other = False", False),
        ("args.use_cuda = False", False),
    ],
)
def test_a_flag_that_another_file_sets(tmp_path: Path, line: str, in_function: bool) -> None:
    lib = (
        "import torch\n\nuse_cuda = torch.cuda.is_available()\n\n\ndef train(net, x):\n    if use_cuda:\n"
        "        x = x.cuda()\n        net = net.cuda()\n    return net(x)\n"
    )
    text = fix_files(write_files(tmp_path / "p", {"lib.py": lib, "other.py": line + "\n"}))["lib.py"]
    assert ("    device = " in text) is in_function
    assert ("\ndevice = " in text) is not in_function
