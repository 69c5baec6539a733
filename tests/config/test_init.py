"""``devlint init``: what it sees in a project, what it writes, and what it never overwrites."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from devlint.cli import main
from devlint.config.finder import ConfigFinder
from devlint.config.init_template import starter
from devlint.config.options import parse_options
from devlint.config.project_survey import Helper, Survey, survey
from devlint.core.toml import load_toml

Init = Callable[..., tuple[int, str, str]]


def make(path: str, text: str = "import torch\n") -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_bytes(text.encode())


@pytest.fixture(autouse=True)
def _in_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.joinpath(".git").mkdir()
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def init(capsys: Any) -> Init:
    def call(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(["init", *arguments])
        out, err = capsys.readouterr()
        return int(left.value.code or 0), out, err

    return call


EMPTY = """\
# What a device becomes where a file has none yet:
#   "cuda"         torch.device("cuda" if torch.cuda.is_available() else "cpu")
#   "accelerator"  whatever torch.accelerator finds; needs torch 2.6, and no requirement of torch was found
#   "project"      an expression of your own, in device and device-import
target = "cuda"

# The oldest torch that fixed code must run on; no requirement of torch was found in this project.
# torch-min-version = "2.0"

# Folders to leave alone, besides what git ignores and those such as .venv and build:
# extend-exclude = ["third_party"]

# Rules: codes, prefixes (DEV1) or ALL; `devlint rules` lists them.
# extend-select = ["DEV003"]
# ignore = ["DEV106"]
# per-file-ignores = { "tests/**" = ["DEV103"] }

# Also fixes that may change what a program does:
# unsafe-fixes = true

