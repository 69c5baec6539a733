"""Files that do not import torch themselves, and what they import."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

CHOICE = '"cuda" if torch.cuda.is_available() else "cpu"'
PROBE = "import torch\n\n\ndef probe(x):\n    return x\n"
USE = "{}\n\ndef run(x):\n    return x.cuda()\n"
FIXED = f"{{}}import torch\n\n\ndef run(x):\n    device = torch.device({CHOICE})\n    return x.to(device)\n"
OPTION = """import argparse
{}
if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda")
"""

LOADING = [
    ("from util import probe\n", {"util.py": PROBE}),
    ("import util\n", {"util.py": PROBE}),
    ("from lib.util import probe\n", {"lib/__init__.py": "", "lib/util.py": PROBE}),
    ("from lib import other\n", {"lib/__init__.py": "import torch.nn as nn\n", "lib/other.py": "n = 1\n"}),
    ("from lib import util\n", {"lib/util.py": PROBE}),
    ("from second import probe\n", {"second.py": "from util import probe\n", "util.py": PROBE}),
    ("from second import probe\n", {"second.py": "import timm\n"}),
    ("import os\nfrom sentence_transformers import util\n", {}),
]
NOT_LOADING = [
    ("from util import probe\n", {}),
    ("from util import probe\n", {"util.py": "def probe(x):\n    import torch\n"}),
    ("from util import probe\n", {"util.py": "try:\n    import torch\nexcept ImportError:\n    torch = None\n"}),
    ("from util import probe\n", {"util.py": "if True:\n    import torch\n"}),
    ("from util import probe\n", {"util.py": f"import use\n{PROBE}"}),
    ("try:\n    from util import probe\nexcept ImportError:\n    pass\n", {"util.py": PROBE}),
    ("import transformers\n", {}),
    ("import numpy as timm\n", {}),
]


@pytest.mark.parametrize(("line", "files"), LOADING)
def test_an_import_that_brings_torch(tmp_path: Path, line: str, files: dict[str, str]) -> None:
    project = write_files(tmp_path / "p", {**files, "use.py": USE.format(line)})
    assert fix_files(project)["use.py"] == FIXED.format(line)


@pytest.mark.parametrize(("line", "files"), NOT_LOADING)
def test_an_import_that_may_not(tmp_path: Path, line: str, files: dict[str, str]) -> None:
    project = write_files(tmp_path / "p", {**files, "use.py": USE.format(line)})
    assert "use.py" not in fix_files(project)


def test_the_import_goes_below_the_one_that_brings_torch(tmp_path: Path) -> None:
    late = "def run(x):\n    return x.cuda()\n\n\nfrom util import probe\n"
    text = fix_files(write_files(tmp_path / "p", {"util.py": PROBE, "use.py": late}))["use.py"]
    assert text.endswith("\n\n\nfrom util import probe\nimport torch\n")
    early = "x = y.cuda()\nfrom util import probe\n"
    assert "use.py" not in fix_files(write_files(tmp_path / "q", {"util.py": PROBE, "use.py": early}))


def test_an_option_of_a_script(tmp_path: Path) -> None:
    for line, count in (("from util import probe\n", 1), ("import numpy\n", 0)):
        project = write_files(tmp_path / f"p{count}", {"util.py": PROBE, "use.py": OPTION.format(line)})
        assert fix_files(project).get("use.py", "").count(f"default={CHOICE}") == count
