"""The flake8 plugin, in the real flake8."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from devlint import __version__
from devlint.integrations.flake8_plugin import Plugin
from tests.support.paths import ROOT
from tests.support.sampling import some

pytest.importorskip("flake8", minversion="7.0")

FIXTURES = ROOT / "fixtures"
MANUAL = (ROOT / "docs" / "flake8.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
DEFAULT_ONLY = "--ignore=C,E,F,W"
"""Not ``--select=DEV``, which asks for the rules that are off by default too."""
IMPORT = "import torch\n\nx = torch.nn.Linear(2, 2)\n"

Flake8 = Callable[..., "Result"]


@dataclass
class Result:
    code: object
    lines: list[str]


@pytest.fixture
def flake8(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Flake8:
    """flake8 in this process, in a folder of its own; what it prints."""
    from flake8.main.cli import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Plugin, "_run", None)

    def call(*arguments: str) -> Result:
        code = main(["--jobs=1", *arguments])
        return Result(code, capsys.readouterr().out.splitlines())

    return call


def make(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)


def module(name: str, *arguments: str, folder: Path, stdin: bytes = b"") -> list[str]:
    """What ``python -m name`` prints in a folder."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-m", name, *arguments]
    result = subprocess.run(command, cwd=folder, input=stdin, capture_output=True, env=environment, check=False)
    assert not result.stderr, result.stderr.decode()
    return result.stdout.decode().splitlines()


@pytest.mark.slow
def test_the_same_findings_as_devlint_check_in_fixtures(tmp_path: Path) -> None:
    # A copy, because the requirement of torch in this project's own pyproject.toml is not the programs'.
    fixtures = Path(shutil.copytree(FIXTURES, tmp_path / "programs"))
    programs = some(sorted(str(path) for path in fixtures.rglob("*.py")), 4)
    ours = module("devlint", "check", "--isolated", "-q", "--output-format=concise", *programs, folder=tmp_path)
    flake8s = module("flake8", "--isolated", DEFAULT_ONLY, *programs, folder=tmp_path)
    assert len(ours) > 30
    assert sorted(re.sub(r"(:\d+:\d+):", r"\1", line) for line in ours) == sorted(
        re.sub(r"(:\d+:\d+):", r"\1", line) for line in flake8s
    )


def test_standard_input_is_looked_at_and_not_the_file_on_disk(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "devlint.toml").write_text("unsafe-fixes = 1\n")
    text = "import torch\n\né = torch.zeros(2).cuda()\n".encode()
    found = module("flake8", DEFAULT_ONLY, "--stdin-display-name=b/c.py", "-", folder=tmp_path, stdin=text)
    assert found[1] == f"{tmp_path / 'devlint.toml'}: 'unsafe-fixes': expected true or false, not 1"
    (tmp_path / "devlint.toml").unlink()
    found = module("flake8", DEFAULT_ONLY, "-", folder=tmp_path, stdin=text)
    assert found == ["stdin:3:20: DEV101 [*] `.cuda()` needs CUDA on every machine"]


def test_flake8_knows_the_plugin(flake8: Flake8) -> None:
    make("a.py", IMPORT + "x.cuda()\n")
    result = flake8("a.py")
    assert result == Result(1, ["a.py:4:3: DEV101 [*] `.cuda()` needs CUDA on every machine"])


def test_flake8_selects(flake8: Flake8) -> None:
    make("a.py", IMPORT + "x.cuda()\nx.type(torch.cuda.FloatTensor)\n")
    codes = {
        "": ["DEV101", "DEV202"],
        "--select=E,F": [],
        "--select=DEV2": ["DEV202"],
        "--ignore=DEV202": ["DEV101"],
        "--extend-ignore=DEV1": ["DEV202"],
        "--per-file-ignores=a.py:DEV101": ["DEV202"],
        "--per-file-ignores=b.py:DEV101": ["DEV101", "DEV202"],
    }
    for option, expected in codes.items():
        assert [line.split()[1] for line in flake8(*filter(None, [option]), "a.py").lines] == expected, option


def test_a_rule_that_is_off_by_default_runs_when_it_is_selected(flake8: Flake8) -> None:
    make("a.py", IMPORT + "x.cuda()  # noqa: DEV101\n")
    assert flake8("a.py").lines == []
    assert flake8("--ignore=E501", "a.py").lines == []
    assert flake8("--select=D,E", "a.py").lines == []
    for option in ("--extend-select=DEV003", "--select=DEV0", "--select=E,DEV"):
        assert [line.split()[1] for line in flake8(option, "a.py").lines] == ["DEV003"], option


