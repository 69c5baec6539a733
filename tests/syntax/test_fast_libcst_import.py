"""A lean import of LibCST: nodes, findings and fixes are what they are with a plain one, and only our own process has it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from tests.support.sampling import some

TEXT = "import torch\n\nx = torch.zeros(2).cuda()\n"
PLAIN_LIBCST = "from devlint.syntax import fast_libcst_import\nfast_libcst_import.load = lambda: False\n"
COMMAND_LINE = "from devlint.cli import main\nmain()\n"
IS_LEAN = "import libcst\nprint('_first_constructor' in libcst.CSTNode.__init__.__qualname__)\n"
"""Nobody makes a CSTNode itself, so its constructor is never compiled."""


def ran(program: str, *arguments: str, folder: Path = ROOT) -> str:
    """What a process of its own prints; it may fail as far as findings make it."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0"}
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", cwd=folder, env=environment)
    assert done.returncode in (0, 1) and "Traceback" not in done.stderr, done.stderr
    return done.stdout + done.stderr


@pytest.mark.slow
def test_all_node_types_do_what_they_do() -> None:
    command = [sys.executable, "-m", "tests.support.node_semantics"]
    said = [
        subprocess.run([*command, how], capture_output=True, check=True, cwd=ROOT).stdout for how in ("plain", "lean")
    ]
    assert said[0].count(b"\n") > 10_000
    assert said[0] == said[1]


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [("check",), ("check", "--diff", "--unsafe-fixes")])
def test_findings_and_fixes_are_the_same(arguments: tuple[str, ...]) -> None:
    folders = some(sorted(str(path.parent) for path in ROOT.glob("fixtures/*/input.py")), 4)
    arguments = (*arguments, "--no-cache", "--isolated", "--jobs", "1", *folders)
    plain = ran(PLAIN_LIBCST + COMMAND_LINE, *arguments)
    assert plain.count(".py") >= len(folders)
    assert ran(COMMAND_LINE, *arguments) == plain


def in_a_run(before: str, *arguments: str, folder: Path) -> str:
    """The last line of a run of the command line, which says whether it has imported LibCST leanly."""
    at_exit = f"import atexit\natexit.register(lambda: exec({IS_LEAN!r}))\n"
    return ran(before + at_exit + COMMAND_LINE, *arguments, folder=folder).splitlines()[-1]


@pytest.mark.parametrize("arguments", [("check",), ("check", "--select", "DEV1"), ("fix",)])
def test_the_command_line_imports_libcst_leanly(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    (tmp_path / "a.py").write_text(TEXT)
    assert in_a_run("", *arguments, "a.py", folder=tmp_path) == "True"
    assert in_a_run(PLAIN_LIBCST, *arguments, "a.py", folder=tmp_path) == "False"


@pytest.mark.parametrize(
    "use",
    [
        f"import devlint\nassert devlint.check({TEXT!r}).diagnostics\n",
        f"import devlint\nassert devlint.fix({TEXT!r}).applied\n",
        "from devlint.cli import main\ntry: main(['check', 'a.py'])\nexcept SystemExit as end: assert end.code == 1\n",
        "import devlint.integrations.codemods\n",
        "import devlint.integrations.flake8_plugin, devlint.rules.cuda_method\n",
        "import libcst\nfrom devlint.syntax import fast_libcst_import\nassert not fast_libcst_import.load()\n",
    ],
)
def test_nobody_else_gets_it(tmp_path: Path, use: str) -> None:
    (tmp_path / "a.py").write_text(TEXT)
    assert ran(use + IS_LEAN, folder=tmp_path).splitlines()[-1] == "False"


WORKS = "import dataclasses, libcst\nassert dataclasses.dataclass.__module__ == 'dataclasses'\n" + (
    "assert libcst.parse_module('a = b\\n').with_changes(encoding='ascii').code == 'a = b\\n'\n"
)


@pytest.mark.parametrize(
    "oddity",
    [
        "fast_libcst_import._NODES = 'libcst.other_nodes.'\n",
        "fast_libcst_import._first_constructor = None\n",
        "del fast_libcst_import._refuse_to_delete\n",
        "sys.modules['libcst._nodes.op'] = op = type(sys)('op')\n",
    ],
)
def test_what_is_not_as_expected_is_left_to_a_plain_import(oddity: str) -> None:
    after = "del sys.modules['libcst._nodes.op']\n" if "op" in oddity else ""
    program = f"import sys\nfrom devlint.syntax import fast_libcst_import\n{oddity}assert not fast_libcst_import.load()\n{after}"
    program += WORKS + IS_LEAN
    assert ran(program) == "False\n"


def test_without_libcst_the_error_is_that_of_the_import() -> None:
    program = (
        "import sys\nfrom devlint.syntax import fast_libcst_import\nsys.modules['libcst._nodes.op'] = None\n"
        "assert not fast_libcst_import.load()\nassert 'libcst' not in sys.modules\n"
        "try: import libcst\nexcept ImportError as error: print(error.name)\n"
    )
    assert ran(program) == "libcst._nodes.op\n"


def test_dataclasses_of_others_are_left_alone() -> None:
    program = (
        "import dataclasses, sys\nfrom devlint.syntax import fast_libcst_import\nassert fast_libcst_import.load()\n"
        "from libcst.metadata import CodePosition\nassert CodePosition(1, 2) == CodePosition(1, 2)\n"
        "assert CodePosition.__init__.__globals__['__name__'] != 'devlint.syntax.fast_libcst_import'\n"
    )
    assert ran(program + WORKS) == ""


@pytest.mark.parametrize(
    "use",
    [
        "import libcst.metadata\nmetadata = libcst.metadata\n",
        "from libcst import metadata\n",
        "from libcst.metadata.scope_provider import Scope\nimport libcst\nmetadata = libcst.metadata\n",
        "import importlib\nmetadata = importlib.import_module('libcst.metadata')\n",
        "from libcst.helpers import ensure_type\nfrom libcst import metadata\n",
        "import libcst, libcst.matchers\nmetadata = libcst.metadata\n",
        "from libcst import *\nfrom libcst import metadata\nassert MetadataWrapper and ensure_type and BaseNumber\n",
    ],
)
def test_what_is_put_off_is_run_when_it_is_used(use: str) -> None:
    program = (
        "import sys\nfrom devlint.syntax import fast_libcst_import\nassert fast_libcst_import.load()\n"
        "unused = {'subprocess', 'libcst.metadata.position_provider'}\nassert not unused & set(sys.modules)\n"
        "assert 'libcst._parser' not in sys.modules and 'libcst.helpers._template' not in sys.modules\n"
        f"{use}wrapper = metadata.MetadataWrapper(__import__('libcst').parse_module('a = b\\n'))\n"
        "print(*sorted({place.start.line for place in wrapper.resolve(metadata.PositionProvider).values()}))\n"
        "assert unused <= set(sys.modules) and metadata.__all__ and 'PositionProvider' in dir(metadata)\n"
    )
    assert ran(program) == "1\n"


def test_all_that_libcst_has_is_there() -> None:
    names = "import libcst\nfor name in libcst.__all__: print(name, getattr(libcst, name).__class__)\n"
    assert ran(f"from devlint.syntax import fast_libcst_import\nassert fast_libcst_import.load()\n{names}") == ran(
        names
    )
