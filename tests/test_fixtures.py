"""Whole programs: what devlint finds in them, how it rewrites them, and that the rewritten ones do the same.

After a change that is meant: ``python -m tests.regenerate_fixtures``, and read the diff.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fixture_runner import Case, Run, fixed_faults, load_cases, original_faults
from tests.support.golden import make_golden
from tests.support.program_server import ProgramServer

pytest.importorskip("torch", reason="the programs need torch")

CASES = load_cases()
RUNS = [pytest.param(case, run, id=" ".join([case.name, *run.args])) for case in CASES for run in case.runs]
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
golden = pytest.mark.skipif(not any(case.fixed.exists() for case in CASES), reason="no golden files yet")
each_run = pytest.mark.parametrize(("case", "run"), RUNS)


@pytest.fixture(scope="session")
def server() -> Iterator[ProgramServer]:
    with ProgramServer() as running:
        yield running


@each_run
def test_original_needs_cuda_as_said(server: ProgramServer, case: Case, run: Run) -> None:
    assert not list(original_faults(server, case, run))


@golden
@each_case
def test_findings_and_fixes_are_the_golden_ones(case: Case) -> None:
    made = make_golden(case.original, case.fix)
    assert made.findings.decode() == case.findings.read_text("utf-8")
    assert made.fixed == case.fixed.read_bytes()


@golden
@each_case
def test_fixing_again_changes_nothing(case: Case) -> None:
    assert make_golden(case.fixed, case.fix).fixed == case.fixed.read_bytes()


@golden
@each_run
def test_fixed_does_the_same_without_cuda(server: ProgramServer, case: Case, run: Run) -> None:
    assert not list(fixed_faults(server, case, run, case.fixed))


@golden
@each_run
def test_fixed_for_any_accelerator_does_the_same_without_one(
    server: ProgramServer, case: Case, run: Run, tmp_path: Path
) -> None:
    program = tmp_path / "accelerator.py"
    program.write_bytes(make_golden(case.original, {**case.fix, "target": "accelerator"}).fixed)
    assert not list(fixed_faults(server, case, run, program, on_gpu=False))


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
