from __future__ import annotations

import ast
from pathlib import Path

import pytest

from devlint.analysis.project.module import ProjectModule
from devlint.analysis.project.project import Project
from devlint.analysis.slots.given.given_entries import flag_in_entries
from devlint.core.target import Target
from devlint.sources.source import Source
from tests.support import engine
from tests.support.rule_cases import rule


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("DEBUG = False\nUSE = not DEBUG\nparams = {'use_cuda': USE}\n", True),
        ("params = dict(use_cuda=True)\n", True),
        ("params = {}\nparams['use_cuda'] = False\n", False),
        ("a = {'use_cuda': True}\nb = {'use_cuda': False}\n", None),
        ("a = {'use_cuda': True}\nif not a:\n    a['use_cuda'] = False\n", None),
        ("a = {'use_cuda': read()}\n", None),
        ("USE = True\nUSE = read()\na = {'use_cuda': USE}\n", None),
        ("a = {'other': True}\n", None),
    ],
)
def test_what_all_files_give_an_entry(tmp_path: Path, text: str, expected: bool | None) -> None:
    (tmp_path / "setup.py").touch()
    (tmp_path / "main.py").write_text(text)
    path = tmp_path / "trainer.py"
    path.write_text("def run(params):\n    return params['use_cuda']\n")
    module = ProjectModule(str(path), ast.parse(path.read_text()))
    assert flag_in_entries(Project(str(path)), module, "use_cuda") is expected


TRAINER = """\
import torch


class Trainer:
    def __init__(self, params):
        USE_CUDA = params["use_cuda"]
        if {}:
            torch.cuda.set_device(params["card"])
            device = torch.device("cuda", params["card"])
        else:
            device = torch.device("cpu")
        self.device = device
"""


@pytest.mark.parametrize(
    ("value", "test"),
    [
        ("True", "USE_CUDA and torch.cuda.is_available()"),
        ("not DEBUG", "USE_CUDA and torch.cuda.is_available()"),
        ("False", "USE_CUDA"),
        ("torch.cuda.is_available()", "USE_CUDA"),
        ("args.cuda", "USE_CUDA"),
    ],
)
def test_a_test_by_an_entry_that_is_true_asks_torch_as_well(tmp_path: Path, value: str, test: str) -> None:
    main = (
        f"import torch\n\nfrom trainer import Trainer\n\nDEBUG = False\nTrainer({{'use_cuda': {value}, 'card': 0}})\n"
    )
    (tmp_path / "setup.py").touch()
    (tmp_path / "main.py").write_text(main)
    path = tmp_path / "trainer.py"
    path.write_text(TRAINER.format("USE_CUDA"))
    source = Source.from_text(str(path), path.read_text())
    rules = [rule(code) for code in ("DEV103", "DEV501")]
    assert engine.fix(source, rules, Target()).text == TRAINER.format(test)


def test_what_another_program_of_the_project_asks_is_not_this_one_s_flag(tmp_path: Path) -> None:
    main = "from trainer import Trainer\n\nTrainer({'use_cuda': True, 'card': 0})\n"
    (tmp_path / "setup.py").touch()
    (tmp_path / "main.py").write_text(main)
    (tmp_path / "old.py").write_text("import torch\n\nuse_cuda = torch.cuda.is_available()\n")
    path = tmp_path / "trainer.py"
    path.write_text(TRAINER.format("USE_CUDA"))
    source = Source.from_text(str(path), path.read_text())
    text = engine.fix(source, [rule(code) for code in ("DEV103", "DEV501")], Target()).text
    assert text == TRAINER.format("USE_CUDA and torch.cuda.is_available()")
