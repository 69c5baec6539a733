"""The fuzzers find what they look for, make the same programs from a seed, and find nothing in a few."""

from __future__ import annotations

import random
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks import fuzz
from benchmarks.corpus_checks import compile_error
from benchmarks.fuzz_programs import program
from benchmarks.runnable_programs import runnable_program


def test_a_seed_gives_the_same_program() -> None:
    assert [program(seed) for seed in range(9)] == [program(seed) for seed in range(9)]
    assert len({program(seed) for seed in range(99)}) > 90
    assert runnable_program(3) == runnable_program(3)


def test_most_programs_compile() -> None:
    assert sum(not compile_error(program(seed).encode()) for seed in range(200)) > 120
    assert not [seed for seed in range(100) if compile_error(runnable_program(seed).encode())]


def test_a_few_programs_are_not_made_worse() -> None:
    first = random.randrange(10**9)
    assert [fuzz.tried(seed)["offenders"] for seed in range(first, first + 10)] == [0] * 10


@pytest.mark.parametrize(
    ("becomes", "words"),
    [
        ("x = 1\n", "lost the comment"),
        ("x = (  # why\n", "no longer parses"),
        ("x = y.to(device)  # why\n", "UndefinedName device"),
    ],
)
def test_what_is_worse_is_said(monkeypatch: pytest.MonkeyPatch, becomes: str, words: str) -> None:
    def fixed(text: str, *_: Any) -> SimpleNamespace:
        return SimpleNamespace(text=becomes, applied=(), failure=None)

    monkeypatch.setattr(fuzz, "_fixed", fixed)
    found = list(fuzz.complaints("y = 1\nx = y.cuda()  # why\n", (), False, "cuda", Counter()))
    assert any(words in one for one in found), found
