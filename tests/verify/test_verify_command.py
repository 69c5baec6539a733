"""`devlint verify` and `devlint fix --verify` on the command line."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from devlint.cli import main
from devlint.config.finder import ConfigFinder
from devlint.verify.comparing.verdict import Verdict
from devlint.verify.interpreter import find_python
from devlint.verify.matrix import Task
from devlint.verify.observer import Observer
from devlint.verify.program import SIMULATED, Program
from devlint.verify.rewrites.rewriting import Rewriter
from devlint.verify.rewrites.trial import Trial
from tests.engine.test_settling import BASE, HEIR
from tests.verify.test_launch import run_devlint, without_torch
from tests.verify.test_verdicts import GOOD, ORIGINAL

NEEDS_A_NEIGHBOUR = "import neighbour\n" + ORIGINAL + "print(neighbour.name, open('data.txt').read())\n"
NEEDS_ARGUMENTS = ORIGINAL + "import argparse\np = argparse.ArgumentParser()\np.add_argument('lr')\np.parse_args()\n"


def devlint(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        main(list(arguments))
    captured = capsys.readouterr()
    return int(left.value.code or 0), captured.out, captured.err


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_files_are_fixed_in_copies_and_compared(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "train.py").write_text(NEEDS_A_NEIGHBOUR + f"print({str(project)!r}, __file__)\n")
    (project / "needy.py").write_text(NEEDS_ARGUMENTS)
    (project / "clean.py").write_text("print(1)\n")
    (project / "broken.py").write_text("import torch\nx = .cuda()\n")
    (project / "neighbour.py").write_text("name = __name__\n")
    (project / "data.txt").write_text("data")
    code, out, _ = devlint(
        capsys, "verify", "--isolated", "--data", "data.txt", "train.py", "clean.py", "broken.py", "needy.py", "gone.py"
    )
    assert out.splitlines() == [
        "ok      train.py: cpu: newly works on CPU; simulated cuda: same",
        "ok      clean.py: same",
        "        devlint rewrites nothing here",
        "?       broken.py: cannot be compared",
        "        invalid syntax",
        "?       needy.py: cpu: cannot be compared; simulated cuda: cannot be compared",
        "        cpu: the original needs arguments: needy.py: error: the following arguments are required: lr",
        "        simulated cuda: the original needs arguments: needy.py: error: the following arguments are required: lr",
        "?       gone.py: cannot be compared",
        "        No such file or directory",
        "2 of 5 hold, 3 cannot be compared.",
    ]
    assert code == 2
    assert (project / "train.py").read_text().startswith(NEEDS_A_NEIGHBOUR)


MODEL = "import torch\n\n\ndef double(x):\n    return x * torch.full((2,), 2.0).cuda()\n"
FROM_ABOVE = """\
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))
import torch
from lib.model import double

print(double(torch.ones(2).cuda()).sum().item())
"""

FROM_ABOVE_AS_IT_IS = """\
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from lib.model import double

print(double(1).sum().item())
"""


RELATIVE = """\
import os
import shutil
import sys

sys.path.append({})
import torch
from lib.model import double

