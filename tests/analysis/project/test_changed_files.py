"""Which questions have another answer once some files are something else."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest

from devlint.analysis.project.changed_files import ChangedAnswers
from devlint.analysis.project.searches import SEPARATOR
from devlint.syntax.python_tree.python_ast import syntax_tree

OWNER = "class Cards:\n    def cuda(self):\n        return self\n"


@pytest.mark.parametrize(
    ("before", "after", "concerns"),
    [
        (OWNER, OWNER.replace("cuda", "gpu"), True),
        (OWNER.replace("cuda", "gpu"), OWNER, True),
        (OWNER, OWNER.replace("Cards", "Tickets"), True),
        (OWNER, f"{OWNER}\n\nx = 1\n", False),
        ("x = 1\n", "x = 2\n", False),
    ],
)
def test_a_search_finds_another_class(before: str, after: str, concerns: bool, tmp_path: Path) -> None:
    path, asker = str(tmp_path / "cards.py"), str(tmp_path / "use.py")
    answers = ChangedAnswers({path: before.encode()}, {path: after.encode()}, [path])
    question = f"overrides:{tmp_path}{SEPARATOR}cuda"
    # What has changed by itself is not concerned.
    assert answers.concerned({asker: [question], path: [question]}) == ({asker} if concerns else set())
    assert not answers.concerned({asker: [f"overrides:{tmp_path / 'elsewhere'}{SEPARATOR}cuda"]})
    assert not answers.concerned({asker: [f"nothing known:{tmp_path}{SEPARATOR}cuda"]})


def test_a_file_that_was_read_is_another(tmp_path: Path) -> None:
    path, asker = str(tmp_path / "cards.py"), str(tmp_path / "use.py")
    answers = ChangedAnswers({path: b"x = 1\n"}, {path: b"x = 2\n"}, [path])
    question = f"read:{path}"
    assert answers.concerned({asker: [question], path: [question]}) == {asker}
    assert not answers.concerned({asker: [f"read:{os.path.join(tmp_path, 'other.py')}"]})


def test_each_changed_file_is_parsed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many questions are asked, and however large the files are together."""
    paths = [str(tmp_path / f"cards_{number}.py") for number in range(3)]
    padding = f"x = '{'-' * 200_000}'\n"
    before = {path: (OWNER + padding).encode() for path in paths}
    after = {path: (OWNER + padding + "y = 1\n").encode() for path in paths}
    parsed: list[int] = []

    def counted(data: bytes) -> ast.Module | None:
        parsed.append(len(data))
        return syntax_tree(data)

    monkeypatch.setattr("devlint.analysis.project.project.syntax_tree", counted)
    names = ("cuda", "self", "Cards")
    asked = [f"{kind}:{tmp_path}{SEPARATOR}{name}" for kind in ("overrides", "calls") for name in names]
    assert not ChangedAnswers(before, after, paths).concerned({str(tmp_path / "use.py"): asked})
    assert len(parsed) == 2 * len(paths)


def test_no_search_looks_into_a_notebook(tmp_path: Path) -> None:
    """What is written in it reads as Python, too."""
    path = str(tmp_path / "cards.ipynb")
    answers = ChangedAnswers({path: OWNER.encode()}, {path: OWNER.replace("cuda", "gpu").encode()}, [path])
    assert not answers.concerned({str(tmp_path / "use.py"): [f"overrides:{tmp_path}{SEPARATOR}cuda"]})
