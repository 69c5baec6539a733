"""Every command that the documentation shows is run, every link of it leads somewhere, every key has its section."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from devlint.cli.commands import command_line
from devlint.config.option_table import OPTIONS
from devlint.config.options import _PARSERS, parse_options
from devlint.config.settings import Settings, default_settings, layered
from devlint.core.toml import load_toml
from tests.support.paths import ROOT

DOCS = sorted(ROOT.glob("docs/*.md"))
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS]
PROGRAMS = ("devlint", "python", "pre-commit", "flake8", "pip", "pipx", "make", "pytest")
WITHOUT = {
    "pipx run --spec ~/devlint devlint check": "installs from a package index",
    "pipx install .": "installs from a package index",
    "uvx --from ~/devlint devlint check": "installs from a package index",
    'pip install ".[flake8]"': "installs from a package index",
    'pip install ".[server]"': "installs from a package index",
    "pre-commit run --all-files devlint": "installs devlint with pip; tests/integrations/test_pre_commit.py runs the hooks",
    "make run": "installs from a package index; its commands are those of the README",
    "make run PATHS=~/my/code": "installs from a package index",
    "make setup": "installs from a package index",
    "make check": "installs from a package index, and runs these tests",
    "make format": "needs the environment that make setup installs",
    "make rule NAME=cuda-printer CODE=DEV1": "writes into the working tree; tests/docs/test_first_rule.py does what it does",
    "make docs": "needs the environment that make setup installs; tests/rules/test_generate.py does what it does",
    "make site": "needs the environment that make setup installs; tests/docs/test_site.py does what it does",
    "make speed": "downloads packages, and takes half an hour",
    "python benchmarks/speed.py --only ruff": "downloads packages",
    "python benchmarks/speed.py --only files growth rules": "takes minutes",
    "python benchmarks/speed.py --show": "tests/benchmarks/test_speed.py does what it does",
    "make speed-check": "needs the environment that make setup installs; tests/benchmarks/test_speed.py runs a part",
    "make speed-baseline": "writes into the working tree",
    "devlint fleet check FOLDER -o DIR": "stands for any repositories; tests/fleet/test_command.py runs it with some",
    "devlint verify FILE...": "stands for any file; tests/verify/test_verify_docs.py runs it with one",
    "devlint fix --verify 'pytest tests'": "stands for any tests; tests/verify/test_verify_docs.py runs it with some",
}
"""The commands that cannot be run here, and why."""
ELSEWHERE = {
    "audits.md": "tests/fleet/test_command.py",
    "observe.md": "tests/verify/test_observe_command.py",
    "verify.md": "tests/verify/test_verify_docs.py",
    "first-rule.md": "tests/docs/test_first_rule.py",
}
"""Pages whose commands another test runs, in a project made for them."""


def commands(page: Path) -> Iterator[str]:
    """The commands in the shell blocks of a page, and in its indented ones."""
    text = page.read_text(encoding="utf-8")
    for block in re.findall(r"^```(?:bash|sh|shell|console)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        command = ""
        for line in block.splitlines(keepends=True):
            command += line.removeprefix("$ ")
            if _is_whole(command):
                yield command.strip()
                command = ""
        assert not command.strip(), f"{page.name} shows half a command: {command}"
    outside = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    for line in re.findall(r"^    (\S.*)$", outside, re.MULTILINE):
        if line.split()[0] in PROGRAMS:
            yield re.sub(r"\s{2,}# .*", "", line).strip()


def _is_whole(text: str) -> bool:
    """Whether no quotation mark is open, and no line is to be joined."""
    try:
        return bool(shlex.split(text, comments=True)) and not text.rstrip().endswith("\\")
    except ValueError:
        return False


SHOWN = [(page.name, command) for page in PAGES for command in commands(page)]
PROGRAM = "import torch\n\nmodel = torch.nn.Linear(2, 2).cuda()\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project as those of the pages, with a history and a baseline, beside a folder of programs for the path."""
    folder = tmp_path_factory.mktemp("made")
    programs = folder / "bin"
    programs.mkdir()
    for name in ("devlint", "flake8", "pytest"):
        programs.joinpath(name).write_text(f'#!/bin/sh\nexec "{sys.executable}" -m {name} "$@"\n')
    programs.joinpath("python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    for path in programs.iterdir():
        path.chmod(0o755)
    project = folder / "project"
    project.joinpath("src").mkdir(parents=True)
    for name in ("train.py", "src/model.py"):
        project.joinpath(name).write_text(PROGRAM)
    project.joinpath("README.md").write_text(f"```python\n{PROGRAM}```\n")
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": [PROGRAM]}
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    project.joinpath("train.ipynb").write_text(json.dumps(notebook))
    project.joinpath("test_cuda.py").write_text("def test_a():\n    assert True\n")
    who = "-c user.name=devlint -c user.email=devlint@example.com"
    first = run(
        "devlint baseline && git init -q && git add -A && "
        f"git {who} commit -q -m first && git update-ref refs/remotes/origin/main HEAD",
        project,
    )
    assert first.returncode == 0, first.stderr
    return folder


@pytest.fixture
def project(made: Path, tmp_path: Path) -> Path:
    """A copy of the project, for one command."""
    return Path(shutil.copytree(made, tmp_path, dirs_exist_ok=True)) / "project"


def run(command: str, project: Path) -> subprocess.CompletedProcess[str]:
    """A command in bash, with no configuration of git but the project's."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PYTEST_", "COV_"))
    }
    environment.update(
        PYTHONPATH=str(ROOT),
        PATH=f"{project.parent / 'bin'}{os.pathsep}{os.environ['PATH']}",
        GIT_CONFIG_GLOBAL=os.devnull,
        GIT_CONFIG_NOSYSTEM="1",
    )
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], cwd=project, env=environment, capture_output=True, text=True
    )


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the commands are written for bash")
@pytest.mark.parametrize("command", sorted({one for page, one in SHOWN if page not in ELSEWHERE} - set(WITHOUT)))
def test_the_command_runs(command: str, project: Path) -> None:
    if command.startswith("devlint observe"):
        pytest.importorskip("torch")
    result = run(command.replace(" [PATHS]", ""), project)
    assert result.returncode in (0, 1), result.stderr
    assert not re.search(r"\b(?:error:|Error\b|Traceback|Usage)", result.stderr), result.stderr
    if command.startswith(("devlint check", "devlint fix --diff")) and "--exit-zero" not in command:
        is_known = any(one in command for one in ("--baseline", "--diff-base", "--add-ignore"))
        assert result.returncode == (0 if is_known else 1), result.stdout


def test_the_commands_of_other_pages_are_run_elsewhere() -> None:
    for page, test in ELSEWHERE.items():
        assert page in {name for name, _ in SHOWN}
        assert f"docs/{page}" in ROOT.joinpath(test).read_text(encoding="utf-8")


def test_the_commands_that_are_not_run_are_shown() -> None:
    assert set(WITHOUT) <= {command for _, command in SHOWN}
    assert len(SHOWN) > 30


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.name))
def test_commands_in_the_text_exist(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for words in map(str.split, re.findall(r"`devlint ([^`]+)`", text)):
        found = command_line.get_command(click.Context(command_line), words[0])
        if found is None:
            assert words[0] in ("--version", "--help", "…"), f"devlint {' '.join(words)}"
            continue
        known = {option for one in found.params for option in (*one.opts, *one.secondary_opts)} | {"--help"}
        options = [word.partition("=")[0] for word in words if word.startswith("--") and words[0] != "simulate"]
        assert set(options) <= known, f"devlint {' '.join(words)}"


def anchors(page: Path) -> set[str]:
    """The names that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md", ROOT / "fixtures" / "README.md"], ids=str)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", text)):
        if not target.startswith(("http://", "https://", "mailto:")):
            path, _, anchor = target.partition("#")
            there = (page.parent / path).resolve() if path else page
            assert there.exists(), target
            assert not anchor or anchor in anchors(there), target