print(double(torch.ones(2).cuda()).sum().item())
"""
PATH_OF_PYTHON = "import torch\nfrom lib import model\nprint(model.double(torch.ones(2).cuda()).sum().item())\n"
ONLY_THE_MODULE = "from lib.model import double\nprint(double(1).sum().item())\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("start", "package", "script", "path"),
    [
        ("project", "lib", FROM_ABOVE, ""),
        ("scripts", "lib", FROM_ABOVE_AS_IT_IS, ""),
        ("scripts", "src/lib", PATH_OF_PYTHON, "src"),
        ("project", "src/lib", ONLY_THE_MODULE, "src"),
        ("scripts", "lib", RELATIVE.format('".."'), ""),
        ("project", "lib", RELATIVE.format('".."'), ""),
        ("project", "lib", RELATIVE.format('""'), ""),
        ("scripts", "code/lib", RELATIVE.format('os.path.join(os.getcwd(), "..", "code")'), ""),
    ],
    ids=[
        "folder above",
        "folder above, not rewritten",
        "PYTHONPATH",
        "only the module is rewritten",
        "relative to the current folder",
        "relative to the script's folder",
        "the current folder",
        "relative, made absolute",
    ],
)
def test_modules_of_the_project_are_rewritten_too(
    start: str,
    package: str,
    script: str,
    path: str,
    project: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (project / package).mkdir(parents=True)
    (project / package / "__init__.py").write_text("")
    (project / package / "model.py").write_text(MODEL)
    (project / "scripts").mkdir()
    (project / "scripts" / "run.py").write_text(script)
    name = "scripts/run.py" if start == "project" else "run.py"
    monkeypatch.chdir(project if start == "project" else project / "scripts")
    monkeypatch.setenv("PYTHONPATH", os.path.relpath(project / path) if path else "")
    code, out, _ = devlint(capsys, "verify", "--isolated", name)
    assert out.splitlines()[0] == f"ok      {name}: cpu: newly works on CPU; simulated cuda: same"
    assert code == 0


REACHED = [
    "import importlib\nprint(importlib.import_module('lib.' + 'model').double(x).sum().item())\n",
    "import runpy\nprint(runpy.run_path(os.path.join(here, 'lib', 'model.py'))['double'](x).sum().item())\n",
    "import subprocess, sys\nprint(subprocess.run([sys.executable, os.path.join(here, 'child.py')]).returncode)\n",
]


@pytest.mark.slow
def test_what_runs_the_programs_is_no_part_of_them(observer: Observer, tmp_path: Path) -> None:
    path = write(tmp_path, "run.py", GOOD)
    found = observer.observe(Program(path, project=tempfile.gettempdir()), SIMULATED)
    observer.forget()
    imported = found.data["imported"]
    assert found.works and path in imported and not [file for file in imported if "/devlint/verify/" in file]


@pytest.mark.slow
@pytest.mark.parametrize("rest", REACHED, ids=["import_module", "runpy", "a process"])
def test_what_only_a_run_shows_to_be_executed_is_rewritten(
    rest: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "lib").mkdir()
    (project / "lib" / "model.py").write_text(MODEL)
    (project / "child.py").write_text(ONLY_THE_MODULE)
    begin = "import os, torch\nhere = os.path.dirname(os.path.abspath(__file__))\nx = torch.ones(2).cuda()\n"
    (project / "run.py").write_text(begin + rest)
    code, out, _ = devlint(capsys, "verify", "--isolated", "run.py")
    assert (code, out.splitlines()[0]) == (0, "ok      run.py: cpu: newly works on CPU; simulated cuda: same")


@pytest.mark.slow
@pytest.mark.parametrize(
    "launcher",
    [
        "import importlib\nimportlib.import_module('plugins.one')\n",
        "import os, subprocess, sys\n"
        "subprocess.run([sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'plugins', 'one.py')])\n",
    ],
    ids=["import_module", "a process"],
)
def test_a_program_that_only_starts_others_is_run(
    launcher: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(project, "plugins/one.py", "import torch\nprint(torch.ones(2).cuda().sum().item())\n")
    write(project, "run.py", launcher)
    code, out, _ = devlint(capsys, "verify", "--isolated", "run.py")
    assert (code, out.splitlines()[0]) == (0, "ok      run.py: cpu: newly works on CPU; simulated cuda: same")


def test_a_program_without_others_that_change_is_not_run(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    starts = write(tmp_path, "run.py", "import importlib\nimportlib.import_module('one')\n")
    write(tmp_path, "one.py", "print(1)\n")
    [verdict] = Rewriter(ConfigFinder(isolated=True), str(tmp_path / "copies")).items([starts])
    assert isinstance(verdict, Verdict) and verdict.outcomes[0].detail == "devlint rewrites nothing here"
    write(tmp_path, "one.py", ORIGINAL)
    [task] = Rewriter(ConfigFinder(isolated=True), str(tmp_path / "copies")).items([starts])
    assert isinstance(task, Task)


def test_packages_in_an_environment_of_the_project_are_not_rewritten(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    files = [
        write(tmp_path, name, ORIGINAL) for name in ("run.py", "env/lib/a.py", "lib/site-packages/b.py", "lib/c.py")
    ]
    write(tmp_path, "env/pyvenv.cfg", "")
    task = next(iter(Rewriter(ConfigFinder(isolated=True), str(tmp_path / "copies")).items([files[0]])))
    assert isinstance(task, Task) and task.wider({*files[:3]}) is None
    assert task.wider({*files}) is not None


def write(folder: Path, name: str, text: str) -> str:
    """A file with this text, by its path."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(path)


