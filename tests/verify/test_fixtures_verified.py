"""The whole programs under fixtures/, original and rewritten, on the CPU and on the simulated GPU.

Here every sixth of them; `make verify` proves all, with all their command lines.
"""

from __future__ import annotations

import pytest

from devlint.verify.matrix import verify
from devlint.verify.observer import Observer
from devlint.verify.rewrites.cases import Case, Run
from tests.support.fixture_runner import load_cases

CASES = load_cases()
QUICK = CASES[::6]


@pytest.mark.parametrize(
    ("case", "run"), [pytest.param(case, case.runs[0], id=" ".join([case.name, *case.runs[0].args])) for case in QUICK]
)
def test_the_rewritten_program_does_the_same(observer: Observer, case: Case, run: Run) -> None:
    verdict = verify(observer, case.task(run), ("cpu", "simulated"))
    observer.forget()
    assert verdict.holds, verdict


def test_every_reason_for_a_difference_is_given() -> None:
    for case in CASES:
        for run in case.runs:
            assert all(reason for reason in run.differs_on_cpu.values()), case.name
