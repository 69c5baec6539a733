"""What a run of the command line costs before it has looked at a file: the modules it imports, and who reads its options."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from devlint.cli import commands, lint, main
from devlint.cli.commands import COMMANDS
from devlint.cli.fast_parser import parse_command_line
from devlint.config.option_table import OPTIONS
from devlint.config.settings import default_settings
from devlint.core.catalogue import RULES
from devlint.engine.ruleset import RuleSets
from devlint.syntax.python_tree.code_text import POSSESSIVE
from tests.support.paths import ROOT

Call = tuple[tuple[str, ...], Any, dict[str, Any]]

ONLY_FIX = ("bisect", "observe", "pass_env", "python", "timeout", "verify")
"""Options that are not those of a run."""
PATHS = (
    "a.py",
    "folder",
    "missing.py",
    "",
    ".",
    "./a.py",
    "-",
    "--",
    "-a.py",
    "@a.py",
    "a[1].py",
    "*.py",
    "~",
    "a b.py",
)
FLAGS = (
    *(f"--{option.name}" for option in OPTIONS),
    *(f"--{option.name}={option.choices[0] if option.choices else 'a'}" for option in OPTIONS if option.value),
    *(f"--no-{option.name}" for option in OPTIONS if not option.value),
    *(f"-{option.short}" for option in OPTIONS if option.short),
    "-qq",
    "--quie",
    "--fix",
    "-h",
    "never",
    "--select=DEV1,DEV2",
    "--select=",
    "--ignore=DEV1*",
    "--extend-select=--diff",
    "DEV101",
    "--output-format=JSON",
    "--config=~/devlint.toml",
    "--cache-dir=folder=other",
    "--jobs=4",
    "--jobs=0",
    "-j=4",
    "-j4",
    "4",
)


def asked_of_click(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> Call | None:
    """What click asks of ``lint.run_lint``; None where it has something to say of the command line."""
    asked: list[Call] = []

    def run(
        paths: tuple[str, ...], mode: Any, values: dict[str, Any], chosen: object = None, own_process: bool = False
    ) -> int:
        assert chosen is None
        asked.append((paths, mode, {key: value for key, value in values.items() if key not in ONLY_FIX}))
        return 0

    with monkeypatch.context() as patched:
        patched.setattr(lint, "run_lint", run)
        assert commands.run(arguments) == (0 if asked or "-h" in arguments else 2)
    return asked[0] if asked else None


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with files of many names, and in it."""
    for name in ("a.py", "-a.py", "@a.py", "a[1].py", "a b.py"):
        (tmp_path / name).write_text("")
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None, max_examples=300
)
@given(
    command=st.sampled_from(["check", "fix"]),
    rest=st.lists(st.one_of(st.sampled_from(PATHS), st.sampled_from(FLAGS)), max_size=4),
)
def test_what_click_is_not_asked_is_what_it_would_say(
    command: str, rest: list[str], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = parse_command_line([command, *rest])
    if found is not None:
        assert found == asked_of_click([command, *rest], monkeypatch)


@pytest.mark.parametrize(
    "rest",
    [
        [],
        ["a.py"],
        ["a.py", "folder"],
        [".", "-q"],
        ["--quiet", "."],
        ["--force-exclude", "a.py", "@a.py", "a b.py"],
        ["--isolated", "--jobs", "1", "--no-cache", "a.py"],
        ["--select", "DEV1", "--select=DEV2,DEV3", "--ignore=DEV101", "--color=never", "folder"],
        ["--output-format", "json", "--config=devlint.toml", "--target", "accelerator", "--torch-min-version=2.6"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("command", ["check", "fix"])
def test_the_command_lines_of_every_day_need_no_click(
    command: str, rest: list[str], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = parse_command_line([command, *rest])
    assert found is not None and found == asked_of_click([command, *rest], monkeypatch)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["check", "-h"],
        ["rules"],
        ["check", "-"],
        ["check", "a.py", "--", "-a.py"],
        ["check", "missing.py"],
        ["chec"],
    ],
    ids=" ".join,
)
def test_all_others_are_for_click_to_read(arguments: list[str], project: Path) -> None:
    assert parse_command_line(arguments) is None


@pytest.mark.skipif(os.name == "nt" or getattr(os, "getuid", int)() == 0, reason="everything can be read")
def test_a_path_that_cannot_be_read_is_for_click_to_name(project: Path) -> None:
    (project / "a.py").chmod(0)
    assert parse_command_line(["check", "a.py"]) is None


def test_a_shell_that_completes_asks_click(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_DEVLINT_COMPLETE", "bash_complete")
    assert parse_command_line(["check", "a.py"]) is None


def test_the_table_of_values_has_all_options(monkeypatch: pytest.MonkeyPatch) -> None:
    for command in ("check", "fix"):
        asked = asked_of_click([command], monkeypatch)
        assert asked is not None and asked[2] == {option.key: option.default for option in OPTIONS}


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_of_the_table_is_there(name: str) -> None:
    found = commands.command_line.get_command(click.Context(commands.command_line), name)
    assert found is not None and found.name == name
    assert found.get_short_help_str() == COMMANDS[name][1]


def test_an_unknown_command_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["chek"])
    assert left.value.code == 2
    assert "No such command 'chek'" in capsys.readouterr().err


def test_an_interrupt_is_one_line(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object, **__: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(lint, "run_lint", interrupted)
    for arguments in (["check", "a.py"], ["check", "--color=never", "a.py"]):
        with pytest.raises(SystemExit) as left:
            main(arguments)
        assert (left.value.code, capsys.readouterr().err) == (130, "\ninterrupted\n")


@pytest.mark.skipif(os.name == "nt", reason="pipes break otherwise there")
@pytest.mark.parametrize("flag", ["--quiet", "--color=never"])
def test_a_reader_who_has_seen_enough_ends_the_run(flag: str, project: Path) -> None:
    (project / "many.py").write_text("import torch\n" + "x.cuda()\n" * 2000)
    command = f'"{sys.executable}" -m devlint check {flag} many.py; echo $? >code'
    shell = f"({command}) | head -n 1"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    result = subprocess.run(
        ["sh", "-c", shell], cwd=project, env=environment, capture_output=True, text=True, check=True
    )
    assert (len(result.stdout.splitlines()), result.stderr, (project / "code").read_text()) == (1, "", "1\n")


CLEAN = """
    devlint devlint.cli devlint.cli.fast_parser devlint.cli.lint devlint.config.option_table devlint.cli.output devlint.cli.output.formats
    devlint.cli.output.style devlint.cli.printer devlint.cli.terminal
    devlint.config.finder devlint.config.selection devlint.config.settings devlint.core.catalogue
    devlint.core.errors devlint.core.file_reading devlint.core.gc_pause devlint.core.record devlint.core.rule_info devlint.core.target
    devlint.engine.load_source devlint.engine.parallel devlint.engine.parallel.scheduler devlint.engine.report
    devlint.engine.ruleset devlint.engine.runner devlint.engine.summary devlint.rules.prefilter.rule_filter
    devlint.sources.discovery devlint.sources.encoding devlint.sources.path_patterns
    devlint.sources.text_kinds devlint.syntax.python_tree.python_ast
"""
"""What a check of a clean file imports of devlint: a module more is some 0.2 ms more for every commit of everyone."""
HEAVY = """
    argparse ast asyncio click concurrent.futures contextlib dataclasses difflib email fnmatch hashlib importlib.metadata
    inspect json libcst logging multiprocessing numpy pathlib pathspec pickle platform shutil socket sqlite3 subprocess
    tempfile tokenize tomllib torch typing unicodedata urllib.parse yaml
"""
"""What it does without, and what the whole command line does without until there is something to find."""

LIGHT = "_ast collections copy enum functools importlib operator re weakref"
"""What a clean file does without besides: to import all of it takes nearly as long as to start Python."""

OF_LIBCST = "ast contextlib dataclasses fnmatch inspect libcst pathlib tokenize typing urllib.parse"
"""What of that LibCST imports."""


def with_packages(names: str) -> set[str]:
    """Modules, and the packages that they are in."""
    modules = [name.split(".") for name in names.split()]
    return {".".join(parts[:length]) for parts in modules for length in range(1, len(parts) + 1)}


def loaded_by(folder: Path, *arguments: str) -> set[str]:
    """The modules that a run of the command line adds to those of Python itself."""
    program = (
        "import sys; before = set(sys.modules)\n"
        "try:\n    from devlint.cli import main\n    main()\n"
        "finally:\n    print(); print(*set(sys.modules) - before)\n"
    )
    command = [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{program}", *arguments]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert result.returncode in (0, 1) and not result.stderr, result.stderr
    return set(result.stdout.splitlines()[-1].split())


@pytest.mark.parametrize(
    ("arguments", "more"),
    [
        (["check", "a.py"], ""),
        (["check", "--force-exclude", "a.py", "b.py", "c.py"], "devlint.config.options"),
        (["fix", "a.py", "b.py"], "devlint.engine.settling devlint.engine.writing"),
        (
            ["check", "-q", "."],
            "devlint.sources.gitignore devlint.torch_api.environment_variables devlint.torch_api.spelling",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_clean_files_import(arguments: list[str], more: str, repository: Path) -> None:
    loaded = loaded_by(repository, *arguments)
    assert {name for name in loaded if name.startswith("devlint")} == with_packages(CLEAN + more)
    assert not loaded & set(HEAVY.split())
    assert arguments[1].startswith("-") or not loaded & set(LIGHT.split())


@pytest.mark.skipif(not POSSESSIVE, reason="words alone decide there, and torch is one")
def test_what_a_clean_file_imports_that_uses_torch(repository: Path) -> None:
    (repository / "net.py").write_text("import torch\n\nprint(torch.zeros(2).sum())\n")
    loaded = loaded_by(repository, "check", "--no-cache", "net.py")
    more = """
        devlint.rules.prefilter.code devlint.rules.triggers devlint.rules.triggers.cpu_tensors
        devlint.rules.triggers.misspelled_members devlint.rules.triggers.trigger devlint.syntax.python_tree.code_text
        devlint.torch_api.accelerator_api devlint.torch_api.cuda_functions devlint.torch_api.misspelled_uses
        devlint.torch_api.module_members devlint.torch_api.spelling
    """
    assert {name for name in loaded if name.startswith("devlint")} == with_packages(CLEAN + more)
    assert not loaded & set((HEAVY + LIGHT).split())


def test_what_findings_import(repository: Path) -> None:
    text = "import torch\n\nprint(torch.zeros(2).cuda())\n"
    (repository / "net.py").write_text(text)
    loaded = loaded_by(repository, "check", "--isolated", "--no-cache", "--jobs", "1", "net.py")
    assert loaded & set(HEAVY.split()) <= set(OF_LIBCST.split())
    rule_set = RuleSets().of(default_settings(str(repository)), str(repository / "net.py"))
    rules = {name for name in loaded if name.startswith("devlint.rules.")} & {row.module for row in RULES}
    assert "devlint.rules.cuda_method" in rules
    assert rules <= {rule.module for rule in rule_set.firing(text.encode(), is_code=True)}
    unasked = ("devlint.engine.documents", "libcst._parser", "libcst.helpers.", "libcst.metadata.")
    assert not {name for name in loaded if name.startswith(unasked)}


@pytest.mark.slow
def test_findings_that_a_cache_knows_import_no_libcst(repository: Path) -> None:
    (repository / "net.py").write_text("import torch\n\nprint(torch.zeros(2).cuda())\n")
    os.utime(repository / "net.py", (1e9, 1e9))
    time.sleep(2.1)  # what was changed just now is looked at twice
    assert "libcst" in loaded_by(repository, "check", "net.py")
    assert loaded_by(repository, "check", "net.py") & set(HEAVY.split()) == {"contextlib", "json"}


def test_the_version_needs_no_click(repository: Path) -> None:
    for arguments in (["--version"], ["-V"]):
        loaded = loaded_by(repository, *arguments)
        assert {name for name in loaded if name.startswith(("devlint", "click", "libcst"))} == {
            "devlint", "devlint.cli", "devlint.cli.version", "devlint.core", "devlint.core.errors"
        }  # fmt: skip


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--help", "--version"], ["check", "--help"], ["verify", "--help"]], ids=" ".join
)
def test_what_click_imports_of_devlint(arguments: list[str], repository: Path) -> None:
    loaded = loaded_by(repository, *arguments)
    assert not loaded & set(
        "libcst torch numpy multiprocessing pathspec asyncio hashlib devlint.engine.runner devlint.rules.base".split()
    )
    if arguments[0].startswith("--"):
        assert {name for name in loaded if name.startswith("devlint.cli.")} <= {
            f"devlint.cli.{name}" for name in ("commands", "fast_parser", "output", "output.formats", "version")
        }


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository of clean files, with an ignore file and a project file, as most have them."""
    for name in ("a.py", "b.py", "c.py", "sub/d.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("import os\n\nprint(os.name)  # noqa: T201\n")
    (tmp_path / ".gitignore").write_text("__pycache__/\n*.egg-info\n# what else\n/dist\n!keep\n")
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    (tmp_path / ".git/info").mkdir(parents=True)
    (tmp_path / ".git/info/exclude").write_text("# git ls-files --others --exclude-from=.git/info/exclude\n")
    return tmp_path
