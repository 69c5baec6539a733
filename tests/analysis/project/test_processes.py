"""Files that run in one process: a script beside others keeps its own first card, whatever the others choose."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint.analysis.project.processes import may_run_with
from devlint.analysis.project.project import Project
from tests.support.projects import fix_files, write_files

SCRIPT = """import torch
from parts import Net

Tensor = torch.cuda.FloatTensor
device = torch.device("cuda:0")

net = Net().to(device)
for step in range(3):
    print(net(Tensor([[1.0, 2.0]])))
"""
PARTS = "from torch import nn\n\n\nclass Net(nn.Linear):\n    pass\n"
CHOOSER = "import torch\n\n\ndef choose(rank):\n    torch.cuda.set_device(rank)\n"


@pytest.mark.parametrize(
    ("others", "is_first"),
    [
        ({"parts.py": PARTS}, True),
        ({"parts.py": PARTS, "other.py": CHOOSER}, True),
        ({"parts.py": PARTS, "other.py": CHOOSER + "\n\nimport parts\n"}, True),
        ({"parts.py": PARTS, "other.py": CHOOSER + "\n\nimport script\n"}, False),
        (
            {"parts.py": PARTS, "other.py": CHOOSER, "both.py": "import other\nfrom tools import (\n    script,\n)\n"},
            False,
        ),
        ({"parts.py": PARTS + "\n\nfrom tools import cards\n", "tools/cards.py": CHOOSER}, False),
        ({"parts.py": PARTS, "other.py": CHOOSER, "main.py": "import importlib\n"}, True),
        ({"parts.py": PARTS + "\n\nimport importlib\n", "other.py": CHOOSER}, False),
        ({"parts.py": PARTS + "\n\nexec(open('x').read())\n", "other.py": CHOOSER}, False),
    ],
)
def test_the_first_card_is_the_current_one(tmp_path: Path, others: dict[str, str], is_first: bool) -> None:
    fixed = fix_files(write_files(tmp_path / "p", {"script.py": SCRIPT, **others}), unsafe=False)["script.py"]
    assert ("dtype=torch.float32, device=device)" in fixed) is is_first


@pytest.mark.parametrize(
    ("files", "other", "together"),
    [
        ({"a.py": "", "b.py": ""}, "b.py", False),
        ({"a.py": "import b", "b.py": ""}, "b.py", True),
        ({"a.py": "", "b.py": "from .a import f"}, "b.py", True),
        ({"a.py": "", "main.py": "import a, b", "b.py": ""}, "b.py", True),
        ({"a.py": "import c", "c.py": "", "b.py": "import c"}, "b.py", False),
        ({"a.py": "from pkg import x", "pkg/__init__.py": "from .b import x", "pkg/b.py": ""}, "pkg/b.py", True),
        ({"a.py": "from x \\\n    import b", "b.py": ""}, "b.py", True),
        ({"test_a.py": "import a", "a.py": "", "test_b.py": "import b", "b.py": ""}, "b.py", True),
        ({"a.py": "", "b.py": "", "c.py": "from importlib import import_module"}, "b.py", True),
        ({"a.py": "for x in y():\n    f(x)", "b.py": "", "c.py": "from importlib import import_module"}, "b.py", False),
    ],
)
def test_files_that_run_together(tmp_path: Path, files: dict[str, str], other: str, together: bool) -> None:
    root = write_files(tmp_path / "p", files)
    assert may_run_with(Project(str(root / "a.py")), [str(root / other)]) is together
    assert not may_run_with(Project(str(root / "a.py")), [])
