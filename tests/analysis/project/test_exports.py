"""The device that another file exports: when it is taken, and when it is not."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from devlint.analysis.project.exports import may_bind_device
from devlint.analysis.project.project import Project
from devlint.torch_api.device_naming import looks_like_device
from tests.support.projects import fix_files, write_files

USE = """import torch

from config import SIZE


def make():
    return torch.ones(SIZE).cuda()
"""
CONFIG = 'import torch\n\nSIZE = 2\ndevice = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
OWN = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'


def fixed(tmp_path: Path, use: str = USE, config: str = CONFIG, path: str = "config.py", **others: str) -> str:
    files = {f"{name}.py": text for name, text in others.items()}
    return fix_files(write_files(tmp_path / "p", {"use.py": use, path: config, **files}), unsafe=True)["use.py"]


def test_it_is_imported_beside_what_is_imported_anyway(tmp_path: Path) -> None:
    text = fixed(tmp_path)
    assert "from config import device, SIZE\n" in text
    assert "torch.ones(SIZE).to(device)" in text
    assert OWN not in text


def test_an_attribute_of_an_imported_module(tmp_path: Path) -> None:
    text = fixed(tmp_path, "import torch\nimport config as c\n\n\ndef make():\n    return torch.ones(c.SIZE).cuda()\n")
    assert "torch.ones(c.SIZE).to(c.device)" in text


@pytest.mark.parametrize(
    "config",
    [
        CONFIG.replace('"cuda" if torch.cuda.is_available() else "cpu"', '"cuda:1"'),
        CONFIG + "if SIZE > 2:\n    device = None\n",
        CONFIG + "\ndef choose(n):\n    global device\n    device = n\n",
        CONFIG.replace("device =", "if SIZE:\n    device ="),
        CONFIG.replace("device =", "def device(): return"),
        CONFIG.replace("is_available() else", "is_available() and SIZE else"),
        CONFIG.replace('"cuda" if', '"cuda:1" if'),
        CONFIG.replace("SIZE = 2\n", "import use\n\nSIZE = 2\n"),
        CONFIG.replace("SIZE = 2\n", "from other import SIZE\n"),
        CONFIG.replace("SIZE = 2\n", "if True:\n    import other\n\nSIZE = 2\n"),
        "SIZE = 2\n",
        "def broken(:\n",
    ],
)
def test_it_is_not_taken(tmp_path: Path, config: str) -> None:
    assert OWN in fixed(tmp_path, config=config, other="import use\n\nSIZE = 3\n")


@pytest.mark.parametrize(
    "setter", ["import config\n\nconfig.device = 3\n", "import config as c\n\nsetattr(c, 'device', 3)\n"]
)
def test_nobody_may_set_it(tmp_path: Path, setter: str) -> None:
    assert OWN in fixed(tmp_path, setter=setter)
    unrelated = "class Net:\n    def __init__(self, x):\n        self.device = x\n        x.device = 2\n"
    assert OWN not in fixed(tmp_path / "other", setter=unrelated)


def test_a_name_that_means_something_else_here(tmp_path: Path) -> None:
    text = fixed(tmp_path, USE.replace("def make():\n", "def make():\n    device = 'phone'\n"))
    assert "SIZE, device" not in text


def test_reexports_and_packages(tmp_path: Path) -> None:
    use = USE.replace("from config", "from lib.tools")
    tools = "from .inner import device\n\nSIZE = 2\n"
    write_files(tmp_path / "p", {"lib/__init__.py": "", "lib/tools/__init__.py": tools})
    text = fixed(tmp_path, use, CONFIG, "lib/tools/inner.py")
    assert "from lib.tools import device, SIZE\n" in text


def test_a_folder_src(tmp_path: Path) -> None:
    use = USE.replace("from config", "from lib.config")
    write_files(tmp_path / "p", {"src/lib/__init__.py": "", "src/lib/config.py": CONFIG})
    assert "from lib.config import device, SIZE\n" in fixed(tmp_path, use)


def test_an_excluded_folder_and_one_outside_are_no_part_of_it(tmp_path: Path) -> None:
    setter = "import config\n\nconfig.device = 3\n"
    write_files(tmp_path / "p", {"venv/setter.py": setter, "ignored/setter.py": setter, ".git/HEAD": ""})
    write_files(tmp_path, {"setter.py": setter})
    (tmp_path / "p" / ".gitignore").write_text("/ignored/\n")
    assert OWN not in fixed(tmp_path)


def test_an_imported_device_is_known(tmp_path: Path) -> None:
    text = fixed(tmp_path, USE.replace("import SIZE", "import SIZE, device"))
    assert text == USE.replace("import SIZE", "import SIZE, device").replace(".cuda()", ".to(device)")


@pytest.mark.parametrize("marks", ["a package", "no project"])
def test_calls_from_files_that_may_be_of_the_project(tmp_path: Path, marks: str) -> None:
    tool = 'import torch\n\n\ndef f(n, device="cuda"):\n    return torch.ones(n, device=device)\n'
    files = {"lib/inner/tool.py": tool, "lib/use.py": "from lib.inner.tool import f\n\nf(1, device=None)\n"}
    folder = write_files(tmp_path / "p", files)
    (folder / "setup.py").unlink()
    if marks == "a package":
        (folder / "lib" / "__init__.py").touch()
    assert fix_files(folder) == {}


@pytest.mark.parametrize("name", ["device", "DEVICE", "dev", "my_device", "device_used", "Dev", "_dev_", "device_"])
def test_a_module_is_parsed_where_its_text_may_have_a_name_like_that_of_a_device(name: str) -> None:
    assert looks_like_device(name)
    assert may_bind_device(f"import torch\n\n{name} = torch.device(0)\n".encode())


def test_a_module_without_such_a_name_is_not_parsed(tmp_path: Path) -> None:
    files = {"use.py": "import config\n", "config.py": "devices = 1  # for developers\n"}
    project = Project(str(write_files(tmp_path / "p", files) / "use.py"))
    assert project.names("config", lambda _: True) == {"devices"}
    assert project.names("config", may_bind_device) == frozenset()
    assert project.names("missing", lambda _: True) == frozenset()


def test_the_tree_of_the_file_itself_is_made_once(tmp_path: Path) -> None:
    project = Project(str(tmp_path / "use.py"))
    tree = ast.parse("x = 1\n")
    project.index.own = ("x = 1\n", tree)
    same, other = project.own_module("x = 1\n"), project.own_module("x = 2\n")
    assert same is not None and same.tree is tree
    assert other is not None and other.tree is not tree
