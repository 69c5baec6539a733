"""Mocks in tests: a device that is given to one moves nothing."""

from __future__ import annotations

import re

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import sole_value
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext

_NAME = regex(r"(?:^|[_.])(?:mock|fake|stub)(?:ed|s)?(?:[_.]|\Z)", re.IGNORECASE)
_MOCK_MAKER = regex(r"(?:^|\.)(?:\w*Mock|patch(?:\.\w+)?|(?:monkeypatch|mocker)\.\w+)\Z")
_CARDS = regex(r"cuda|gpu", re.IGNORECASE)
_MOCK_RESULTS = ("return_value", "side_effect")


def is_mock(ctx: FileContext, node: cst.BaseExpression) -> bool:
    """Whether ``node`` is passed to a mock, or assigned to one or its attribute: ``fake_tensor.device = "cuda:0"``."""
    parent = ctx.tree.parent(node)
    if isinstance(parent, cst.Arg):
        return _makes_mock(ctx.tree.parent(parent))
    targets = parent.targets if isinstance(parent, cst.Assign) else ()
    return any(_is_of_mock(ctx, one.target) for one in targets)


def pretends_cuda(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether the function around ``node`` is given cards that are not there: ``patch("torch.cuda.is_available")``."""
    function = next((one for one in ctx.tree.ancestors(node) if isinstance(one, cst.FunctionDef)), None)
    if function is None:
        return False
    calls = (one for one in ctx.tree.below(function) if isinstance(one, cst.Call))
    return any(_makes_mock(one) and _CARDS.search(ctx.text_of(one)) for one in calls)


def _is_of_mock(ctx: FileContext, target: cst.BaseExpression) -> bool:
    """Whether an assignment's target is a mock, an attribute of one, or what it returns."""
    if isinstance(target, cst.Attribute) and target.attr.value in _MOCK_RESULTS:
        return True
    if _NAME.search(dotted_name(target) or ""):
        return True
    while isinstance(target, cst.Attribute):
        target = target.value
    return isinstance(target, cst.Name) and _makes_mock(sole_value(ctx, target))


def _makes_mock(call: cst.CSTNode | None) -> bool:
    return isinstance(call, cst.Call) and _MOCK_MAKER.search(dotted_name(call.func) or "") is not None
