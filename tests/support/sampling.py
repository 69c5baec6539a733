"""A random part of many cases: pytest prints the seed of a run, and DEVLINT_TESTS=all takes every case."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
EVERYTHING = os.environ.get("DEVLINT_TESTS") == "all"


def some(cases: Sequence[T], share: int) -> list[T]:
    """One case in so many, and one at least; others in each test and with each seed.

    pytest-randomly seeds ``random`` before each test with the number of its ``--randomly-seed``.
    """
    if EVERYTHING:
        return list(cases)
    choice = random.Random(f"{random.random()} {os.environ['PYTEST_CURRENT_TEST']}")
    return choice.sample(cases, -(-len(cases) // share))
