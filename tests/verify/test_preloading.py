"""What the process that forks programs imports for all of them."""

from __future__ import annotations

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