def python_in(folder: Path, text: str) -> Path:
    """A virtual environment whose Python is a script for the shell."""
    (folder / "bin").mkdir(parents=True)
    python = folder / "bin" / "python"
    python.write_text(f"#!/bin/sh\n{text}\n")
    python.chmod(0o755)
    return python


@pytest.mark.slow
def test_another_python_runs_the_programs(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    python_in(project / "env", f'echo used > {project}/used\nexec {sys.executable} "$@"')
    (project / "train.py").write_text(ORIGINAL)
    code, out, _ = devlint(capsys, "verify", "--isolated", "--python", "env/bin/python", "train.py")
    assert (code, out.splitlines()[-1], (project / "used").exists()) == (0, "1 of 1 hold.", True)
    python_in(project / "empty", "exit 1")
    for name, message in (("empty", "is older than 3.10, does not start or has no torch"), ("gone", "no such Python")):
        code, _, err = devlint(capsys, "verify", "--isolated", "--python", name, "train.py")
        assert code == 2 and message in err


def test_the_python_that_has_torch_is_found(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    monkeypatch.delenv("CONDA_PREFIX", raising=False)
    assert find_python(None) == sys.executable
    active, own = python_in(project / "active", "exit 0"), python_in(project / ".venv", "exit 0")
    python_in(project / "without", "exit 1")
    monkeypatch.setenv("VIRTUAL_ENV", str(project / "active"))
    assert find_python(None) == str(active)
    monkeypatch.setenv("VIRTUAL_ENV", str(project / "without"))
    assert find_python(None) == sys.executable
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    (project / "inner").mkdir()
    monkeypatch.chdir(project / "inner")
    assert find_python(None) == str(own)


@pytest.mark.slow
def test_two_folders_and_other_formats(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for folder, texts in (("old", (ORIGINAL, ORIGINAL)), ("new", (GOOD, ORIGINAL))):
        (project / folder).mkdir()
        for name, text in zip(("train.py", "same.py"), texts):
            (project / folder / name).write_text(text)
        (project / folder / "not_imported.py").write_text(f"print('{folder}')\n")
    (project / "new" / "train.py").write_text(GOOD.replace("0.1", "0.2"))
    code, out, _ = devlint(
        capsys,
        "verify",
        "--before",
        "old",
        "--after",
        "new",
        "--on",
        "simulated",
        "--output-format",
        "json",
        "train.py",
    )
    (verdict,) = json.loads(out)
    assert (code, verdict["program"], verdict["holds"], verdict["lines_not_run"]) == (1, "train.py", False, [])
    assert verdict["settings"][0]["verdict"] == "value differs"


@pytest.mark.slow
def test_a_folder_of_cases(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = project / "cases" / "one"
    case.mkdir(parents=True)
    (case / "input.py").write_text(ORIGINAL + "import sys\nprint(sys.argv[1:])\n")
    (case / "fixed.py").write_text(GOOD + "import sys\nprint(sys.argv[1:])\n")
    (case / "run.toml").write_text('[[run]]\nargs = ["--x"]\n')
    code, out, _ = devlint(capsys, "verify", "cases", "--output-format", "junit", "--on", "cpu")
    assert code == 0 and '<testsuite name="one --x" tests="1" failures="0" errors="0"' in out
    (case / "run.toml").write_text("argz = 1\n")
    assert devlint(capsys, "verify", "cases")[0] == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "which programs?"),
        (("--before", "."), "--before and --after go together"),
        (("--args", "'", "x.py"), "--args: No closing quotation"),
        (("--on", "tpu", "x.py"), "--on tpu: this computer has cpu, simulated"),
        (("--before", ".", "--after", "."), "no Python file differs"),
    ],
)
def test_bad_options(
    arguments: tuple[str, ...], message: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = devlint(capsys, "verify", *arguments)
    assert code == 2 and message in err


def test_without_torch_one_line_says_so(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(ORIGINAL)
    for command in (["verify", "program.py"], ["fix", "--verify", "python program.py", "program.py"]):
        result = run_devlint(tmp_path, *command, PYTHONPATH=without_torch(tmp_path))
        assert (result.returncode, result.stdout) == (2, "")
        assert result.stderr == (
            "error: verifying needs PyTorch: pip install 'devlint[verify]', or --python with a Python that has it\n"
        )
        shutil.rmtree(tmp_path / "site")


LIBRARY = """\
import inspect

import torch


def scale(x):
    return x.cuda() * 2


def shift(x):
    return x.cuda() + 1


def source():
    return inspect.getsource(shift)
"""
TESTS = """\
from pathlib import Path


def test_scale():
    import lib
    import torch

    assert "def scale" in Path("lib.py").read_text()
    lib.scale(torch.ones(2))


def test_source():
    assert ".cuda() + 1" in Path("lib.py").read_text()
"""
PYTEST = "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 python -m pytest -q test_lib.py"


@pytest.mark.slow
def test_fixes_are_made_if_a_script_does_the_same(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "train.py").write_text(ORIGINAL.replace("randn(4, 3).cuda()", "ones(4, 3).cuda()"))
    code, out, err = devlint(capsys, "fix", "--isolated", "--verify", "python train.py", "train.py")
    assert (code, err) == (0, "python train.py: cpu: newly works on CPU; simulated cuda: same\n")
    assert ".to(device)" in (project / "train.py").read_text() and "0 remaining" in out


def test_files_that_another_run_may_fix_by_what_this_one_makes_of_others_are_named(project: Path) -> None:
    (project / ".git").mkdir()
    for name, text in (("engine", BASE), ("pairs", HEIR), ("uses", "from pairs import Pairs\n\nPairs(True).test(1)\n")):
        (project / f"{name}.py").write_text(text)
    trial = Trial(Observer(), ConfigFinder(isolated=True), ["."], "true")
    assert {one.path: (one.changed, one.is_unsettled) for one in trial.settling_reports()} == {
        "engine.py": (True, False), "pairs.py": (False, True), "uses.py": (False, False)
    }  # fmt: skip
    assert not any(one.is_unsettled for one in trial.settling_reports(trial.candidates))


@pytest.mark.slow
def test_nothing_is_fixed_where_a_fix_breaks_the_command(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "lib.py").write_text(LIBRARY)
    command = f"{sys.executable} -c \"import sys; sys.exit('to(' in open('lib.py').read())\""
    code, _, err = devlint(capsys, "fix", "--isolated", "--verify", command, "lib.py")
    assert code == 1 and (project / "lib.py").read_text() == LIBRARY
    assert err.splitlines()[1:] == [
        "  cpu: newly fails: exits with 1",
        "Nothing was fixed; --bisect finds and drops the fix that breaks it.",
    ]


@pytest.mark.slow
def test_one_of_two_fixes_on_a_line_is_dropped(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "lib.py").write_text("import torch\n\n\ndef move(x, y):\n    return x.cuda(), y.cuda()\n")
    tests = TESTS.replace("def scale", "def move").replace(".cuda() + 1", "x.cuda()")
    (project / "test_lib.py").write_text(tests.replace("scale(torch.ones(2))", "move(*torch.ones(2))"))
    code, out, err = devlint(capsys, "fix", "--isolated", "--verify", PYTEST, "--bisect", "lib.py")
    assert "return x.cuda(), y.to(device)" in (project / "lib.py").read_text()
    assert [line for line in err.splitlines() if "dropped" in line] == [
        "lib.py:5: DEV101 dropped: cpu: newly fails: passed before and is failed: test_lib::test_source"
    ]
    assert "  with 1 of 2 fixes: newly fails" in err.splitlines()
    assert code == 1 and out.splitlines()[-2:] == ["Found 2 errors (1 fixed, 1 remaining).", "1 fix dropped."]
    assert sorted(path.name for path in project.iterdir()) == ["lib.py", "test_lib.py"]


def write_notebook(path: Path, *source: str) -> None:
    cell = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source}
    path.write_text(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}))


