"""Versions that a project names beside its requirements: where they are looked for, and what follows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from devlint.config.finder import ConfigFinder
from devlint.config.project_texts import ProjectTexts
from devlint.config.stated_versions import StatedVersions, Versions
from devlint.config.torch_requirement import TorchRequirements
from devlint.core.errors import ConfigError
from devlint.core.target import Target
from tests.support.projects import fix_files

MOVE = "import torch\n\nprint(torch.ones(1).cuda())\n"
CONTEXT = "import torch\n\nx = torch.ones(1).cuda()\nwith torch.cuda.device(1):\n    print(x + 1)\n"


def write(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def target(root: Path, folder: str = ".", **options: Any) -> Target:
    finder = ConfigFinder(cwd=str(root), **options)
    directory = str((root / folder).resolve())
    return finder.target(finder.settings(directory), directory)


@pytest.mark.parametrize("isolated", [False, True])
@pytest.mark.parametrize("name", ["README.md", "README.rst", "README.txt", "README", "readme.md", "Readme.markdown"])
def test_a_readme_that_names_a_torch_without_devices(tmp_path: Path, name: str, isolated: bool) -> None:
    write(tmp_path / name, "# a program\nRequirements: Python 3.5, PyTorch 0.3.0\n")
    write(tmp_path / "main.py", MOVE)
    found = target(tmp_path, isolated=isolated)
    assert (found.torch_is_before_devices, found.torch_min_version, found.torch_min_is_guess) == (True, (0, 3), True)
    assert fix_files(tmp_path) == {}
    assert "device" in fix_files(tmp_path, unsafe=True)["main.py"]


HALVES = (
    CONTEXT,
    f"{MOVE}torch.cuda.synchronize()\n",
    f"{MOVE}\n\ndef make(cuda):\n    tt = torch.cuda if cuda else torch\n    return tt.FloatTensor(2).zero_()\n\n\nmake(True)\n",
)


@pytest.mark.parametrize("text", HALVES)
def test_only_half_of_a_program_is_not_fixed(tmp_path: Path, text: str) -> None:
    write(tmp_path / "README.md", "PyTorch 0.3.0\n")
    write(tmp_path / "main.py", text)
    assert fix_files(tmp_path) == {}


@pytest.mark.parametrize("newer", ["with torch.no_grad():\n    pass", 'torch.device("cpu")', "torch.tensor([1])"])
def test_a_program_that_uses_newer_things_runs_with_no_such_torch(tmp_path: Path, newer: str) -> None:
    write(tmp_path / "README.md", "PyTorch 0.3.0\n")
    write(tmp_path / "main.py", f"{MOVE}{newer}\n")
    assert "main.py" in fix_files(tmp_path)
    write(tmp_path / "main.py", f'{MOVE}if torch.__version__ >= "0.4":\n    {newer.splitlines()[-1].strip()}\n')
    assert fix_files(tmp_path) == {}


@pytest.mark.parametrize(
    ("files", "folder", "before"),
    [
        ({"README.md": "PyTorch 0.3"}, "a/b", True),
        ({"a/README.md": "PyTorch 0.3", "README.md": "PyTorch 1.0"}, "a/b", True),
        ({"a/README.md": "PyTorch 1.0", "README.md": "PyTorch 0.3"}, "a/b", False),
        ({"a/README.md": "a part", "README.md": "PyTorch 0.3"}, "a", True),
        ({"README.md": "PyTorch 0.3", "requirements.txt": "torch>=1.0"}, ".", False),
        ({"a/README.md": "PyTorch 0.3", "requirements.txt": "torch==1.0"}, "a", False),
        ({"README.md": "PyTorch 0.3", "requirements.txt": "numpy"}, ".", True),
        ({"README.md": "PyTorch 1.0", "requirements.txt": "torch==0.3.1"}, ".", True),
        ({"README.md": "PyTorch 0.3", "environment.yml": "dependencies:\n  - pytorch=1.0\n"}, ".", False),
        ({"environment.yml": "dependencies:\n  - pytorch=0.3.1=py36_1\n"}, ".", True),
        ({"install_requirements.sh": "conda install -y pytorch==0.3.1 torchvision -c pytorch\n"}, ".", True),
        ({"train.sh": "conda install -y pytorch==0.3.1 torchvision -c pytorch\n"}, ".", False),
        ({"environment.yml": "dependencies:\n  - pip:\n    - torch==0.3.1\n"}, ".", True),
        ({"environment.yml": "dependencies:\n  - pip:\n    - torch>=0.2,<0.4\n"}, ".", True),
        ({"environment.yml": "dependencies:\n  - pip:\n    - torch>=0.2\n"}, ".", False),
        ({"conda_env.yaml": "- pytorch::pytorch=0.3\n"}, ".", True),
        ({"Dockerfile": "RUN pip install torch==0.3.1\n"}, ".", True),
        ({"Dockerfile": "RUN pip install https://a.example/torch-0.3.1-cp36-cp36m-linux_x86_64.whl\n"}, ".", True),
        ({"Dockerfile": "FROM pytorch/pytorch:0.4-cuda9\n"}, ".", False),
        ({"Pipfile": '[packages]\ntorch = "==0.3.1"\n'}, ".", True),
        ({"requirements.txt": "http://a.example/whl/cu80/torch-0.3.0.post4-cp36-cp36m-linux_x86_64.whl\n"}, ".", True),
        ({"requirements.txt": "pytorch=0.3.1=py36\n"}, ".", True),
        ({"requirements-gpu.txt": "torch==0.3.1\n"}, ".", True),
        ({"requirements-gpu.txt": "# torch==0.3.1\ntorchvision==0.2.0\ntorchtext==0.3\n"}, ".", False),
        ({"net_pytorch_0.3.1/x.txt": ""}, "net_pytorch_0.3.1", True),
        ({"net_pytorch_1.0/x.txt": ""}, "net_pytorch_1.0", False),
        ({"README.md": "PyTorch 0.3+"}, ".", False),
        ({"README.md": "PyTorch 0.3 or 0.4"}, ".", True),
        ({"docs.md": "PyTorch 0.3"}, ".", False),
        ({"INSTALL.md": "PyTorch 0.3"}, ".", True),
        ({"docs/install.rst": "PyTorch 0.3"}, ".", True),
        ({"docs/installation.md": "PyTorch 0.3"}, "a", True),
        ({"docs/other.md": "PyTorch 0.3"}, ".", False),
        ({"INSTALL.md": "PyTorch 0.3", "README.md": "a program"}, ".", True),
        ({"INSTALL.md": "PyTorch 0.3", "environment.yml": "- pytorch=1.0\n"}, ".", False),
        ({"a/README.md": "PyTorch 0.3", "b/README.md": "PyTorch 1.0"}, "a", True),
        ({"a/README.md": "PyTorch 0.3", "b/README.md": "PyTorch 1.0"}, "b", False),
        ({"a/README.md": "PyTorch 0.3", "b/README.md": "PyTorch 1.0"}, ".", False),
        ({"../README.md": "PyTorch 0.3"}, ".", False),
    ],
)
def test_where_it_is_looked_for(tmp_path: Path, files: dict[str, str], folder: str, before: bool) -> None:
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    for name, text in files.items():
        write(root / name, text)
    (root / folder).mkdir(parents=True, exist_ok=True)
    assert target(root, folder, isolated=True).torch_is_before_devices is before


def test_outside_of_a_repository_the_first_readme_ends_the_project(tmp_path: Path) -> None:
    write(tmp_path / "README.md", "PyTorch 0.3")
    write(tmp_path / "a" / "README.md", "something")
    (tmp_path / "b").mkdir()
    assert not target(tmp_path, "a").torch_is_before_devices
    assert target(tmp_path, "b").torch_is_before_devices


def test_each_folder_is_read_once(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    readme = write(tmp_path / "README.md", "PyTorch 0.3, Python 3.5")
    (tmp_path / "a" / "b").mkdir(parents=True)
    stated = StatedVersions(ProjectTexts())
    found = stated.around(str(tmp_path / "a" / "b"))
    assert (found.oldest_torch, found.python) == ((0, 3), (3, 5))
    readme.unlink()
    assert stated.around(str(tmp_path / "a" / "b")) == stated.around(str(tmp_path)) == found
    assert StatedVersions(ProjectTexts()).around(str(tmp_path)) == Versions()
    assert StatedVersions(ProjectTexts()).around(str(tmp_path / "missing")) == Versions()


def test_a_project_file_is_read_once_for_all_questions(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    listed = write(tmp_path / "requirements.txt", "torch==0.3.1\n")
    packaged = write(tmp_path / "setup.py", "setup(python_requires='>=3.5')")
    texts = ProjectTexts()
    assert TorchRequirements(texts).oldest(str(tmp_path)) == (0, 3)
    listed.unlink()
    packaged.unlink()
    found = StatedVersions(texts).around(str(tmp_path))
    assert (found.oldest_torch, found.python) == (None, (3, 5))


@pytest.mark.parametrize(
    ("text", "before"),
    [
        (b"\xff\xfeP\x00y\x00T\x00o\x00r\x00c\x00h\x00 \x000\x00.\x003\x00", True),
        (b"\xef\xbb\xbfPyTorch 0.3", True),
        (b"\xe9\xff\x00\x81 PyTorch 0.3", True),
        (b"PyTorch 0.3\n" + b"word " * 1_000_000, True),
        (b"word\n" * 1_000_000 + b"PyTorch 0.3\n", False),
        (b"\x00" * 100_000, False),
    ],
)
def test_whatever_a_readme_holds(tmp_path: Path, text: bytes, before: bool) -> None:
    (tmp_path / ".git").mkdir()
    write(tmp_path / "README.md", text)
    (tmp_path / "README.rst").mkdir()
    assert target(tmp_path).torch_is_before_devices is before


LOADS = {
    "copied": "model.load_state_dict(torch.load('a.pt'))\nmodel.cuda()",
    "moved": "model = torch.load('a.pt').cuda()",
    "moved to a device": "device = torch.device('cuda')\nmodel = torch.load('a.pt').to(device)",
    "mapped": "model.load_state_dict(torch.load('a.pt', map_location=lambda storage, place: storage.cuda()))\nmodel.cuda()",
    "told CUDA": "model.load_state_dict(torch.load('a.pt', map_location='cuda'))\nmodel.cuda()",
    "told": "model.load_state_dict(torch.load('a.pt', map_location='cuda:0'))\nmodel.cuda()",
}


@pytest.mark.parametrize("load", LOADS.values(), ids=LOADS)
@pytest.mark.parametrize(
    ("version", "is_taken"),
    [
        ("0.4.0", False),
        ("0.4+", False),
        ("0.4", False),
        ("0.4.1", True),
        ("0.41", True),
        (">= 0.4.1", True),
        ("1.0", True),
    ],
)
def test_the_first_torch_with_devices_loads_to_none(tmp_path: Path, load: str, version: str, is_taken: bool) -> None:
    write(tmp_path / "README.md", f"PyTorch {version}\n")
    write(tmp_path / "main.py", f"import torch\n\nmodel = torch.nn.Linear(1, 1)\n{load}\nprint(model)\n")
    fixed = fix_files(tmp_path)["main.py"]
    assert ("map_location=device" in fixed) is is_taken
    assert is_taken or "storage" in load or 'map_location="cpu"' in fixed or 'else "cpu"' in fixed


OLD_LOADERS = {
    "README.md": ("PyTorch 0.4.0 or 0.4.1", "PyTorch < 0.4.1", "PyTorch 0.4"),
    "requirements.txt": ("torch==0.4.0", "torch>=0.4", "torch"),
    "environment.yml": ("- pytorch=0.4.0=py36", "- pytorch<0.4.1"),
    "devlint.toml": ('torch-min-version = "0.4.0"', 'torch-min-version = "0.4"'),
}
NEW_LOADERS = {
    "README.md": ("torch-0.4.1-cp36-cp36m-linux_x86_64.whl", "PyTorch 0.4.1.post2", "PyTorch <= 0.4.1"),
    "requirements.txt": ("torch==0.4.1", "torch>=0.4.1,<1", "pytorch=0.4.1=py36"),
    "environment.yml": ("- pytorch=0.4.1=py36", "- torch==0.4.1.post2"),
    "devlint.toml": ('torch-min-version = "0.4.1"',),
}


@pytest.mark.parametrize(("name", "line"), [(name, line) for name, lines in NEW_LOADERS.items() for line in lines])
def test_where_the_first_torch_that_loads_to_devices_is_said(tmp_path: Path, name: str, line: str) -> None:
    write(tmp_path / name, f"{line}\n")
    assert target(tmp_path).torch_min_version == (0, 4, 1)


@pytest.mark.parametrize(("name", "line"), [(name, line) for name, lines in OLD_LOADERS.items() for line in lines])
def test_where_one_that_does_not_is_said(tmp_path: Path, name: str, line: str) -> None:
    write(tmp_path / name, f"{line}\n")
    assert target(tmp_path).torch_min_version == ((2, 0) if line == "torch" else (0, 4))


def test_a_newer_torch_in_prose_allows_nothing(tmp_path: Path) -> None:
    write(tmp_path / "README.md", "PyTorch 2.6, Python 3.11")
    assert target(tmp_path) == Target(torch_min_is_guess=True)
    write(tmp_path / "README.md", "PyTorch 1.6")
    assert target(tmp_path) == Target(torch_min_version=(1, 6), torch_min_is_guess=True)


def test_prose_does_not_contradict_a_target(tmp_path: Path) -> None:
    write(tmp_path / "README.md", "PyTorch 0.3, Python 3.5")
    accelerator = Target("accelerator", torch_min_version=(2, 6), torch_min_is_guess=True)
    assert target(tmp_path, overrides={"target": "accelerator"}) == accelerator
    write(tmp_path / "requirements.txt", "torch==1.0")
    with pytest.raises(ConfigError):
        target(tmp_path, overrides={"target": "accelerator"})


def test_a_configured_torch_beats_prose(tmp_path: Path) -> None:
    write(tmp_path / "README.md", "PyTorch 0.3, Python 3.5")
    write(tmp_path / "devlint.toml", 'torch-min-version = "1.0"\n')
    assert target(tmp_path) == Target(torch_min_version=(1, 0), python_may_be_old=True)
    write(tmp_path / "devlint.toml", 'torch-min-version = "2.0"\n')
    assert target(tmp_path) == Target(torch_min_version=(2, 0))


@pytest.mark.parametrize(
    ("name", "text", "is_old"),
    [
        ("README.md", "nothing", False),
        ("README.md", "Python 3.6+", True),
        ("README.md", "Python 3.7+", False),
        ("README.md", "Python 3", False),
        ("README.md", "Python 2.7", True),
        ("README.md", "PyTorch 0.4.0", True),
        ("README.md", "PyTorch 0.4+", False),
        ("README.md", "PyTorch 1.0", False),
        ("setup.py", 'setup(python_requires=">=3.6")', True),
        ("setup.py", "setup(python_requires='>=3.7')", False),
        ("setup.py", "setup(python_requires='>=3.7', classifiers=['Programming Language :: Python :: 3.6'])", False),
        ("setup.py", "setup(classifiers=['Programming Language :: Python :: 3.6'])", True),
        ("setup.py", "setup(classifiers=['Programming Language :: Python :: 2'])", True),
        ("setup.py", "setup(classifiers=['Programming Language :: Python :: 3'])", False),
        ("setup.py", "setup(python_requires='!=3.0.*,>=2.7')", True),
        ("setup.cfg", "[options]\npython_requires = >=3.6\n", True),
        ("pyproject.toml", '[project]\nrequires-python = ">=3.6"\n', True),
        ("pyproject.toml", '[project]\nrequires-python = ">=3.8"\n', False),
        ("pyproject.toml", '[tool.poetry.dependencies]\npython = "^3.6"\n', True),
        ("pyproject.toml", '[tool.black]\ntarget-version = ["py36"]\n', False),
        ("requirements.txt", 'dataclasses; python_version < "3.7"\n', True),
        ("requirements.txt", 'six; python_version >= "3.6"\n', False),
        ("requirements.txt", 'importlib-metadata; python_version < "3.8"\n', False),
        ("requirements.txt", "torch==0.3.1\n", True),
        ("requirements.txt", "opencv-python==3.4.2\npython-dateutil==2.8\n", False),
        ("environment.yml", "dependencies:\n  - python=3.6.5\n", True),
        ("environment.yml", "dependencies:\n  - python=3.8\n", False),
        ("environment.yml", "dependencies:\n  - opencv-python==3.4.2\n  - ipython=5.1\n", False),
        ("Dockerfile", "FROM python:3.6-slim\n", True),
        ("Dockerfile", "RUN apt-get install python3.5\n", True),
        ("Dockerfile", "FROM python:3.9\n", False),
        ("Pipfile", '[requires]\npython_version = "3.6"\n', True),
        (".travis.yml", 'python:\n  - "3.6"\n', True),
        ("tox.ini", "envlist = py27,py38\n", True),
        ("tox.ini", "envlist = py38,py310\n", False),
        ("runtime.txt", "python-3.6.4\n", True),
        (".python-version", "3.6.4\n", True),
        (".python-version", "3.11\n", False),
    ],
)
def test_which_null_context_is_written(tmp_path: Path, name: str, text: str, is_old: bool) -> None:
    (tmp_path / ".git").mkdir()
    write(tmp_path / name, text)
    assert target(tmp_path, isolated=True).python_may_be_old is is_old
    write(tmp_path / "main.py", CONTEXT)
    if target(tmp_path, isolated=True).python_may_be_2:
        assert "ExitStack" not in fix_files(tmp_path).get("main.py", "")  # Python 2 has neither
    elif "0.3" not in text:
        assert f"else {'ExitStack' if is_old else 'nullcontext'}():" in fix_files(tmp_path)["main.py"]


def test_python_2_has_no_context_that_does_nothing(tmp_path: Path) -> None:
    write(tmp_path / "README.md", "It runs on Python 2.7 and 3.6.")
    assert target(tmp_path).python_may_be_2
    write(tmp_path / "README.md", "It runs on Python 3.6.")
    assert not target(tmp_path).python_may_be_2


def test_a_required_torch_needs_a_newer_python(tmp_path: Path) -> None:
    write(tmp_path / "README.md", "Python 3.6")
    write(tmp_path / "requirements.txt", "torch>=1.13")
    assert not target(tmp_path).python_may_be_old


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("from __future__ import print_function", "ExitStack"),
        ("from __future__ import absolute_import, division", "ExitStack"),
        ("from __future__ import annotations", "nullcontext"),
        ("import six", "ExitStack"),
        ("from six.moves import range", "ExitStack"),
        ("import sixth", "nullcontext"),
        ("import sys\nPY3 = sys.version_info[0] == 3", "ExitStack"),
        ("from contextlib import nullcontext", "nullcontext"),
    ],
)
def test_a_file_that_is_written_for_old_pythons(tmp_path: Path, line: str, name: str) -> None:
    write(tmp_path / "main.py", f"{line}\n{CONTEXT}")
    assert f"else {name}():" in fix_files(tmp_path)["main.py"]


def test_what_the_file_says_of_newer_pythons_counts_more(tmp_path: Path) -> None:
    write(tmp_path / "README.md", "Python 3.6")
    write(tmp_path / "main.py", f"from __future__ import annotations\n\n{CONTEXT}")
    assert "else nullcontext():" in fix_files(tmp_path)["main.py"]


@pytest.mark.parametrize(
    ("name", "text", "torch"),
    [
        ("requirements.txt", "timm==0.4.5\ntorchaudio==0.8.0\n", (1, 8)),
        ("requirements.txt", "torchvision==0.9.1\n", (1, 8)),
        ("environment.yml", "dependencies:\n  - torchvision==0.15.2\n", (2, 0)),
        ("requirements.txt", "torch==2.1.0\ntorchaudio==0.8.0\n", (2, 1)),
        ("requirements.txt", "torchaudio>=0.8.0\n", None),
        ("docker/requirements.txt", "torchaudio==0.8.0\n", (1, 8)),
        ("requirements/base.txt", "numpy\ntorch>=1.4\n", (1, 4)),
        ("docker/requirements.txt", "torch==1.7.1\n", (1, 7)),
        ("docker/Dockerfile", "RUN pip install torch==1.7.1\n", (1, 7)),
    ],
)
def test_what_is_made_for_one_torch_or_put_into_an_image(
    tmp_path: Path, name: str, text: str, torch: tuple[int, int] | None
) -> None:
    write(tmp_path / "README.md", "# a program\n")
    write(tmp_path / name, text)
    assert StatedVersions(ProjectTexts()).around(str(tmp_path)).oldest_torch == torch


WHEEL = "Metadata-Version: 2.1\nName: quick\nRequires-Python: >=3.6\nRequires-Dist: numpy (>=1.0)\nRequires-Dist: torch (>=1.7.0)\n\n# quick\nPyTorch 0.3.1\n"
OLD = "Metadata-Version: 1.0\nName: quick\nDescription: quick\n"


@pytest.mark.parametrize(
    ("name", "text", "torch"),
    [
        ("quick-0.1.dist-info/METADATA", WHEEL, (1, 7)),
        ("quick-0.1.dist-info/METADATA", WHEEL.replace(" (>=1.7.0)", ">=1.0; extra == 'gpu'"), (1, 0)),
        ("quick-0.1.dist-info/METADATA", WHEEL.replace(" (>=1.7.0)", ">=2.1"), (2, 1)),
        ("quick.egg-info/PKG-INFO", WHEEL, (1, 7)),
        ("quick.egg-info/requires.txt", "numpy\n\n[gpu]\ntorch>=1.7\n", (1, 7)),
        ("quick.egg-info", WHEEL, (1, 7)),
        ("quick.egg-info", OLD, None),
        ("quick-0.1.dist-info/RECORD", WHEEL, None),
    ],
)
def test_the_requirement_beside_a_package(tmp_path: Path, name: str, text: str, torch: tuple[int, int] | None) -> None:
    write(tmp_path / "quick" / "amp.py", MOVE)
    write(tmp_path / name, text)
    write(tmp_path / ".git" / "HEAD", "")
    assert TorchRequirements(ProjectTexts()).oldest(str(tmp_path / "quick")) == torch


def test_what_a_project_file_says_counts_more_than_what_was_built_of_it(tmp_path: Path) -> None:
    write(tmp_path / "quick.egg-info" / "PKG-INFO", WHEEL)
    write(tmp_path / "setup.cfg", "[options]\ninstall_requires =\n    torch>=2.1\n")
    assert TorchRequirements(ProjectTexts()).oldest(str(tmp_path)) == (2, 1)
    assert not StatedVersions(ProjectTexts()).around(str(tmp_path)).python_is_old


def test_the_description_of_a_package_is_its_readme(tmp_path: Path) -> None:
    write(tmp_path / "quick-0.1.dist-info" / "METADATA", WHEEL.replace("Requires-Dist: torch (>=1.7.0)\n", ""))
    named = StatedVersions(ProjectTexts()).around(str(tmp_path))
    assert (named.oldest_torch, named.python) == ((0, 3), (3, 6))
