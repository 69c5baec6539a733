"""Each ``device=`` of a program that works on every device is missed where it is deleted."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.missing_devices import Deletion, deletions
from devlint.analysis.places.results.missing_devices import missing_devices
from tests.analysis.places.device_aware import HARMLESS, PROGRAM

DATA = PROGRAM.encode()
EVERY = [*deletions(Path("program.py"), DATA)]


def line_of(one: Deletion) -> str:
    return PROGRAM.splitlines()[one.row - 1].strip().removeprefix("return ")


def without(one: Deletion) -> str:
    return (DATA[: one.start] + DATA[one.end :]).decode()


def test_nothing_is_missing() -> None:
    assert missing_devices(PROGRAM) == ()


@pytest.mark.parametrize("one", EVERY, ids=line_of)
def test_one_is_missing(one: Deletion) -> None:
    found = [(each.site.row, each.site.column) for each in missing_devices(without(one))]
    assert found == ([] if line_of(one) in HARMLESS else [(one.row, one.column)])


def test_most_fixes_are_what_was_deleted() -> None:
    fixed = [each.device for one in EVERY for each in missing_devices(without(one))]
    written = [one.device for one in EVERY if line_of(one) not in HARMLESS]
    assert len(fixed) == len(written)
    assert sum(map(str.__eq__, fixed, written)) >= 0.8 * len(written)
