"""Configuration: found next to the file, checked key by key, inherited and overridden."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from devlint.config.finder import ConfigFinder
from devlint.config.selection import Selection
from devlint.config.settings import Settings
from devlint.config.torch_requirement import lower_bound
from devlint.core.errors import ConfigError
from devlint.core.target import ConfiguredCall, ConfiguredGate, ConfiguredSlot, Target
from tests.support.projects import fix_files


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def settings(directory: Path, **options: Any) -> Settings:
    finder = ConfigFinder(cwd=str(directory), **options)
    return finder.settings(str(directory))


def failure(directory: Path, **options: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        settings(directory, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_without_any_configuration_the_defaults_hold(tmp_path: Path) -> None:
    found = settings(tmp_path)
    assert found.target == Target()
    assert not found.unsafe_fixes
    assert found.excluded(str(tmp_path / "a" / "node_modules"), is_dir=True)
    assert not found.excluded(str(tmp_path / "a" / "module.py"))


@pytest.mark.parametrize(("name", "header"), [("pyproject.toml", "[tool.devlint]\n"), ("devlint.toml", "")])
def test_every_key_is_read(tmp_path: Path, name: str, header: str) -> None:
    body = """
select = ["dev0"]
extend-select = ["DEV003"]
ignore = ["DEV002"]
exclude = ["third_party"]
extend-exclude = ["generated/*.py"]
target = "project"
device = "torch_device"
device-import = "from testing_utils import torch_device"
torch-min-version = "2.1.3"
unsafe-fixes = true
force-exclude = true
respect-gitignore = false
per-file-ignores = {"tests/**" = ["DEV0"], "!src/*" = ["DEV001"]}
calls = {"torch.cuda.empty_cache" = "free()", "torch.cuda.seed" = {call = "seed({args})", import = "import x"}}
gates = {needs_gpu = "needs_device", "pytest.mark.gpu" = {gate = "pytest.mark.device", import = "import pytest"}}
"""
    write(tmp_path / name, header + body)
    found = settings(tmp_path)
    assert found.selections == (Selection(("DEV0",), ("DEV003",), ("DEV002",)),)
    calls = (
        ConfiguredCall("torch.cuda.empty_cache", "free()"),
        ConfiguredCall("torch.cuda.seed", "seed({args})", "import x"),
    )
    gates = (
        ConfiguredGate("needs_gpu", "needs_device"),
        ConfiguredGate("pytest.mark.gpu", "pytest.mark.device", "import pytest"),
    )
    device = ("torch_device", "from testing_utils import torch_device")
    assert found.target == Target("project", *device, (2, 1), calls, gates)
    assert (found.unsafe_fixes, found.force_exclude, found.respect_gitignore) == (True, True, False)
    assert found.excluded(str(tmp_path / "a" / "third_party"), is_dir=True)
    assert found.excluded(str(tmp_path / "generated" / "a.py"))
    assert not found.excluded(str(tmp_path / "node_modules"), is_dir=True)
    assert found.ignored_at(str(tmp_path / "tests" / "a" / "b.py")) == ("DEV0", "DEV001")
    assert found.ignored_at(str(tmp_path / "src" / "b.py")) == ()


@pytest.mark.parametrize(("name", "header"), [("pyproject.toml", "[tool.devlint]\r\n"), ("devlint.toml", "")])
def test_a_file_of_windows_is_read(tmp_path: Path, name: str, header: str) -> None:
    """With a byte-order mark, and lines that end with a carriage return."""
    (tmp_path / name).write_bytes(f'\ufeff{header}unsafe-fixes = true\r\ntarget = "accelerator"\r\n'.encode())
    assert settings(tmp_path).unsafe_fixes and settings(tmp_path).target.kind == "accelerator"


def test_functions_that_take_a_device_need_no_project(tmp_path: Path) -> None:
    write(tmp_path / "devlint.toml", '[calls]\nlaunch = {device = "where", position = 1}\n"E.f" = {device = "d"}\n')
    slots = (ConfiguredSlot("launch", "where", 1), ConfiguredSlot("E.f", "d"))
    assert settings(tmp_path).target == Target(slots=slots)
    write(tmp_path / "a" / "devlint.toml", 'extend = "../devlint.toml"\ntarget = "accelerator"\n')
    assert settings(tmp_path / "a").target == Target("accelerator", slots=slots)


def test_the_nearest_configuration_wins_and_is_not_merged(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", '[tool.devlint]\ntarget = "accelerator"\nunsafe-fixes = true\n')
    write(tmp_path / "a" / "pyproject.toml", "[project]\nname = 'no configuration of ours'\n")
    write(tmp_path / "a" / "b" / "devlint.toml", 'torch-min-version = "2.3"\n')
    (tmp_path / "a" / "b" / "c").mkdir()
    finder = ConfigFinder(cwd=str(tmp_path))
    assert finder.settings(str(tmp_path / "a")).target.kind == "accelerator"
    nested = finder.settings(str(tmp_path / "a" / "b" / "c"))
    assert nested.target == Target(torch_min_version=(2, 3))
    assert not nested.unsafe_fixes


def test_extend_inherits_and_the_own_keys_win(tmp_path: Path) -> None:
    write(tmp_path / "base.toml", 'ignore = ["DEV001"]\nextend-exclude = ["gen"]\ntorch-min-version = "2.3"\n')
    write(tmp_path / "a" / "devlint.toml", 'extend = "../base.toml"\ntorch-min-version = "2.4"\nextend-exclude=["x"]\n')
    found = settings(tmp_path / "a")
    assert [layer.ignore for layer in found.selections] == [("DEV001",), ()]
    assert found.target.torch_min_version == (2, 4)
    assert found.excluded(str(tmp_path / "a" / "x"), is_dir=True)
    assert found.excluded(str(tmp_path / "gen"), is_dir=True)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('targt = "cuda"', ("unknown key 'targt'", "did you mean 'target'?")),
        ('per_file_ignores = ["a"]', ("unknown key 'per_file_ignores'", "did you mean 'per-file-ignores'?")),
        ("zzz = 1", ("unknown key 'zzz'",)),
        ('select = "DEV0"', ("'select'", "expected a list of strings", "'DEV0'")),
        ('select = ["DEV0", 3]', ("'select'", "expected a list of strings")),
        ('select = ["DEV00Z"]', ("'select'", "unknown rule selector 'DEV00Z'", "did you mean 'DEV00")),
        ('ignore = ["unused-supression"]', ("did you mean 'unused-suppression'?",)),
        ('ignore = [""]', ("unknown rule selector ''",)),
        ('target = "acelerator"', ("expected one of cuda, accelerator, project", "did you mean 'accelerator'?")),
        ("target = true", ("expected one of", "not true")),
        ('target = "project"', ("needs the key 'device'",)),
        ('target = "cuda"\ndevice = "x"', ("need 'target' to be 'project'",)),
        ('[calls]\n"torch.cuda.empty_cache" = "f()"', ("need 'target' to be 'project'",)),
        ("gates = 3", ("expected a table of decorators, marks or fixtures, not 3",)),
        ('[gates]\nneeds_gpu = "a b"', ('expected a name such as "require_torch_gpu" or "pytest.mark.gpu", not',)),
        ('[gates]\n"needs gpu" = "a"', ('expected a name such as "require_torch_gpu" or "pytest.mark.gpu", not',)),
        ('[gates]\nneeds_gpu = {import = "import f"}', ("needs_gpu: no key 'gate'",)),
        ('[gates]\nneeds_gpu = {gate = "f", import = "f"}', ("expected an import statement, not 'f'",)),
        ("calls = 3", ("expected a table of functions, not 3",)),
        ('[calls]\nlaunch = {device = "a b"}', ("launch: 'device' is the name of a parameter, not 'a b'",)),
        ('[calls]\nlaunch = {device = "where", position = -1}', ("launch: 'position' counts from 0, not -1",)),
        ('[calls]\nlaunch = {device = "where", call = "f()"}', ("launch: unknown key 'call'",)),
        ('[calls]\n"a b" = {device = "where"}', ("expected a name such as", "not 'a b'")),
        ('[calls]\n"cuda.empty_cache" = "f()"', ('expected a function such as "torch.cuda.empty_cache"',)),
        ('[calls]\n"torch.cuda.seed" = "f("', ("expected a Python expression, not 'f('",)),
        ('[calls]\n"torch.cuda.seed" = {with = "f()"}', ("torch.cuda.seed: unknown key 'with'",)),
        ('[calls]\n"torch.cuda.seed" = {import = "import f"}', ("torch.cuda.seed: no key 'call'",)),
        ('[calls]\n"torch.cuda.seed" = {call = "f()", import = "f"}', ("expected an import statement, not 'f'",)),
        ('device-import = "import x"', ("need 'target' to be 'project'",)),
        ('device = "a b"', ("'device'", "expected a Python expression", "'a b'")),
        ('device = ""', ("'device'", "expected a string")),
        ('device = "d"\ndevice-import = "d = 1"', ("'device-import'", "expected an import statement")),
        ("torch-min-version = 2.1", ("'torch-min-version'", 'expected a version such as "2.1"', "2.1")),
        ('torch-min-version = "new"', ("expected a version",)),
        ('target = "accelerator"\ntorch-min-version = "2.5"', ("needs torch 2.6", "torch 2.5")),
        ('unsafe-fixes = "yes"', ("'unsafe-fixes'", "expected true or false", "'yes'")),
        ('exclude = ["!"]', ("'exclude'", "is not a file pattern")),
        ("per-file-ignores = 3", ("expected a table",)),
        ('per-file-ignores = {a = "DEV0"}', ("expected a list of strings",)),
        ('extend = "nowhere.toml"', ("nowhere.toml: no such configuration file",)),
        ('extend = "devlint.toml"', ("extend each other",)),
        ("target = ", ("is no TOML",)),
        ("x\ny", ("is no TOML",)),
    ],
)
def test_every_mistake_is_one_clear_line_with_file_and_key(tmp_path: Path, body: str, words: tuple[str, ...]) -> None:
    write(tmp_path / "devlint.toml", body)
    message = failure(tmp_path)
    assert message.startswith(str(tmp_path))
    for word in words:
        assert word in message


@pytest.mark.parametrize("body", ["[tool]\ndevlint = 3\n", "[[tool.devlint]]\nx = 1\n"])
def test_a_configuration_that_is_no_table_is_refused(tmp_path: Path, body: str) -> None:
    write(tmp_path / "pyproject.toml", body)
    assert "is no table" in failure(tmp_path)


@pytest.mark.parametrize("body", [b"not toml at all", b"tool = 1\n# devlint\n", b"\xff\xfe", b""])
def test_a_pyproject_that_is_not_ours_never_matters(tmp_path: Path, body: bytes) -> None:
    (tmp_path / "pyproject.toml").write_bytes(body)
    assert settings(tmp_path).target == Target()


def test_a_directory_with_the_name_of_a_configuration_is_an_error_of_one_line(tmp_path: Path) -> None:
    (tmp_path / "devlint.toml").mkdir()
    assert "cannot be read" in failure(tmp_path)


def test_the_command_line_wins_over_the_file(tmp_path: Path) -> None:
    write(tmp_path / "devlint.toml", 'select = ["DEV001"]\nignore = ["DEV002"]\ntorch-min-version = "2.1"\n')
    overrides = {"ignore": ["dev003"], "target": "accelerator", "torch-min-version": "2.7", "extend-exclude": ["x"]}
    found = settings(tmp_path, overrides=overrides)
    assert found.selections == (Selection(("DEV001",), (), ("DEV002",)), Selection(None, (), ("DEV003",)))
    assert found.target == Target("accelerator", torch_min_version=(2, 7))
    assert found.excluded(str(tmp_path / "x"))
    assert found.origin == str(tmp_path / "devlint.toml")


def test_a_mistake_on_the_command_line_names_the_command_line(tmp_path: Path) -> None:
    assert failure(tmp_path, overrides={"select": ["XYZ"]}).startswith(
        "command line: 'select': unknown rule selector 'XYZ'"
    )


def test_one_configuration_for_all_files(tmp_path: Path) -> None:
    write(tmp_path / "devlint.toml", "unsafe-fixes = true\n")
    write(tmp_path / "conf" / "other.toml", 'torch-min-version = "2.2"\n')
    found = settings(tmp_path, config="conf/other.toml")
    assert found.target.torch_min_version == (2, 2)
    assert not found.unsafe_fixes
    assert "no such configuration file" in failure(tmp_path, config="conf/none.toml")
    write(tmp_path / "conf" / "pyproject.toml", "[project]\n")
    assert "has no table [tool.devlint]" in failure(tmp_path, config="conf/pyproject.toml")


def test_isolated_reads_nothing(tmp_path: Path) -> None:
    write(tmp_path / "devlint.toml", "nonsense = true\n")
    assert settings(tmp_path, isolated=True).target == Target()


@pytest.mark.parametrize(
    ("requirement", "version"),
    [
        ("torch", None),
        ("torch>=2.1", (2, 1)),
        ("torch >= 1.13.1, <3 ; python_version > '3.8'", (1, 13)),
        ("torch==2.0.1+cu118", (2, 0)),
        ("torch~=2.2", (2, 2)),
        ("torch[opt-einsum]>=2.3  # comment", (2, 3)),
        ("torch (>=1.9)", (1, 9)),
        ("torch>2", (2, 0)),
        ("torch<3", None),
        ("torch!=2.1,>=1.8", (1, 8)),
        ("torch ^2.4", (2, 4)),
        ("Torch>=2.1", (2, 1)),
        ("torchvision>=0.15", None),
        ("torch-geometric>=2.3", None),
        ("torch_scatter==2.1", None),
        ("pytorch>=2.1", None),
    ],
)
def test_lower_bound_of_a_requirement(requirement: str, version: Any) -> None:
    assert lower_bound(requirement) == version


@pytest.mark.parametrize(
    ("name", "text", "version"),
    [
        ("pyproject.toml", '[project]\ndependencies = ["numpy", "torch>=2.1"]\n', (2, 1)),
        ("pyproject.toml", '[project.optional-dependencies]\ngpu = ["torch>=2.2"]\nold = ["torch>=1.13"]\n', (1, 13)),
        ("pyproject.toml", '[dependency-groups]\ndev = ["torch>=2.3", {include-group = "x"}]\n', (2, 3)),
        ("pyproject.toml", '[tool.poetry.dependencies]\ntorch = "^2.4"\n', (2, 4)),
        ("pyproject.toml", '[tool.poetry.dependencies]\ntorch = {version = "2.5.1", optional = true}\n', (2, 5)),
        ("pyproject.toml", "torch = = broken", (2, 0)),
        ("setup.cfg", "[options]\ninstall_requires =\n    numpy\n    torch>=1.10\n", (1, 10)),
        ("setup.cfg", "[options]\ninstall_requires = torch>=1.11\n", (1, 11)),
        ("setup.py", "setup(install_requires=['numpy', 'torch>=1.12'])\n", (1, 12)),
        ("requirements.txt", "# torch>=9.9\nnumpy\ntorch==1.7.1\ntorchvision==0.8\n", (1, 7)),
    ],
)
def test_the_projects_own_requirement_sets_the_oldest_torch(tmp_path: Path, name: str, text: str, version: Any) -> None:
    write(tmp_path / "p" / name, text)
    package = tmp_path / "p" / "src" / "package"
    package.mkdir(parents=True)
    finder = ConfigFinder(cwd=str(tmp_path))
    target = finder.target(finder.settings(str(package)), str(package))
    assert (target.torch_min_version, target.torch_min_is_guess) == (version, version == (2, 0))


@pytest.mark.parametrize("isolated", [False, True])
@pytest.mark.parametrize(
    ("line", "is_before"),
    [
        ("torch==0.3.1", True),
        ("torch == 0.3.0.post4", True),
        ("torch<0.4", True),
        ("torch<=0.3.1", True),
        ("torch>=0.2,<0.4.0", True),
        ("torch>=0.3", False),
        ("torch==0.4.0", False),
        ("torch<1", False),
        ("torchtext==0.2.3", False),
        ("torch", False),
    ],
)
def test_a_torch_without_devices(tmp_path: Path, line: str, is_before: bool, isolated: bool) -> None:
    write(tmp_path / "requirements.txt", f"{line}\n")
    write(tmp_path / "main.py", "import torch\n\nprint(torch.ones(1).cuda())\n")
    finder = ConfigFinder(isolated=isolated, cwd=str(tmp_path))
    assert finder.target(finder.settings(str(tmp_path)), str(tmp_path)).torch_is_before_devices is is_before
    assert ("main.py" not in fix_files(tmp_path)) is is_before


@pytest.mark.parametrize(
    ("line", "target", "version"),
    [
        ("torch==1.6.0", "cuda", (1, 6)),
        ("torch>=1.5", "cuda", (1, 5)),
        ("torch>=1.5", "accelerator", (2, 6)),
        ("torch>=2.4", "cuda", (2, 0)),
        ("torch", "cuda", (2, 0)),
    ],
)
def test_an_old_torch_counts_without_a_configuration(tmp_path: Path, line: str, target: str, version: Any) -> None:
    write(tmp_path / "requirements.txt", f"{line}\n")
    finder = ConfigFinder({"target": target}, isolated=True, cwd=str(tmp_path))
    assert finder.target(finder.settings(str(tmp_path)), str(tmp_path)).torch_min_version == version


@pytest.mark.parametrize(("version", "is_kept"), [("2.1", False), ("1.6.0", True)])
def test_no_fix_writes_what_an_old_torch_lacks(tmp_path: Path, version: str, is_kept: bool) -> None:
    write(tmp_path / "requirements.txt", f"torch=={version}\n")
    lines = ["import torch", "", "x = torch.ones(1).cuda()", "with torch.cuda.amp.autocast():", "    print(x + x)", ""]
    write(tmp_path / "main.py", "\n".join(lines))
    assert ("with torch.cuda.amp.autocast():" in fix_files(tmp_path)["main.py"]) is is_kept


def test_a_torch_without_devices_knows_async_alone(tmp_path: Path) -> None:
    write(tmp_path / "main.py", "import torch\n\nprint(torch.ones(1).cuda(async=True))\n")
    assert "non_blocking=True" in fix_files(tmp_path)["main.py"]
    write(tmp_path / "requirements.txt", "torch==0.3.1\n")
    assert fix_files(tmp_path) == {}
    assert "non_blocking=True" in fix_files(tmp_path, unsafe=True)["main.py"]


@pytest.mark.parametrize(
    ("requirement", "name"),
    [
        ("torch==1.11", "nullcontext"),
        ("torch>=1.0", "nullcontext"),
        ("numpy", "nullcontext"),
        ("torch==0.4.0", "ExitStack"),
        ("torch==0.4.0\nnumpy", "ExitStack"),
    ],
)
def test_a_python_without_null_contexts(tmp_path: Path, requirement: str, name: str) -> None:
    write(tmp_path / "requirements.txt", f"{requirement}\n")
    lines = ["import torch", "", "x = torch.ones(1).cuda()", "with torch.cuda.device(1):", "    print(x + 1)", ""]
    write(tmp_path / "main.py", "\n".join(lines))
    assert f"else {name}():" in fix_files(tmp_path)["main.py"]


def test_requirements_outside_of_the_project_do_not_count(tmp_path: Path) -> None:
    write(tmp_path / "requirements.txt", "torch>=2.4\n")
    write(tmp_path / "plain" / "setup.py", "")
    (tmp_path / "repository" / ".git").mkdir(parents=True)
    write(tmp_path / "repository" / "sub" / "setup.py", "")
    finder = ConfigFinder(cwd=str(tmp_path))
    for directory in (tmp_path / "plain", tmp_path / "repository" / "sub"):
        assert finder.target(finder.settings(str(directory)), str(directory)).torch_min_version == (2, 0)
    write(tmp_path / "repository" / "requirements.txt", "torch>=2.2\n")
    finder = ConfigFinder(cwd=str(tmp_path))
    directory = tmp_path / "repository" / "sub"
    assert finder.target(finder.settings(str(directory)), str(directory)).torch_min_version == (2, 2)


def test_a_configured_version_beats_the_requirement(tmp_path: Path) -> None:
    write(tmp_path / "requirements.txt", "torch>=2.4\n")
    write(tmp_path / "devlint.toml", 'torch-min-version = "2.2"\n')
    finder = ConfigFinder(cwd=str(tmp_path))
    target = finder.target(finder.settings(str(tmp_path)), str(tmp_path))
    assert target == Target(torch_min_version=(2, 2), torch_min_is_guess=False)


def test_a_requirement_too_old_for_the_target_is_an_error(tmp_path: Path) -> None:
    write(tmp_path / "requirements.txt", "torch>=2.4\n")
    finder = ConfigFinder({"target": "accelerator"}, cwd=str(tmp_path))
    with pytest.raises(ConfigError, match=r"^command line: .* needs torch 2\.6, but the project requires torch 2\.4"):
        finder.target(finder.settings(str(tmp_path)), str(tmp_path))


def test_the_accelerator_target_alone_means_the_torch_that_has_it(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    finder = ConfigFinder({"target": "accelerator"}, cwd=str(tmp_path))
    target = finder.target(finder.settings(str(tmp_path)), str(tmp_path))
    assert target == Target("accelerator", torch_min_version=(2, 6), torch_min_is_guess=True)
