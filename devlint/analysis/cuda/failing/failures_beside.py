"""What only runs where something else does that fails without CUDA: in its function, or in the class's ``__init__``."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator

import libcst as cst

from devlint.analysis.guards.guards import runs_guarded
from devlint.analysis.names.classes import class_of, method_of, methods_named, self_name
from devlint.analysis.names.control_flow import block_path, exits, index_in, tests_around
from devlint.analysis.names.exception_handling import is_caught
from devlint.analysis.names.scopes import scopes
from devlint.core.diagnostic import Span
from devlint.syntax.file_context import FileContext
from devlint.torch_api.cuda_naming import CAUGHT

Tests = frozenset[tuple[str, bool]]


class Failures:
    """The places of a file that fail without CUDA, each with the tests that lead to it."""

    def __init__(self, ctx: FileContext, places: Iterable[cst.CSTNode]) -> None:
        self._ctx = ctx
        self._found: dict[int, list[tuple[cst.CSTNode, Tests]]] = {}
        for one in places:
            if any(isinstance(up, cst.Lambda) for up in ctx.tree.ancestors(one)):
                continue
            function = scopes(ctx).function_of(one)
            self._found.setdefault(id(function), []).append((one, tests_around(ctx, one)))

    def beside(self, at: cst.CSTNode) -> cst.CSTNode | None:
        """The first that runs wherever ``at`` does, so that without CUDA nothing is gained at ``at`` by itself."""
        if not self._found:
            return None
        for one in (at, *_functions_around(self._ctx, at)):
            own = self._found.get(id(scopes(self._ctx).function_of(one)), ())
            around = tests_around(self._ctx, one) | _tests_passed(self._ctx, one) if own else frozenset()
            for place, tests in own:
                if tests <= around and not may_return_before(self._ctx, one, place):
                    return place
        return self._in_init(at)

    def _in_init(self, at: cst.CSTNode) -> cst.CSTNode | None:
        """The first that ``__init__`` of the class around a method comes to, whatever it is given."""
        init = init_before(self._ctx, at)
        own = self._found.get(id(init), ()) if init is not None else ()
        return next(
            (place for place, tests in own if not tests and not may_return_before(self._ctx, init, place)), None
        )


def may_return_before(ctx: FileContext, start: cst.CSTNode | None, place: cst.CSTNode) -> bool:
    """Whether a function may return after its start, or after a place in it, and before it comes to another."""
    function = scopes(ctx).function_of(place)
    begin, end = (ctx.span(one).start for one in (start or function or place, place))
    returns = ctx.fact(_returns).get(id(function), [])
    first = bisect_right(returns, begin, key=lambda one: one.start)
    return first < len(returns) and returns[first].end <= end


def _tests_passed(ctx: FileContext, at: cst.CSTNode) -> Tests:
    """The tests above a place that let nothing else come to it: for ``if spread: … else: raise``, ``spread``."""
    found: set[tuple[str, bool]] = set()
    for block, index in block_path(ctx, at, scopes(ctx).function_of(at) or ctx.module):
        for last, tests in ctx.fact(_ways_on).get(id(block), ()):
            if last < index:
                found |= tests
    return frozenset(found)


def _ways_on(ctx: FileContext) -> dict[int, list[tuple[int, Tests]]]:
    """By their blocks, each ``if`` that goes on by one of its branches alone, by its index, with the tests for that."""
    found: dict[int, list[tuple[int, Tests]]] = {}
    for one in ctx.tree.of_type(cst.If):
        block = ctx.tree.parent(one)
        ways = _ways_through(ctx, one) if isinstance(block, (cst.Module, cst.IndentedBlock)) else []
        if block is not None and len(ways) == 1 and ways[0]:
            index = index_in(ctx, block, one) or 0
            found.setdefault(id(block), []).append((index, ways[0]))
    return found


def _ways_through(ctx: FileContext, statement: cst.If) -> list[Tests]:
    """The tests for each way through an ``if`` that goes on below it."""
    failed: list[tuple[str, bool]] = []
    ways: list[Tests] = []
    branch: cst.If | cst.Else | None = statement
    while isinstance(branch, cst.If):
        test = ctx.text_of(branch.test)
        if not exits(branch.body):
            ways.append(frozenset([*failed, (test, True)]))
        failed.append((test, False))
        branch = branch.orelse
    if branch is None or not exits(branch.body):
        ways.append(frozenset(failed))
    return ways


def _returns(ctx: FileContext) -> dict[int, list[Span]]:
    """Where each function returns, from its first statement."""
    found: dict[int, list[Span]] = {}
    for one in ctx.tree.of_type(cst.Return):
        found.setdefault(id(scopes(ctx).function_of(one)), []).append(ctx.span(one))
    return {key: sorted(spans) for key, spans in found.items()}


def _functions_around(ctx: FileContext, at: cst.CSTNode) -> Iterator[cst.FunctionDef]:
    """The functions that a place is in, from the innermost one."""
    return (one for one in ctx.tree.ancestors(at) if isinstance(one, cst.FunctionDef))


def init_before(ctx: FileContext, at: cst.CSTNode) -> cst.FunctionDef | None:
    """What has made the instance of the method around a place."""
    method, definition = method_of(ctx, at), class_of(ctx, at)
    if method is None or definition is None or self_name(method) is None:
        return None
    init = next(iter(methods_named(ctx, definition, "__init__")), None)
    return init if init is not method else None


def runs_in_loop(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a place of a function may be reached for each of some things, and for none if there are none."""
    for parent in ctx.tree.ancestors(node):
        if isinstance(parent, (cst.FunctionDef, cst.Lambda)):
            return False
        if isinstance(parent, (cst.For, cst.While, cst.CompFor, cst.BaseComp)):
            return True
    return False


def does_no_harm(ctx: FileContext, call: cst.Call, errors: Iterable[str] = CAUGHT) -> bool:
    """Whether a call that fails without CUDA does no harm: it is guarded, caught, or waits in a ``lambda``."""
    waits = any(isinstance(one, cst.Lambda) for one in ctx.tree.ancestors(call))
    return waits or runs_guarded(ctx, call) or is_caught(ctx, call, *errors)