def test_the_index_has_every_page() -> None:
    index = ROOT.joinpath("docs", "README.md").read_text(encoding="utf-8")
    missing = {page.name for page in DOCS} - set(re.findall(r"^\| \[(\S+)\]\(\1\) \| .+ \|$", index, re.MULTILINE))
    assert missing == {"README.md"}, "a page has no line in docs/README.md"
    assert "](docs/README.md)" in ROOT.joinpath("README.md").read_text(encoding="utf-8")


CONFIGURATION = ROOT.joinpath("docs", "configuration.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", CONFIGURATION, re.DOTALL | re.MULTILINE))


def test_every_key_has_a_section() -> None:
    assert set(SECTIONS) == set(_PARSERS)


def test_the_keys_that_are_no_options_are_named() -> None:
    (named,) = re.findall(r"for every key but ([^.]+)", CONFIGURATION)
    options = {option.name for option in OPTIONS if option.is_setting}
    assert set(re.findall(r"`([^`]+)`", named)) == set(_PARSERS) - options and options < set(_PARSERS)


@pytest.mark.parametrize("key", sorted(SECTIONS))
def test_the_section_of_a_key(key: str, tmp_path: Path) -> None:
    (example,) = re.findall(r"^```toml\n(.*?)^```$", SECTIONS[key], re.DOTALL | re.MULTILINE)
    options = parse_options(load_toml(example), "docs")
    assert key in options
    settings = layered(default_settings(str(tmp_path)), options, str(tmp_path), "docs")
    stated = re.search(r"default: (?:`([^`]+)`|none|the |\S)", SECTIONS[key])
    assert stated is not None
    if isinstance(options[key], bool):
        field = key.replace("-", "_")
        usual = getattr(Settings(""), field)
        assert stated[1] == str(usual).lower()
        assert getattr(settings, field) is not usual, "the example sets what is so anyway"
