"""Which questions have another answer once some files are something else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from devlint.analysis.project.changed_files import ChangedAnswers
from devlint.analysis.project.searches import SEPARATOR

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
    assert answers.concern(asker, [f"overrides:{tmp_path}{SEPARATOR}cuda"]) is concerns
    assert not answers.concern(path, [f"overrides:{tmp_path}{SEPARATOR}cuda"])  # it has changed by itself
    assert not answers.concern(asker, [f"overrides:{tmp_path / 'elsewhere'}{SEPARATOR}cuda"])
    assert not answers.concern(asker, [f"nothing known:{tmp_path}{SEPARATOR}cuda"])


def test_a_file_that_was_read_is_another(tmp_path: Path) -> None:
    path, asker = str(tmp_path / "cards.py"), str(tmp_path / "use.py")
    answers = ChangedAnswers({path: b"x = 1\n"}, {path: b"x = 2\n"}, [path])
    assert answers.concern(asker, [f"read:{path}"])
    assert not answers.concern(path, [f"read:{path}"])
    assert not answers.concern(asker, [f"read:{os.path.join(tmp_path, 'other.py')}"])
