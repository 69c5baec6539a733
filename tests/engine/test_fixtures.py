"""Whole programs: what devlint finds in them, how it rewrites them, and that the rewritten ones do the same.

After a change that is meant: ``python -m tests.support.regenerate_fixtures``, and read the diff.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from devlint.verify.rewrites.cases import Case
from tests.support.fixture_runner import case_faults, failure_faults, fix_for, fixed_for, load_cases
from tests.support.golden import make_golden
from tests.support.program_server import ProgramServer, Result
from tests.support.sampling import some
from tests.support.torch_build import is_cuda_build

pytest.importorskip("torch", reason="the programs need torch")

CASES = load_cases()
PARTS = 8
OTHER_TARGETS = [pytest.param(case, target, id=f"{case.name} {target}") for case in CASES for target in case.targets]
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


@pytest.fixture(scope="session")
def server() -> Iterator[ProgramServer]:
    with ProgramServer() as running:
        yield running


@each_case
def test_findings_and_fixes_are_the_golden_ones(case: Case) -> None:
    made = make_golden(case.original, case.fix)
    assert made.findings.decode() == case.findings.read_text("utf-8")
    assert made.fixed == case.fixed.read_bytes()


@each_case
def test_fixing_again_changes_nothing_and_what_remains_is_said(case: Case) -> None:
    again = make_golden(case.fixed, case.fix)
    assert again.fixed == case.fixed.read_bytes()
    assert {line.split()[1] for line in again.findings.decode().splitlines()} == set(case.remains)


@pytest.mark.parametrize(("case", "target"), OTHER_TARGETS)
def test_fixes_for_other_targets_are_the_golden_ones(case: Case, target: str) -> None:
    golden = fixed_for(case, target)
    assert make_golden(case.original, fix_for(case, target)).fixed == golden.read_bytes()
    assert make_golden(golden, fix_for(case, target)).fixed == golden.read_bytes()


@pytest.mark.parametrize("part", range(PARTS))
def test_the_programs_do_as_they_did(server: ProgramServer, part: int) -> None:
    """The rewritten texts are golden, and were run when they were written; here one program in three runs again."""
    if is_cuda_build():
        pytest.skip("the patch that makes .cuda() do nothing is for a CPU build of torch")
    for case in some(CASES[part::PARTS], 3):
        assert not list(case_faults(server, case))


@pytest.mark.parametrize(
    ("code", "stderr", "fault"),
    [
        (0, "", "runs on CPU"),
        (1, "Traceback ...\nKeyError: 'x'\n", "another reason"),
        (1, "Traceback ...\nAssertionError: Torch not compiled with CUDA enabled\n", None),
    ],
)
def test_a_need_must_be_one(code: int, stderr: str, fault: str | None) -> None:
    faults = list(failure_faults(Result(code, "", stderr, {}, 0.0), "DEV504"))
    assert len(faults) == (fault is not None) and all(fault in one for one in faults if fault)


@pytest.mark.parametrize(
    ("case", "mark"),
    [
        ("notebook_export_bom", b"\xef\xbb\xbf#!"),
        ("lstm_tagger_latin1", b"\xc9tiqueteur"),
        ("torch_as_th_crlf", b"import torch as th\r\n"),
        ("dqn_dtype_tabs", b"\n\tdef push"),
        ("word2vec_one_liners", b"print(pick.tolist())"),
    ],
)
def test_odd_formats_survived_git(case: str, mark: bytes) -> None:
    (found,) = load_cases([case])
    for program in filter(Path.exists, (found.original, found.fixed)):
        assert mark in program.read_bytes()