def test_the_selection_of_devlints_own_configuration_is_not_flake8s(flake8: Flake8) -> None:
    make("a.py", IMPORT + "x.cuda()\n")
    own = 'select = ["DEV2"]\nignore = ["DEV1"]\nper-file-ignores = {"*.py" = ["DEV"]}\n'
    make("pyproject.toml", f'[tool.devlint]\n{own}exclude = ["a.py"]\nforce-exclude = true\n')
    assert [line.split()[1] for line in flake8("a.py").lines] == ["DEV101"]


def test_noqa(flake8: Flake8) -> None:
    lines = ["# noqa", "# noqa: DEV101", "# NOQA:DEV1", "# noqa: E501", "# devlint: ignore[DEV101] no other card"]
    make("a.py", IMPORT + "".join(f"x.cuda()  {comment}\n" for comment in lines))
    assert flake8("a.py").lines == ["a.py:7:3: DEV101 [*] `.cuda()` needs CUDA on every machine"]
    rows = [line.split(":")[1] for line in flake8("--disable-noqa", "a.py").lines]
    assert rows == ["4", "5", "6", "7"]


def test_noqa_at_the_end_of_a_call_over_several_lines(flake8: Flake8) -> None:
    make("a.py", IMPORT + "x.cuda(\n    non_blocking=True,\n)  # noqa: DEV101\n")
    assert flake8("a.py").lines == []


def test_noqa_for_a_file(flake8: Flake8) -> None:
    make("a.py", "# flake8: noqa: DEV101\n" + IMPORT + "x.cuda()\n")
    assert flake8("a.py").lines == []
    make("a.py", "# flake8: noqa\n" + IMPORT + "x.cuda()\n")
    assert flake8("a.py").lines == []


def test_unused_suppressions(flake8: Flake8) -> None:
    make("a.py", "x = 1  # noqa: DEV101\ny = 2  # noqa: DEV101, DEV002\n")
    assert flake8("a.py").lines == ["a.py:1:8: DEV002 [*] Unused suppression: nothing to suppress (DEV101)"]
    assert flake8("--ignore=DEV101", "--select=DEV1", "a.py").lines == []


SECOND_CARD = 'import torch\n\ndevice = torch.device("cuda:1")\n'
"""Whether the fix can be written depends on the target; it is unsafe."""
COUNTED_CARDS = "import torch\n\nn = torch.cuda.device_count()\n"
"""Found with the target accelerator only."""
UNSAFE = "unsafe-fixes = true\n"


def stars(lines: list[str]) -> list[bool]:
    """For each finding, whether flake8 says that ``devlint fix`` would fix it."""
    return ["[*]" in line for line in lines]


def test_the_target(flake8: Flake8) -> None:
    make("a.py", COUNTED_CARDS)
    assert stars(flake8(DEFAULT_ONLY, "a.py").lines) == []
    assert stars(flake8(DEFAULT_ONLY, "--devlint-target=accelerator", "a.py").lines) == [True]
    make(".flake8", "[flake8]\ndevlint-target = accelerator\n")
    assert stars(flake8(DEFAULT_ONLY, "a.py").lines) == [True]
    assert stars(flake8(DEFAULT_ONLY, "--devlint-target=cuda", "a.py").lines) == []


def test_the_projects_own_device(flake8: Flake8) -> None:
    make("devlint.toml", UNSAFE)
    own = ("--devlint-target=project", "--devlint-device=my_device", "--devlint-device-import=from my import my_device")
    make("a.py", SECOND_CARD)
    assert stars(flake8(*own, "a.py").lines) == [False]
    make("a.py", SECOND_CARD.replace("cuda:1", "cuda:0"))
    assert stars(flake8(*own, "a.py").lines) == [True]


def test_the_oldest_torch(flake8: Flake8) -> None:
    make("a.py", "import torch\n\nif torch.accelerator.is_available():\n    torch.accelerator.empty_cache()\n")
    assert len(flake8("--devlint-torch-min-version=2.8", "a.py").lines) == 1
    assert len(flake8("--devlint-torch-min-version=2.9", "a.py").lines) == 0


def test_the_configuration_of_devlint(flake8: Flake8) -> None:
    make("b/a.py", SECOND_CARD)
    make("b/setup.py", "")
    make("b/devlint.toml", UNSAFE)
    make("c/pyproject.toml", "[tool.devlint]\n")
    assert stars(flake8("b/a.py").lines) == [True]
    assert stars(flake8("--devlint-config=c/pyproject.toml", "b/a.py").lines) == [False]
    make("c/.flake8", "[flake8]\ndevlint-config = ./pyproject.toml\n")
    assert stars(flake8("--config=c/.flake8", "b/a.py").lines) == [False]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--devlint-target=gpu"], "flake8: 'target': expected one of cuda, accelerator, project, not 'gpu'"),
        (["--devlint-target=project"], "flake8: 'target': 'project' needs the key 'device', the project's own"),
        (["--devlint-torch-min-version=two"], "flake8: 'torch-min-version': expected a version such as"),
        (["--devlint-config=none.toml"], "none.toml: no such configuration file"),
        (
            ["--devlint-target=accelerator", "--devlint-torch-min-version=2.1"],
            "flake8: 'target': 'accelerator' needs torch 2.6, but torch 2.1 is to be supported",
        ),
    ],
)
def test_a_wrong_option_stops_flake8_with_a_line(flake8: Flake8, options: list[str], said: str) -> None:
    make("a.py", "")
    result = flake8(*options, "a.py")
    assert result.code == 1
    assert result.lines[0] == "There was a critical error during execution of Flake8:"
    assert said in result.lines[1]


