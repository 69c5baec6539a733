"""Whole programs: what devlint finds in them, how it rewrites them, and that the rewritten ones do the same.

After a change that is meant: ``python -m tests.support.regenerate_fixtures``, and read the diff.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.fixture_runner import (
    Case,
    Run,
    failure_faults,
    fix_for,
    fixed_faults,
    fixed_for,
    load_cases,
    original_faults,
)
from tests.support.golden import make_golden
from tests.support.program_server import ProgramServer, Result

pytest.importorskip("torch", reason="the programs need torch")

CASES = load_cases()
RUNS = [pytest.param(case, run, id=" ".join([case.name, *run.args])) for case in CASES for run in case.runs]
OTHER_TARGETS = [pytest.param(case, target, id=f"{case.name} {target}") for case in CASES for target in case.targets]
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
each_run = pytest.mark.parametrize(("case", "run"), RUNS)


@pytest.fixture(scope="session")
def server() -> Iterator[ProgramServer]:
    with ProgramServer() as running:
        yield running


@each_run
def test_original_needs_cuda_as_said(server: ProgramServer, case: Case, run: Run) -> None:
    assert not list(original_faults(server, case, run))


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


@each_run
def test_fixed_does_the_same_without_cuda(server: ProgramServer, case: Case, run: Run) -> None:
    assert not list(fixed_faults(server, case, run, case.fixed))


@each_case
def test_fixed_for_any_accelerator_does_the_same_without_one(server: ProgramServer, case: Case, tmp_path: Path) -> None:
    program = tmp_path / "accelerator.py"
    program.write_bytes(make_golden(case.original, fix_for(case, "accelerator")).fixed)
    for run in case.runs:
        assert not list(fixed_faults(server, case, run, program, "accelerator"))


@pytest.mark.parametrize(("case", "target"), OTHER_TARGETS)
def test_fixes_for_other_targets_are_the_golden_ones(case: Case, target: str) -> None:
    golden = fixed_for(case, target)
    assert make_golden(case.original, fix_for(case, target)).fixed == golden.read_bytes()
    assert make_golden(golden, fix_for(case, target)).fixed == golden.read_bytes()


@pytest.mark.parametrize(("case", "target"), OTHER_TARGETS)
def test_fixed_for_other_targets_do_the_same(server: ProgramServer, case: Case, target: str) -> None:
    for run in case.runs:
        assert not list(fixed_faults(server, case, run, fixed_for(case, target), target))


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
