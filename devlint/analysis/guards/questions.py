"""What may be asked of a test that stands before a place of the program, and a test that says so."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import libcst as cst

from devlint.analysis.guards.implications import implies_accelerator, requires_cuda, torch_says_cuda
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.syntax.file_context import FileContext
from devlint.torch_api.accelerator_naming import ASKS_FOR_ACCELERATOR


class Guard(Record, eq=False):
    """A test that implies CUDA for all that it governs."""

    owner: cst.CSTNode
    """The ``if``, ``while``, conditional expression, ``and``, ``assert`` or decorator that asks."""
    test: cst.BaseExpression
    holds: bool
    """Whether the test is true (or false) where the guarded code runs."""


def parts_of(guard: Guard) -> Iterator[Guard]:
    """A guard, and one for each part whose answer is known with it: ``a and b`` true, ``a or b`` false."""
    yield guard
    test, joins = guard.test, cst.And if guard.holds else cst.Or
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, joins):
        yield from parts_of(guard.replace(test=test.left))
        yield from parts_of(guard.replace(test=test.right))


class Question(Record):
    """What makes a test a guard."""

    implies: Callable[[FileContext, cst.CSTNode, bool], bool]
    """Whether what is asked is so wherever a test is true (or, with False, false)."""
    decorators: re.Pattern[str] | None = None
    """What the name of a decorator holds that skips where it is not so: ``@require_cuda``."""


FOR_CUDA = Question(requires_cuda, regex("cuda|gpu"))
FOR_ACCELERATOR = Question(implies_accelerator, ASKS_FOR_ACCELERATOR)
TORCH_SAYS_CUDA = Question(torch_says_cuda)