# Also the Python in Markdown and .rst files, and the examples in docstrings:
# document-code = true
# docstring-code = true
"""


def test_an_empty_folder(init: Init) -> None:
    assert init("--stdout") == (0, EMPTY, "")
    assert not Path("devlint.toml").exists()
    said = "0 of 0 Python files speak of torch.\nWrote a configuration to devlint.toml. Next: devlint check\n"
    assert init() == (0, said, "")
    assert Path("devlint.toml").read_text() == EMPTY
    ConfigFinder().settings(os.getcwd())


def test_another_folder(init: Init) -> None:
    make("a b/c.py")
    assert init("a b")[1].endswith(
        f"Wrote a configuration to {os.path.join('a b', 'devlint.toml')}. Next: devlint check\n"
    )
    assert init("none")[0] == 2


def commented_out(text: str) -> dict[str, Any]:
    """The configuration with the settings in comments switched on, those that are set already left out."""
    lines = [line[2:] for line in text.splitlines() if line.startswith("# ") and " = " in line and ": " not in line]
    return load_toml("\n".join(dict.fromkeys(line for line in lines)))


def test_what_stands_in_comments_is_valid(init: Init) -> None:
    parse_options(commented_out(EMPTY), "comments")
    parse_options(load_toml(EMPTY), "file")


def test_a_project_with_all_there_is_to_see(init: Init) -> None:
    make("pyproject.toml", '[project]\nname = "a"\ndependencies = ["torch>=2.7"]\n')
    make("src/pkg/__init__.py", "")
    make("src/pkg/util.py", 'import torch\n\ndef get_device(index=None):\n    return torch.device("cpu")\n')
    make("src/pkg/a.py", "import torch\nfrom .util import get_device\n")
    make("src/pkg/b.py", "import torch\nfrom pkg.util import (\n    other,\n    get_device as d,\n)\n")
    make("third_party/x/y.py", "import torch\ndevice = torch.device('cpu')\n")
    make("third_party/x/z.py", "from y import device\n")
    make("libs/sub/y.py", "x = 1\n")
    make("vendor/readme.txt", "no Python here\n")
    make("pkg_pb2.py", "x = 1\n")
    make(".gitmodules", '[submodule "s"]\n\tpath = libs/sub\n\turl = x\n')
    code, out, err = init()
    assert (code, err) == (0, "")
    assert out == "4 of 8 Python files speak of torch.\nWrote a configuration to pyproject.toml. Next: devlint check\n"
    text = Path("pyproject.toml").read_text()
    head = '[project]\nname = "a"\ndependencies = ["torch>=2.7"]\n\n[tool.devlint]\n# What a device becomes'
    assert text.startswith(head)
    assert "torch.accelerator finds; possible, torch 2.7 is required\n" in text
    assert (
        "# src/pkg/util.py has a device that 2 files import. To use it everywhere, instead of the line above:\n"
        '# target = "project"\n'
        '# device = "get_device()"\n'
        '# device-import = "from pkg.util import get_device"\n'
    ) in text
    assert '# torch-min-version = "2.7"\n' in text
    assert load_toml(text)["tool"]["devlint"] == {
        "target": "cuda",
        "extend-exclude": ["libs/sub", "third_party", "*_pb2*.py"],
    }
    parse_options(commented_out(text), "comments")
    settings = ConfigFinder().settings(os.getcwd())
    assert settings.excluded(os.path.abspath("libs/sub"), is_dir=True)
    assert settings.excluded(os.path.abspath("pkg_pb2.py"))
    assert not settings.excluded(os.path.abspath("src"), is_dir=True)


def test_an_old_torch_and_a_variable() -> None:
    make("requirements.txt", "torch==1.13\n")
    make("common.py", "import torch\nDEVICE: str = 'cuda' if torch.cuda.is_available() else 'cpu'\n")
    make("a.py", "from common import DEVICE\n")
    seen = survey(".")
    assert seen.oldest_torch == (1, 13)
    assert seen.helpers == (Helper("common.py", "common", "DEVICE", 1),)
    text = starter(seen, in_pyproject=False)
    assert "needs torch 2.6, but 1.13 is to be supported\n" in text
    assert "has a device that 1 file imports." in text
    assert '# device = "DEVICE"\n# device-import = "from common import DEVICE"\n' in text


@pytest.mark.parametrize(
    "code",
    [
        "def get_device(index):\n    return torch.device(index)\n",
        "def set_device():\n    torch.cuda.set_device(0)\n",
        "def _get_device():\n    return torch.device(0)\n",
        "class A:\n    def get_device(self):\n        return torch.device(0)\n",
        "def get_device_name():\n    return 'a'\n",
        "device = 3\n",
        "def main():\n    device = torch.device(0)\n",
    ],
)
def test_what_is_no_device_of_the_project(code: str) -> None:
    make("util.py", "import torch\n" + code)
    make("a.py", "from util import get_device, set_device, _get_device, get_device_name, device\n")
    assert survey(".").helpers == ()


def test_a_device_nobody_imports_is_not_offered() -> None:
    make("train.py", "import torch\ndevice = torch.device('cpu')\n")
    make("not-a-module.py", "import torch\ndevice = torch.device('cpu')\n")
    make("a.py", "from not_a_module import device\n")
    assert survey(".") == Survey(files=3, torch_files=2)


def test_odd_names_are_quoted() -> None:
    text = starter(Survey(foreign=('a "b"\\c/é', "d")), in_pyproject=True)
    assert load_toml(text)["tool"]["devlint"]["extend-exclude"] == ['a "b"\\c/é', "d"]


@pytest.mark.parametrize(
    "before",
    [
        "",
        "[project]\nname = 'a'",
        "[project]\r\nname = 'a'\r\n",
        "# only a comment\n\n\n",
        "[tool.ruff]\nline-length = 1\n[[tool.x]]\na = 1\n",
        "tool.ruff.line-length = 1\n",
    ],
)
def test_what_was_there_stays_byte_for_byte(init: Init, before: str) -> None:
    make("pyproject.toml", before)
    assert init()[0] == 0
    after = Path("pyproject.toml").read_bytes()
    assert after.startswith(before.encode())
    assert (b"\r\n" in after) == ("\r\n" in before)
    assert after.count(b"\n") == after.count(b"\r\n") or "\r\n" not in before
    document = load_toml(after.decode())
    assert document["tool"].pop("devlint") == {"target": "cuda"}
    old = load_toml(before)
    assert {**document, "tool": document["tool"] or None} == {**old, "tool": old.get("tool")}


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("pyproject.toml", "[tool.devlint]\n", "is a configuration of devlint already; nothing was written"),
        ("pyproject.toml", "[tool]\ndevlint.target = 'cuda'\n", "is a configuration of devlint already"),
        ("pyproject.toml", "[tool]\ndevlint = 1\n", "is a configuration of devlint already"),
        ("devlint.toml", "", "is a configuration of devlint already; nothing was written"),
        ("pyproject.toml", "tool = { ruff = {} }\n", "no table can be added at its end; use `devlint init --stdout`"),
        ("pyproject.toml", "tool = 1\n", "no table can be added at its end"),
        ("pyproject.toml", "[project\n", "is no TOML: "),
        ("pyproject.toml", "a = '\udcff'\n", "is no TOML: "),
    ],
)
def test_nothing_is_overwritten(init: Init, name: str, text: str, words: str) -> None:
    data = text.encode("utf-8", "surrogateescape")
    Path(name).write_bytes(data)
    Path("sub").mkdir()
    code, out, err = init()
    assert (code, out) == (2, "")
    assert words in err
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert Path(name).read_bytes() == data
    assert sorted(path.name for path in Path().iterdir()) == [".git", name, "sub"]


def test_a_second_time_is_refused_and_stdout_never_is(init: Init) -> None:
    assert init()[0] == 0
    assert init()[0] == 2
    make("pyproject.toml", "")
    assert init()[0] == 2
    assert init("--stdout")[1] == "[tool.devlint]\n" + EMPTY


def test_a_broken_link_is_not_written_through(init: Init) -> None:
    os.symlink("nowhere", "devlint.toml")
    assert init()[0] == 2
    assert not Path("nowhere").exists()
    Path("devlint.toml").unlink()
    Path("pyproject.toml").mkdir()
    code, _, err = init()
    assert (code, "cannot be read" in err) == (2, True)
