"""The hooks, in the real pre-commit: it clones this checkout, installs it with pip, and runs on a repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from devlint.sources.discovery import is_looked_at
from tests.support.paths import ROOT

pytest.importorskip("pre_commit")
tags_from_filename = pytest.importorskip("identify.identify").tags_from_filename
if shutil.which("git") is None:
    pytest.skip("the hooks need git", allow_module_level=True)

MANUAL = (ROOT / "docs" / "pre-commit.md").read_text(encoding="utf-8")
CONFIGURATION, OPTIONS, OTHERS = re.findall(r"^```yaml\n(.*?)^```$", MANUAL, re.DOTALL | re.MULTILINE)
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
TEXT = "import torch\n\nx = torch.zeros(2).cuda()\n"
LEFT = 'import torch\n\ndevice = torch.device("cuda:1")\n'
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PYTEST_", "COV_"))},
    "PRE_COMMIT_COLOR": "never",
    **{f"GIT_{who}_{what}": f"{who}@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}


SAMPLES = "a.py a.pyi a.ipynb a.sh a.bat Dockerfile Makefile a.yml a.toml a.ini a.md a.rst".split()


class Repository:
    """A throw-away git repository."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder = folder
        self.environment = {**ENVIRONMENT, "PRE_COMMIT_HOME": str(home)}
        self.run("git", "init", "--quiet", "--template=")

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True)

    def must(self, *command: str) -> str:
        result = self.run(*command)
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout.strip()

    def write(self, **files: str) -> None:
        """Write Python files (``b__c`` is ``b/c.py``) and add everything."""
        for name, text in files.items():
            path = self.folder / f"{name.replace('__', '/')}.py"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        self.must("git", "add", "--all")

    def hook(self, *arguments: str) -> tuple[int, str]:
        result = self.run(sys.executable, "-m", "pre_commit", "run", "--all-files", "--verbose", *arguments)
        return result.returncode, result.stdout + result.stderr


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pre-commit keeps the environment it installs devlint into."""
    return tmp_path_factory.mktemp("pre-commit-home")


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory, home: Path) -> str:
    """The configuration of the manual, for a repository that holds what is in this checkout now."""
    folder = tmp_path_factory.mktemp("hooks")
    for name in (".pre-commit-hooks.yaml", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "devlint", folder / "devlint", ignore=shutil.ignore_patterns("__pycache__"))
    repository = Repository(folder, home)
    repository.write()
    repository.must("git", "commit", "--quiet", "--message=everything")
    configuration = yaml.safe_load(CONFIGURATION)
    configuration["repos"][0].update(repo=str(folder), rev=repository.must("git", "rev-parse", "HEAD"))
    return str(yaml.safe_dump(configuration))


@pytest.fixture
def repository(tmp_path: Path, home: Path, hooks: str) -> Iterator[Repository]:
    made = Repository(tmp_path, home)
    (tmp_path / ".pre-commit-config.yaml").write_text(hooks)
    (tmp_path / "notes.txt").write_text(TEXT)
    (tmp_path / "setup.cfg").write_text("[metadata]\nname = net\n")  # others may import it: LEFT has no safe fix
    made.write()
    yield made
    assert (tmp_path / "notes.txt").read_text() == TEXT


@pytest.mark.slow
def test_text_files_are_checked_and_fixed(repository: Repository) -> None:
    for name in ("run.sh", "Dockerfile", "README.md"):
        (repository.folder / name).write_text("CUDA_VISIBLE_DEVICE=0 python train.py\n")
    repository.write()
    code, output = repository.hook("devlint")
    assert code == 1
    for name in ("run.sh", "Dockerfile", "README.md"):
        assert f"{name}:1:1: DEV301 [*]" in output
    assert repository.hook("devlint-fix")[0] == 1
    assert (repository.folder / "run.sh").read_text() == "CUDA_VISIBLE_DEVICES=0 python train.py\n"


def test_text_files_that_pre_commit_has_no_type_for(repository: Repository) -> None:
    configuration = yaml.safe_load((repository.folder / ".pre-commit-config.yaml").read_text())
    configuration["repos"][0]["hooks"] = yaml.safe_load(OTHERS)
    (repository.folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump(configuration))
    names = ["run.sbatch", "a.slurm", ".env", ".env.local", "b.env", "tox.cfg", "justfile", "run.fish"]
    for name in names:
        (repository.folder / name).write_text("[env]\nCUDA_VISIBLE_DEVICE=0\nexport CUDA_VISIBLE_DEVICE=0\n")
        assert is_looked_at(name)
    repository.write(a=TEXT)
    code, output = repository.hook()
    assert code == 1
    assert {name for name in names if f"{name}:3:" in output or f"{name}:2:" in output} == set(names), output
    assert "a.py" not in output


def test_python_in_markdown_when_it_is_configured(repository: Repository) -> None:
    (repository.folder / "pyproject.toml").write_text("[tool.devlint]\ndocument-code = true\n")
    (repository.folder / "README.md").write_text(f"```python\n{TEXT}```\n")
    repository.write()
    code, output = repository.hook("devlint")
    assert code == 1
    assert "README.md:4:20: DEV101" in output
    assert repository.hook("devlint-fix")[0] == 1
    assert "cuda()" not in (repository.folder / "README.md").read_text()


def test_check_finds_and_writes_nothing(repository: Repository) -> None:
    repository.write(a=TEXT, b__c=LEFT)
    (repository.folder / "d.pyi").write_text("import torch\n\nx = torch.zeros(2).cuda()\n")
    repository.write()
    code, output = repository.hook("devlint")
    assert code == 1
    assert "a.py:3:20: DEV101 [*]" in output
    assert f"{Path('b/c.py')}:3:10: DEV106" in output
    assert "d.pyi:3:20: DEV101" in output
    assert "notes.txt" not in output
    assert repository.must("git", "diff") == ""


def test_fix_fixes_and_is_content_the_second_time(repository: Repository) -> None:
    repository.write(a=TEXT)
    code, output = repository.hook("devlint-fix")
    assert code == 1
    assert "files were modified by this hook" in output
    assert (repository.folder / "a.py").read_text().endswith("\nx = torch.zeros(2).to(device)\n")
    repository.write()
    for name in ("devlint-fix", "devlint"):
        assert repository.hook(name)[0] == 0
    assert repository.must("git", "diff") == ""


@pytest.mark.slow
def test_what_cannot_be_fixed_is_reported_once(repository: Repository) -> None:
    repository.write(a=LEFT, b=TEXT)
    code, output = repository.hook()
    assert code == 1
    assert "files were modified by this hook" in output and "1 × DEV101 (cuda-method)" in output
    assert output.count("a.py:3:10: DEV106") == 1
    repository.write()
    assert repository.hook("devlint-fix")[0] == 0
    code, output = repository.hook()
    assert code == 1
    assert "files were modified" not in output
    assert output.count("a.py:3:10: DEV106") == 1


def test_excluded_files_stay_out_although_they_are_named(repository: Repository) -> None:
    (repository.folder / "pyproject.toml").write_text('[tool.devlint]\nextend-exclude = ["third_party"]\n')
    repository.write(third_party__a=TEXT, build__a=TEXT)
    for name in ("devlint", "devlint-fix"):
        code, output = repository.hook(name)
        assert code == 0, output
    repository.write(a=TEXT)
    assert repository.hook("devlint-fix")[0] == 1
    assert (repository.folder / "third_party" / "a.py").read_text() == TEXT


def test_options_are_passed_on_and_do_not_replace_force_exclude(repository: Repository) -> None:
    configuration = yaml.safe_load((repository.folder / ".pre-commit-config.yaml").read_text())
    configuration["repos"][0]["hooks"] = yaml.safe_load(OPTIONS)
    (repository.folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump(configuration))
    repository.write(a=TEXT, b=LEFT, build__a=TEXT)
    code, output = repository.hook()
    assert code == 1
    assert "DEV106" not in output
    assert "torch.accelerator.current_accelerator()" in (repository.folder / "a.py").read_text()
    assert (repository.folder / "build" / "a.py").read_text() == TEXT


@pytest.mark.slow
def test_a_commit_goes_through_when_nothing_is_left(repository: Repository) -> None:
    repository.must(sys.executable, "-m", "pre_commit", "install")
    repository.write(a=TEXT)
    assert repository.run("git", "commit", "--message=first").returncode == 1
    repository.write()
    repository.must("git", "commit", "--message=second")
    assert ".to(device)" in repository.must("git", "show", "HEAD:a.py")


def test_the_manual_shows_the_commands_of_the_hooks() -> None:
    for hook in HOOKS:
        assert f"| `{hook['id']}` | `{hook['entry']}` |" in MANUAL
        assert "--force-exclude" in hook["entry"]
        assert hook["types_or"][:3] == ["python", "pyi", "jupyter"]
        names = {tag: next(name for name in SAMPLES if tag in tags_from_filename(name)) for tag in hook["types_or"]}
        assert all(is_looked_at(name) for name in names.values()), names
    assert {one["id"] for one in yaml.safe_load(CONFIGURATION)["repos"][0]["hooks"]} == {one["id"] for one in HOOKS}
