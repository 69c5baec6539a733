"""What the process that forks programs imports for all of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from devlint.verify.child.preloading import may_want_dynamo


@pytest.mark.parametrize(
    ("program", "driver", "command", "expected"),
    [
        ("import torch\nimport os.path\nprint(torch.ones(2).cuda())\n", "", "", False),
        ("import torch\nfrom torch.optim import SGD\n", "", "", True),
        ("import torch\ntorch.compile(print)\n", "", "", True),
        ("import torch\nimport lightning\n", "", "", True),
        ("import torch\nfrom . import model\n", "", "", True),
        ("import torch\n", "import program\n", "", False),
        ("import torch\n", "import program\nimport tools\n", "", True),
        ("from torch.optim import SGD\n", "", "pytest tests", False),
        ("import torch (\n", "", "", True),
    ],
)
def test_dynamo_is_imported_only_where_it_may_be_used(
    tmp_path: Path, program: str, driver: str, command: str, expected: bool
) -> None:
    script, other = tmp_path / "script.py", tmp_path / "driver.py"
    script.write_text(program)
    other.write_text(driver)
    asked = {"path": str(script), "driver": str(other) if driver else None, "command": command or None}
    assert may_want_dynamo(asked) is expected


PRELOADING = """
import os, sys
from devlint.verify.child.preloading import preload_for
before = dict(os.environ)
preload_for({"path": sys.argv[1], "driver": None, "command": None})
print("torch._dynamo" in sys.modules, dict(os.environ) == before)
"""


@pytest.mark.slow
def test_the_compiler_leaves_nothing_in_the_environment_of_programs(tmp_path: Path) -> None:
    """Else every program that compiles would write into the cache's folder of this process, and be refused."""
    pytest.importorskip("torch", reason="the compiler is torch's")
    program = tmp_path / "script.py"
    program.write_text("import torch\ntorch.compile(print)\n")
    command = [sys.executable, "-c", PRELOADING, str(program)]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "True True\n"
