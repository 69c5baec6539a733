from __future__ import annotations

from pathlib import Path

import pytest

from devlint.analysis.project.disk import Disk
from devlint.analysis.project.root import project_root
from devlint.sources.gitignore import FileFilter


@pytest.mark.parametrize(
    ("files", "root"),
    [
        (["top/.git/HEAD"], "top"),
        (["top/README.rst"], "top"),
        (["top/readme.md"], "top"),
        (["top/README.md", "top/part/README.md"], "top/part"),
        (["top/README.md", "top/LICENSE", "top/part/README.md"], "top"),
        (["top/README.md", "top/LICENSE", "top/part/README.md", "top/part/requirements.txt"], "top/part"),
        (["README.md", "LICENSE", "top/README.md", "top/requirements.txt"], "top"),
        (["top/part/setup.py", "top/README.md", "top/LICENSE"], "top/part"),
        (["top/part/__init__.py"], "top/part"),
        ([], None),
    ],
)
def test_where_a_project_begins(tmp_path: Path, files: list[str], root: str | None) -> None:
    (tmp_path / "top" / "part").mkdir(parents=True)
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    found = project_root(Disk(), str(tmp_path / "top" / "part"), FileFilter())
    assert found == (str(tmp_path / root) if root is not None else None)
