"""The fixes of one file of which somebody chooses some."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint.config.finder import ConfigFinder
from devlint.core.diagnostic import Diagnostic, Edit, Fix, Span
from devlint.engine.chosen_fixes import ChosenFixes, Wishes, _moved
from devlint.sources.discovery import Found

TWO = "import torch\n\nx = torch.zeros(2).cuda()\nprint(x)\ny = torch.ones(2).cuda()\n"
DEVICE = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'


def opened(tmp_path: Path, text: str = TWO, wishes: Wishes | None = None) -> ChosenFixes:
    path = tmp_path / "a.py"
    path.write_text(text)
    finder = ConfigFinder({"unsafe-fixes": True}, isolated=True)
    found = Found("a.py", str(path), finder.settings(str(tmp_path)), True)
    return ChosenFixes(found.replace(path=str(path)), finder, wishes or Wishes(set(), set(), set()))


def first(file: ChosenFixes) -> Diagnostic:
    one = file.next()
    assert one is not None
    return one


def test_nothing_is_made_unasked(tmp_path: Path) -> None:
    file = opened(tmp_path)
    assert (file.open_count(), file.fixed, file.suppressed) == (2, 0, 0)
    assert (file.written().before_text, file.written().after_text) == (TWO, TWO)


def test_a_fix_brings_what_it_needs_and_the_next_follows(tmp_path: Path) -> None:
    file = opened(tmp_path)
    assert first(file).location.row == 3
    file.decline(first(file))
    assert (file.open_count(), first(file).location.row) == (1, 5)
    file.accept(first(file))
    assert (file.open_count(), file.next(), file.fixed) == (0, None, 1)
    after = file.written().after_text
    assert DEVICE in after and "x = torch.zeros(2).cuda()\n" in after and "y = torch.ones(2).to(device)\n" in after
    assert file.written().before_text == TWO


def test_all_of_them(tmp_path: Path) -> None:
    file = opened(tmp_path)
    while file.next() is not None:
        file.accept(first(file))
    assert (file.fixed, file.written().after_text.count(DEVICE)) == (2, 1)
    assert ".cuda()" not in file.written().after_text


def test_a_suppressed_finding_is_gone_and_what_was_decided_stays(tmp_path: Path) -> None:
    file = opened(tmp_path, TWO + "z = torch.ones(3).cuda()\n")
    file.decline(first(file))
    assert file.suppress(first(file), "on purpose")
    assert (file.suppressed, file.open_count(), first(file).location.row) == (1, 1, 6)
    file.accept(first(file))
    assert file.next() is None
    lines = file.written().after_text.splitlines()
    assert "x = torch.zeros(2).cuda()" in lines
    assert "y = torch.ones(2).cuda()  # devlint: ignore[DEV101] on purpose" in lines
    assert "z = torch.ones(3).to(device)" in lines
    assert file.written().before_text == TWO + "z = torch.ones(3).cuda()\n"


def test_what_was_accepted_below_a_comment_that_comes_later_stays_accepted(tmp_path: Path) -> None:
    file = opened(tmp_path)
    above = first(file)
    file.decline(above)
    file.accept(first(file))
    assert file.suppress(
        next(one for one in file.report.diagnostics if ".zeros" in file.report.source.line(one.location.row)), "why"
    )  # type: ignore[union-attr]
    after = file.written().after_text
    assert "x = torch.zeros(2).cuda()  # devlint: ignore[DEV101] why\n" in after
    assert "y = torch.ones(2).to(device)\n" in after


def test_a_file_that_goes_on_by_what_others_have_become(tmp_path: Path) -> None:
    text = f"{TWO}from storage import Storage\n\nrollouts = Storage()\nrollouts.cuda()\n"
    (tmp_path / ".git").mkdir()
    (tmp_path / "storage.py").write_text("class Storage:\n    def cuda(self):\n        self.x = 1\n")
    file = opened(tmp_path, text)
    file.decline(first(file))
    file.accept(first(file))
    assert (file.open_count(), file.fixed) == (0, 1)
    module = b"import torch\n\n\nclass Storage(torch.nn.Module):\n    pass\n"
    file.go_by({str(tmp_path / "storage.py"): module})
    assert (file.open_count(), first(file).message.count("cuda")) == (1, 1)
    file.accept(first(file))
    after = file.written()
    assert "rollouts.to(device)\n" in after.after_text and "x = torch.zeros(2).cuda()\n" in after.after_text
    assert ("y = torch.ones(2).to(device)\n" in after.before_text, file.open_count()) == (True, 0)


def test_a_fix_that_is_another_one_by_what_others_have_become_is_asked_for_again(tmp_path: Path) -> None:
    text = "from config import device\nimport torch\n\nx = torch.zeros(2).cuda()\ny = torch.ones(2).cuda()\n"
    (tmp_path / ".git").mkdir()
    (tmp_path / "config.py").write_text("import torch\n\ndevice = 3\n")
    file = opened(tmp_path, text)
    file.decline(first(file))
    file.decline(first(file))
    assert file.open_count() == 0
    file.go_by({str(tmp_path / "config.py"): b"import torch\n\ndevice = 4\n"})
    assert file.open_count() == 0
    file.go_by({str(tmp_path / "config.py"): b"import torch\n\n" + DEVICE.encode()})
    assert file.open_count() == 2


MOVED = [
    (Edit(Span(2, 2), "abc"), (3, 5), (6, 8)),
    (Edit(Span(2, 3), ""), (3, 5), (2, 4)),
    (Edit(Span(3, 4), "abc"), (3, 5), (3, 7)),
    (Edit(Span(5, 5), "abc"), (3, 5), (3, 5)),
    (Edit(Span(5, 6), "abc"), (3, 5), (3, 5)),
    (Edit(Span(3, 3), "abc"), (3, 3), (6, 6)),
    (Edit(Span(3, 3), "abc"), (3, 5), (6, 8)),
]
"""An edit, a place, and where that is after the edit."""


@pytest.mark.parametrize(("edit", "before", "after"), MOVED)
def test_places_follow_the_comments_that_are_added(edit: Edit, before: tuple[int, int], after: tuple[int, int]) -> None:
    assert _moved(("DEV101", Span(*before)), edit) == ("DEV101", Span(*after))


@pytest.mark.parametrize(
    ("wishes", "safe", "unsafe"),
    [
        (Wishes(set(), set(), set()), None, None),
        (Wishes({"DEV101"}, set(), set()), True, None),
        (Wishes(set(), {"DEV101"}, set()), None, True),
        (Wishes(set(), set(), {"DEV101"}), False, False),
        (Wishes({"DEV101"}, {"DEV101"}, {"DEV101"}), False, False),
        (Wishes({"DEV105"}, {"DEV105"}, {"DEV105"}), None, None),
    ],
)
def test_wishes(tmp_path: Path, wishes: Wishes, safe: bool | None, unsafe: bool | None) -> None:
    one = first(opened(tmp_path))
    assert one.fix is not None and one.fix.is_safe
    assert wishes.decide(one) is safe
    assert wishes.decide(one.replace(fix=Fix(one.fix.edits, type(one.fix.applicability).UNSAFE, "x"))) is unsafe


def test_wishes_for_all_of_a_rule(tmp_path: Path) -> None:
    file = opened(tmp_path, wishes=Wishes({"DEV101"}, set(), set()))
    assert (file.next(), file.fixed) == (None, 2)
    file = opened(tmp_path, wishes=Wishes(set(), set(), {"DEV101"}))
    assert (file.next(), file.fixed, file.written().after_text) == (None, 0, TWO)