@pytest.mark.slow
def test_a_notebook_is_fixed_if_the_command_newly_works(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_notebook(project / "train.ipynb", "import torch\n", "print(torch.ones(2).cuda().sum())")
    cells = "import json\n[exec(''.join(cell['source'])) for cell in json.load(open('train.ipynb'))['cells']]\n"
    (project / "run.py").write_text(cells)
    (project / "other.py").write_text("print(1)\n")
    code, _, err = devlint(capsys, "fix", "--isolated", "--verify", "python other.py", "train.ipynb")
    assert err.splitlines()[1:] == [
        "  which lines of train.ipynb ran cannot be seen",
        "Nothing was fixed: the command does the same without the fixes, and may not run the notebook.",
    ]
    assert code == 1 and ".cuda()" in (project / "train.ipynb").read_text()
    code, _, err = devlint(capsys, "fix", "--isolated", "--verify", "python run.py", "train.ipynb")
    assert code == 0 and ".cuda()" not in (project / "train.ipynb").read_text()
    assert err.splitlines()[0] == "python run.py: cpu: newly works on CPU; simulated cuda: same"


@pytest.mark.slow
def test_notebooks_are_fixed_with_the_scripts(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "train.py").write_text(ORIGINAL.replace("randn(4, 3).cuda()", "ones(4, 3).cuda()"))
    write_notebook(project / "train.ipynb", "import torch\n", "y = torch.ones(2).cuda()")
    code, _, err = devlint(capsys, "fix", "--isolated", "--verify", "python train.py", ".")
    ran = "  which lines of train.ipynb ran cannot be seen\n"
    assert (code, err) == (0, "python train.py: cpu: newly works on CPU; simulated cuda: same\n" + ran)
    assert "device" in (project / "train.ipynb").read_text()


@pytest.mark.slow
def test_a_command_that_fails_before_and_after_proves_nothing(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "train.py").write_text(ORIGINAL)
    code, _, err = devlint(capsys, "fix", "--isolated", "--verify", "false", "train.py")
    assert code == 1 and "the command fails before and after: exits with 1" in err
    assert (project / "train.py").read_text() == ORIGINAL


@pytest.mark.slow
def test_fixes_that_the_command_does_not_execute_are_not_made(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "lib.py").write_text(
        "import torch\n\n\ndef f(x):\n    return x.cuda()\n\n\ndef g(x):\n    return x.cuda()\n"
    )
    before = (project / "lib.py").read_text()
    code, _, err = devlint(capsys, "fix", "--isolated", "--verify", "python -c pass", "lib.py")
    assert (code, err.splitlines()[1:]) == (
        1,
        [
            "  0 of 2 changed lines ran; not run: lib.py:5, lib.py:9",
            "Nothing was fixed: the command executes none of the changed lines, so it proves nothing.",
        ],
    )
    assert (project / "lib.py").read_text() == before
    one = "python -c 'import lib, torch; torch.cuda.is_available() and lib.f(torch.ones(1))'"
    code, _, err = devlint(capsys, "fix", "--isolated", "--verify", one, "lib.py")
    assert (code, err.splitlines()[1:]) == (0, ["  1 of 2 changed lines ran; not run: lib.py:9"])
    assert (project / "lib.py").read_text() != before


@pytest.mark.parametrize(
    "command",
    [
        "gone-command-x --y",
        "python gone.py",
        "python -m gone",
        "cd . && python gone.py",
        "python -m pytest -q gone_tests",
    ],
)
def test_a_command_that_does_not_exist(command: str, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "train.py").write_text(ORIGINAL)
    code, _, err = devlint(capsys, "fix", "--isolated", "--verify", command, "train.py")
    assert code == 2 and err.startswith("error: --verify: ") and "gone" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--bisect",), "--bisect needs --verify"),
        (("--verify", "true", "-"), "--verify goes with files and folders"),
        (("--verify", " ", "train.py"), "--verify needs a command"),
        (("--verify", "'", "train.py"), "--verify: No closing quotation"),
    ],
)
def test_bad_options_of_fix(
    arguments: tuple[str, ...], message: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "train.py").write_text(ORIGINAL)
    code, _, err = devlint(capsys, "fix", "--isolated", *arguments)
    assert code == 2 and message in err