def test_a_configuration_that_cannot_hold_stops_flake8(flake8: Flake8) -> None:
    make("a.py", IMPORT + "x.cuda()\n")
    make("requirements.txt", "torch>=2.1\n")
    assert "the project requires torch 2.1" in flake8("--devlint-target=accelerator", "a.py").lines[1]


def test_what_python_cannot_parse_is_left_to_flake8(flake8: Flake8) -> None:
    make("a.py", "x.cuda(async=True)\n")
    assert [line.split()[1] for line in flake8("a.py").lines] == ["E999"]


def test_what_devlint_cannot_take_is_a_finding_and_the_rest_goes_on(flake8: Flake8) -> None:
    make("a.py", IMPORT + "y = " + " and ".join(["x.cuda()"] * 600) + "\n")
    make("b.py", IMPORT + "x.cuda()\n")
    found = flake8(DEFAULT_ONLY, "a.py", "b.py").lines
    assert [line.partition(" ")[0] for line in found] == ["a.py:1:1:", "b.py:4:3:"]
    assert "DEV001 Not looked at: has an expression of more than 500 links" in found[0]


def test_several_processes(tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / f"a{number}.py").write_text(COUNTED_CARDS)
    flake8 = ("flake8", "--jobs=2", DEFAULT_ONLY)
    assert stars(module(*flake8, ".", folder=tmp_path)) == []
    assert stars(module(*flake8, "--devlint-target=accelerator", ".", folder=tmp_path)) == [True] * 4


def test_a_file_without_a_rules_words_costs_no_parser(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import os\n\nprint(os.name, 'é')\n")
    program = (
        "import json, sys\nfrom flake8.main.cli import main\nassert main(['--jobs=1', 'a.py']) == 0\n"
        "assert 'devlint.integrations.flake8_plugin' in sys.modules\nprint(json.dumps(sorted(sys.modules)))\n"
    )
    command = [sys.executable, "-c", program]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert not set(json.loads(result.stdout)) & {"libcst", "torch", "numpy", "click", "pathspec"}


def test_without_flake8_around_it() -> None:
    text = IMPORT + "x.cuda()\n"
    found = list(Plugin(ast.parse(text), "a.py", text.splitlines(keepends=True)).run())
    assert found == [(4, 2, "DEV101 [*] `.cuda()` needs CUDA on every machine", Plugin)]
    assert (Plugin.name, Plugin.version) == ("devlint", __version__)


def block(text: str, kind: str) -> str:
    """The first block of code of a kind."""
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)[0]


def test_the_manual_shows_what_is_found(flake8: Flake8) -> None:
    make("train.py", block(README, "python"))
    assert block(MANUAL, "text").strip() in flake8("train.py").lines
    make(".flake8", block(MANUAL, "ini"))
    make("tests/a.py", 'import torch\n\na = torch.device("cuda")\nb = torch.device("cuda:1")\n')
    assert flake8("tests/a.py").lines == []
    assert len(flake8("--isolated", "tests/a.py").lines) == 2


def test_the_manual_names_all_options(flake8: Flake8, capsys: Any) -> None:
    with pytest.raises(SystemExit):
        flake8("--help")
    assert set(re.findall(r"--devlint[a-z-]+", capsys.readouterr().out)) == set(re.findall(r"--devlint[a-z-]+", MANUAL))


def test_ruff_removes_our_suppressions_unless_it_is_told(tmp_path: Path) -> None:
    suppressed = IMPORT + "x.cuda()  # noqa: DEV101\nx.cuda()  # noqa: E501, DEV101\n"
    (tmp_path / "a.py").write_text(suppressed)
    told = tmp_path / "pyproject.toml"
    told.write_text(block(MANUAL, "toml"))
    ruff = ("check", "--quiet", "--no-cache", "--extend-select=RUF10,E501", "--fix", ".")
    assert module("ruff", *ruff, folder=tmp_path) == []
    assert (tmp_path / "a.py").read_text() == suppressed.replace("E501, ", "")
    told.write_text("")
    assert module("ruff", *ruff, folder=tmp_path) == []
    assert (tmp_path / "a.py").read_text() == IMPORT + "x.cuda()\nx.cuda()\n"
