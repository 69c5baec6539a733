"""The harness against lies: rewritten programs with one thing wrong must be told from right ones.

A random few; `make mutants` runs them all, and docs/verify.md explains those that survive.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.equivalent_mutants import EQUIVALENT
from benchmarks.mutants import is_caught, sample
from devlint.verify.observer import Observer
from devlint.verify.rewrites.cases import Case
from tests.support.fixture_runner import load_cases
from tests.support.mutants import KINDS, mutants
from tests.support.paths import ROOT
from tests.support.sampling import some

CASES = load_cases(["reinforce_policy_gradient", "siamese_contrastive", "vae_eps_cuda"])


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_mutants_are_caught(observer: Observer, case: Case, tmp_path: Path) -> None:
    # No episode lasts 40 steps, so one step fewer changes nothing.
    wrong = [one for one in sample(case) if (case.name, one.before) != ("reinforce_policy_gradient", "range(40)")]
    for mutant in some(wrong, 8):
        assert is_caught(observer, case, mutant.text, tmp_path), mutant
        observer.forget()


def test_every_kind_of_mutant_can_be_made() -> None:
    text = (
        b'# coding: latin-1\nimport torch  # \xe9\ntorch.manual_seed(3)\nd = torch.device("cuda" if torch.cuda.is_available() '
        b'else "cpu")\nname = "\xe9"; x = torch.ones(2, dtype=torch.float32, device=d).to(device)\noptimizer.step()\n'
    )
    made = list(mutants(text))
    lines = {line for mutant in made for line in mutant.text.decode("latin-1").splitlines()} - set(
        text.decode("latin-1").splitlines()
    )
    assert lines == {
        "None",
        "torch.manual_seed(1 + 3)",
        'd = torch.device("cpu")',
        'name = "é"; x = (torch.ones(2, dtype=torch.float32, device=d))',
        'name = "é"; x = (torch.ones(2, dtype=torch.float32, device=d)).cuda()',
        'name = "é"; x = torch.ones(2, dtype=torch.float64, device=d).to(device)',
        'name = "é"; x = (torch).zeros(2, dtype=torch.float32, device=d).to(device)',
    }
    everywhere = [
        (path.parent.name, mutant)
        for path in (ROOT / "fixtures").glob("*/fixed.py")
        for mutant in mutants(path.read_bytes())
    ]
    assert {mutant.kind for _, mutant in everywhere} == set(KINDS) and len(KINDS) >= 30
    assert set(EQUIVALENT) <= {f"{name} line {mutant.line}: {mutant.kind}" for name, mutant in everywhere}
