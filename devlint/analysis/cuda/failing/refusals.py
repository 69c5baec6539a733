"""Where the program refuses to go on without CUDA: what raises there, or calls what begins by raising there."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.apis.process_groups import counts_cards
from devlint.analysis.cuda.failing.failures_beside import Failures, runs_in_loop
from devlint.analysis.cuda.failing.refusing_functions import begins_by_refusing
from devlint.analysis.guards.early_exits import passed_test
from devlint.analysis.guards.questions import FOR_CUDA
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import class_of, is_overridden
from devlint.analysis.names.control_flow import branches, exits, stops
from devlint.analysis.names.exception_handling import is_caught
from devlint.analysis.names.resolution import attributes_named, origin, uses_of
from devlint.analysis.names.scopes import scopes
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext
from devlint.torch_api.cuda_naming import CAUGHT

_ERRORS = (*CAUGHT, "AssertionError", "ValueError", "ZeroDivisionError")
_FOR_CUDA_ALONE = regex(r"(?i)\bonly\b.*\b(?:gpu|cuda)|\b(?:need|require)s?\b.*\b(?:gpu|cuda)")

_COMPARED: dict[tuple[bool, bool], type[cst.BaseCompOp]] = {
    (False, True): cst.LessThan,
    (False, False): cst.GreaterThanEqual,
    (True, True): cst.GreaterThan,
    (True, False): cst.LessThanEqual,
}
"""How a card is compared with the number of cards, by whether that number comes first, and whether the test holds."""


def refusal_beside(ctx: FileContext, at: cst.CSTNode) -> cst.CSTNode | None:
    """What raises without CUDA wherever ``at`` runs, in its function, ``__init__`` or whatever calls its function."""
    found = ctx.fact(_refusals).beside(at)
    return found if found is not None else _before_calls(ctx, at)


def _before_calls(ctx: FileContext, at: cst.CSTNode) -> cst.CSTNode | None:
    """The first that raises before a private function is called, if something does wherever it is."""
    function = scopes(ctx).function_of(at)
    if not isinstance(function, cst.FunctionDef) or not function.name.value.startswith("_"):
        return None
    name, scope = function.name.value, scopes(ctx).scope_of(function)
    if name.startswith("__"):
        return None
    uses = [*(attributes_named(ctx, name) if scope.is_class else uses_of(ctx, scope, name))]
    outside = [one for one in uses if not any(up is function for up in ctx.tree.ancestors(one))]
    found = [ctx.fact(_refusals).beside(one) for one in outside]
    return found[0] if found and all(one is not None for one in found) else None


def _refusals(ctx: FileContext) -> Failures:
    places = (*_tests(ctx), *_calls(ctx))
    return Failures(ctx, [one for one in places if not is_caught(ctx, one, *_ERRORS) and not runs_in_loop(ctx, one)])


def _tests(ctx: FileContext) -> Iterator[cst.CSTNode]:
    """Each ``assert`` and ``if`` that lets nothing pass without CUDA."""
    for one in ctx.tree.of_type(cst.Assert):
        if _is_card_there(ctx, one.test, True):
            yield one
    for test in ctx.tree.of_type(cst.If):
        leaving = [branch for branch in branches(test) if exits(branch)]
        if not leaving or not all(map(stops, leaving)) or isinstance(ctx.tree.parent(test), cst.If):
            continue
        if (
            passed_test(ctx, test, FOR_CUDA) is not None
            or (test.orelse is None and _is_card_there(ctx, test.test, False))
            or _says_so(ctx, test)
        ):
            yield test


def _is_card_there(ctx: FileContext, test: cst.BaseExpression, holds: bool) -> bool:
    """Whether a test that comes out so has compared a card's number with how many there are: ``gpu < count``."""
    if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1:
        return False
    only = test.comparisons[0]
    card, count, operator = test.left, only.comparator, only.operator
    is_turned = counts_cards(ctx, card)
    if is_turned:
        card, count = count, card
    kind = _COMPARED[is_turned, holds]
    return isinstance(operator, kind) and dotted_name(card) is not None and counts_cards(ctx, count)


def _says_so(ctx: FileContext, test: cst.If) -> bool:
    """Whether an ``if`` that asks only a function raises with a text that says what is needed: a GPU.

    No option enters into ``if find_cuda() is None: raise RuntimeError("this layer needs a GPU")``.
    """
    asked = test.test.left if isinstance(test.test, cst.Comparison) else test.test
    asked = asked.expression if isinstance(asked, cst.UnaryOperation) else asked
    if not isinstance(asked, cst.Call) or asked.args or test.orelse is not None:
        return False
    texts = (ctx.text_of(one) for one in ctx.tree.below(test.body) if isinstance(one, cst.SimpleString))
    return any(_FOR_CUDA_ALONE.search(one) for one in texts)


def _calls(ctx: FileContext) -> Iterator[cst.CSTNode]:
    """The calls of what begins by raising without CUDA, which are statements, or all that is assigned there."""
    for call in ctx.tree.of_type(cst.Call):
        is_all = isinstance(ctx.tree.parent(call), (cst.Expr, cst.Assign, cst.AnnAssign))
        if is_all and scopes(ctx).function_of(call) is not None and not _may_be_others(ctx, call.func):
            if begins_by_refusing(ctx, call.func):
                yield call


def _may_be_others(ctx: FileContext, called: cst.BaseExpression) -> bool:
    """Whether a method may be that of a class that inherits: ``self.require_cuda()``."""
    definition = class_of(ctx, called) if isinstance(called, cst.Attribute) and origin(ctx, called) is None else None
    return (
        isinstance(called, cst.Attribute)
        and definition is not None
        and is_overridden(ctx, definition, called.attr.value)
    )
