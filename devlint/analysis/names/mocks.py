"""Mocks in tests: a device that is given to one moves nothing."""

from __future__ import annotations

import re

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import sole_value
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext, fact_of
from devlint.syntax.literals import literal_value

_NAME = regex(r"(?:^|[_.])(?:mock|fake|stub)(?:ed|s)?(?:[_.]|\Z)", re.IGNORECASE)
_DOUBLE = regex(r"_*(?:Fake|Mock|Stub|Dummy)(?:[A-Z_]|\Z)")
_MOCK_MAKER = regex(r"(?:^|\.)(?:\w*Mock|patch(?:\.\w+)?|(?:monkeypatch|mocker)\.\w+)\Z")
_CARDS = regex(r"cuda|gpu", re.IGNORECASE)
_MOCK_RESULTS = ("return_value", "side_effect")


def is_mock(ctx: FileContext, node: cst.BaseExpression) -> bool:
    """Whether ``node`` is passed to a mock, or assigned to one or its attribute: ``fake_tensor.device = "cuda:0"``."""
    parent = ctx.tree.parent(node)
    if isinstance(parent, cst.Arg):
        return makes_mock(ctx.tree.parent(parent))
    targets = parent.targets if isinstance(parent, cst.Assign) else ()
    if isinstance(parent, cst.Assign) and _is_in_double(ctx, parent):
        return True
    return any(_is_of_mock(ctx, one.target) for one in targets)


def _is_in_double(ctx: FileContext, statement: cst.Assign) -> bool:
    """Whether a statement stands in the body of a class that takes the place of another: ``class FakeTensor``."""
    line = ctx.tree.parent(statement)
    block = ctx.tree.parent(line) if line is not None else None
    owner = ctx.tree.parent(block) if block is not None else None
    return isinstance(owner, cst.ClassDef) and _DOUBLE.match(owner.name.value) is not None


def is_recorded(ctx: FileContext, node: cst.BaseExpression) -> bool:
    """Whether a test wants to see the very word among what was passed: ``assert pipe.calls == [("cuda",)]``."""
    if not isinstance(node, cst.SimpleString):
        return False
    function = next((one for one in ctx.tree.ancestors(node) if isinstance(one, cst.FunctionDef)), None)
    return function is not None and literal_value(node) in _recorded_words(ctx, function)


@fact_of
def _recorded_words(ctx: FileContext, function: cst.FunctionDef) -> frozenset[str | bytes]:
    """The words in the tuples that a test compares calls with."""
    words: set[str | bytes] = set()
    for check in ctx.tree.below(function.body) if function.name.value.startswith("test") else ():
        if isinstance(check, cst.Assert) and isinstance(check.test, cst.Comparison):
            values = (one.comparator for one in check.test.comparisons)
            calls = (one for one in values if isinstance(one, cst.List))
            strings = (one for call in calls for one in ctx.tree.below(call) if isinstance(one, cst.SimpleString))
            words.update(filter(None, map(literal_value, strings)))
    return frozenset(words)


def pretends_cuda(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether the function around ``node`` is given cards that are not there: ``patch("torch.cuda.is_available")``."""
    function = next((one for one in ctx.tree.ancestors(node) if isinstance(one, cst.FunctionDef)), None)
    if function is None:
        return False
    calls = (one for one in ctx.tree.below(function) if isinstance(one, cst.Call))
    return any(makes_mock(one) and _CARDS.search(ctx.text_of(one)) for one in calls)


def _is_of_mock(ctx: FileContext, target: cst.BaseExpression) -> bool:
    """Whether an assignment's target is a mock, an attribute of one, or what it returns."""
    if isinstance(target, cst.Attribute) and target.attr.value in _MOCK_RESULTS:
        return True
    if _NAME.search(dotted_name(target) or ""):
        return True
    while isinstance(target, cst.Attribute):
        target = target.value
    return isinstance(target, cst.Name) and makes_mock(sole_value(ctx, target))


def makes_mock(call: cst.CSTNode | None) -> bool:
    """Whether an expression makes a mock, or puts one in another's place: ``patch(…)``, ``monkeypatch.setattr(…)``."""
    return isinstance(call, cst.Call) and _MOCK_MAKER.search(dotted_name(call.func) or "") is not None
