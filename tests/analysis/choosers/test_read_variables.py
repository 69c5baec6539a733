"""A name that the project itself reads is no misspelling that may be put right in one place alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import fix_files, write_files

NAME = "CUDA_VISIBALE_DEVICES"
WRITE = f'import os\n\nos.environ["{NAME}"] = "1"\n'


@pytest.mark.parametrize(
    ("other", "kept"),
    [
        (f'import os\n\ncard = os.environ.get("{NAME}", "0")\n', True),
        (f'import os\n\ncard = os.environ["{NAME}"]\n', True),
        (f'import os\n\ngiven = "{NAME}" in os.environ\n', True),
        (f'import os\n\nos.environ["{NAME}"] = "2"\n', False),
        (f"print('{NAME}')\n", False),
    ],
)
def test_a_name_that_another_file_reads(tmp_path: Path, other: str, kept: bool) -> None:
    files = {"README.md": f"```\n{NAME}=1 python run.py\n```\n", "run.py": WRITE, "other.py": other}
    fixed = {**files, **fix_files(write_files(tmp_path / "p", files))}
    assert [NAME in fixed["run.py"], NAME in fixed["README.md"]] == [kept, kept]


def test_a_name_that_the_file_itself_reads(tmp_path: Path) -> None:
    text = WRITE + f'card = int(os.environ["{NAME}"])\n'
    assert fix_files(write_files(tmp_path / "p", {"README.md": "", "run.py": text})) == {}
