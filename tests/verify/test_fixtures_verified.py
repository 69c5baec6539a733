"""The whole programs under fixtures/, original and rewritten, on the CPU and on the simulated GPU.

Here one in twelve of them; `make verify` proves all, with all their command lines.
"""

from __future__ import annotations

import pytest

from devlint.verify.matrix import verify
from devlint.verify.observer import Observer
from tests.support.fixture_runner import load_cases
from tests.support.sampling import some

CASES = load_cases()


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_the_rewritten_program_does_the_same(observer: Observer, part: int) -> None:
    for case in some(CASES[part::4], 12):
        verdict = verify(observer, case.task(case.runs[0]), ("cpu", "simulated"))
        observer.forget()
        assert verdict.holds, verdict


def test_every_reason_for_a_difference_is_given() -> None:
    for case in CASES:
        for run in case.runs:
            assert all(reason for reason in run.differs_on_cpu.values()), case.name


def test_a_backward_below_a_default_device_is_recorded_once(observer: Observer) -> None:
    case = next(one for one in CASES if one.name == "default_tensor_type")
    verdict = verify(observer, case.task(case.runs[0]), ("cpu", "simulated"))
    assert verdict.holds, verdict
