"""Runs of `devlint fix` that are killed, fail or meet others: a part of `make faults`; and its judge can find fault."""

from __future__ import annotations

import errno
import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import faults
from benchmarks.fault_ground import Ground
from benchmarks.fault_mounts import OverlayGround, full_disks, in_own_mounts
from tests.support.sampling import some

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that fork")


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    return Ground(tmp_path_factory.mktemp("ground"))


@pytest.mark.parametrize("number", range(4))
def test_a_kill_at_a_random_moment_loses_nothing(ground: Ground, number: int) -> None:
    name, fault = list(faults._kills(ground, random.Random(random.random()), 4))[number]
    ground.reset()
    assert list(ground.complaints(*fault(ground))) == [], name


@pytest.mark.slow
@pytest.mark.parametrize("error", [None, errno.ENOSPC])
def test_a_call_that_fails_or_is_the_last_loses_nothing(ground: Ground, error: int | None) -> None:
    for call in some(faults.CALLS, 3):
        for number in range(2):
            ground.reset()
            done = faults._disturbed(call, number, error, ground)
            assert list(ground.complaints(*done, call == "unlink")) == [], call


def test_full_and_read_only_disks(ground: Ground) -> None:
    for name, fault in faults._walls():
        ground.reset()
        code, said = fault(ground)
        assert code == 2 and said.count("error: ") == len(ground.before), name
        assert list(ground.complaints(code, said)) == [], name


def test_others_that_append_and_other_runs(ground: Ground) -> None:
    for crowd in (faults._appends, faults._runs):
        ground.reset()
        assert list(crowd(ground, random.Random(random.random()))) == []


@pytest.mark.parametrize("is_lower_elsewhere", [False, True])
def test_layers_of_a_container(tmp_path: Path, is_lower_elsewhere: bool) -> None:
    """A link makes another file of one in the lower layer, which is fixed nevertheless, and loses no line."""

    def offenders() -> int:
        ground = OverlayGround(tmp_path, is_lower_elsewhere)
        ground.reset()
        said = [*faults._appends(ground, random.Random(random.random())), *full(tmp_path)]
        print(*said, sep="\n")
        return len(said)

    def full(folder: Path) -> Iterator[str]:
        (folder / "full").mkdir()
        ground = Ground(folder / "full")
        for name, fault in some(list(full_disks()), 3):
            yield from (f"{name}: {line}" for line in ground.complaints(*fault(ground)))

    code = in_own_mounts(offenders)
    if code is None:
        pytest.skip("this system gives no namespaces to programs")
    assert code == 0


def test_the_judge_finds_fault(ground: Ground) -> None:
    name = sorted(ground.before)[0]
    path = ground.folder / name
    ground.reset()
    path.write_bytes(ground.before[name][:20])
    assert f"{name} is neither old nor new" in list(ground.complaints(2, f"error: {name}: full"))
    ground.reset()
    assert list(ground.complaints(0, "")) == ["ended well, and did not fix all files"]
    ground.reset()
    (ground.folder / ".devlint-0123456789abcdef.tmp").write_bytes(b"")
    said = list(ground.complaints(99, "Traceback"))
    assert said == ["said Traceback", "ended with 99: Traceback", ".devlint-0123456789abcdef.tmp is left"]
