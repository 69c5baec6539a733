"""Small projects of several files, and what safe fixes make of them: tests/data/projects.

Each is a text with sections that begin with ``### before/PATH`` and, for files that fixes change, ``### after/PATH``;
``main.py`` is what one runs. ``python -m tests.support.projects`` writes the second kind: read the difference.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from devlint.config.finder import ConfigFinder
from devlint.engine.report import Mode
from devlint.engine.runner import Runner
from tests.support.paths import ROOT

FOLDER = ROOT / "tests" / "data" / "projects"
NAMES = sorted(path.stem for path in FOLDER.glob("*.txt"))


def sections(name: str, kind: str) -> dict[str, str]:
    """The files of a project by their paths: ``before`` the fixes, or those that they change, ``after``."""
    pieces = re.split(r"^### (\w+)/(\S+)\n", (FOLDER / f"{name}.txt").read_text("utf-8"), flags=re.MULTILINE)
    groups = zip(pieces[1::3], pieces[2::3], pieces[3::3])
    return {path: text.rstrip("\n") + "\n" if text.strip() else "" for one, path, text in groups if one == kind}


def write_files(folder: Path, files: dict[str, str]) -> Path:
    """Put files into a folder, which becomes a project."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "setup.py").touch()
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


def fix_files(folder: Path, jobs: int = 1, unsafe: bool = False, **settings: str) -> dict[str, str]:
    """The files of a project that fixes change, with their new texts; nothing is written."""
    runner = Runner(ConfigFinder({"unsafe-fixes": unsafe, **settings}, isolated=True), Mode.DIFF)
    reports = list(runner.run([str(folder)], jobs))
    assert not [failure for report in reports for failure in report.failures]
    return {Path(one.path).relative_to(folder).as_posix(): one.after_text for one in reports if one.changed}


def regenerate(name: str) -> None:
    """Write the files that fixes change into the text of a project."""
    path = FOLDER / f"{name}.txt"
    before = path.read_text("utf-8").partition("### after/")[0].rstrip("\n") + "\n"
    with tempfile.TemporaryDirectory() as folder:
        after = fix_files(write_files(Path(folder) / name, sections(name, "before")))
    made = "".join(f"\n### after/{file}\n{text}" for file, text in after.items())
    path.write_text(before + made, encoding="utf-8")


if __name__ == "__main__":
    for name in NAMES:
        regenerate(name)
