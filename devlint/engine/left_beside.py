"""Safe fixes of a function or a script that something else of it leaves without gain: without CUDA it fails there."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence, Set

import libcst as cst

from devlint.analysis.apis.asked_at_import import is_weightless
from devlint.analysis.apis.process_groups import nccl_beside
from devlint.analysis.cuda.failing.failing_calls import FailingCode, LeftPlace
from devlint.analysis.cuda.failing.kernel_imports import needs_kernels
from devlint.analysis.cuda.failing.refusals import refusal_beside
from devlint.analysis.cuda.failing.told_devices import told_devices
from devlint.analysis.cuda.failing.unreported_calls import unreported_calls
from devlint.analysis.guards.cuda_only_code import does_without
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.control_flow import tests_around
from devlint.analysis.names.resolution import origin
from devlint.analysis.names.scopes import scopes
from devlint.analysis.transfers.overridden_moves import overriding_class
from devlint.core.diagnostic import Diagnostic, Fix
from devlint.fixes.device.left_failures import call_beside
from devlint.syntax.file_context import FileContext
from devlint.torch_api.cuda_functions import STREAM_MAKERS
from devlint.torch_api.cuda_members import cuda_member
from devlint.torch_api.moves import MOVES

_FAILS = frozenset({"DEV101", "DEV102", "DEV106", "DEV201", "DEV202", "DEV501", "DEV504"})
"""The rules whose findings fail without CUDA where they are."""
_GAINS = _FAILS | {"DEV103", "DEV104", "DEV105", "DEV107", "DEV108", "DEV204", "DEV205", "DEV404", "DEV502"}
"""The rules whose fixes are there so that a function runs without CUDA."""
_KERNELS = "the program imports kernels of CUDA, and fails without CUDA all the same"
_KINDS = (cst.Name, cst.SimpleString, cst.FormattedString, cst.Integer)


def with_left_beside(ctx: FileContext, found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """The findings, with fixes that are unsafe where their function fails without CUDA in a line that no fix mends.

    So are those at the top level of a file that fails there.
    """
    fixed = [one for one in found if one.code in _GAINS and _is_safe(one)] if ctx.target.kind == "cuda" else []
    if not fixed:
        return list(found)
    if any(map(_asks_for_cuda, fixed)) and needs_kernels(ctx):
        asking = {id(one) for one in fixed if _asks_for_cuda(one)}
        return [_left_to_kernels(one) if id(one) in asking else one for one in found]
    left = {one.span.start for one in found if one.code in _FAILS and not _is_safe(one)}
    nodes = _nodes_at(ctx, left | {one.span.start for one in fixed})
    failing = [node for start, node in nodes.items() if start in left and _fails(ctx, node)]
    open_ones = {one.span.start for one in found if one.code == "DEV501" and one.fix is None}
    code = FailingCode(ctx, _left(ctx, failing, fixed, open_ones))
    changed: dict[int, Fix] = {}
    gaining: set[int] = set()
    for one in fixed:
        node, row = nodes.get(one.span.start), None
        if node is not None:
            waits = one.code == "DEV504" and _makes_stream(ctx, node)  # another round mends the streams of events
            failure = code.beside(node, but_streams=waits)
            row = failure.row if failure is not None else _row_of_refusal(ctx, node)
        if row is None or one.fix is None:
            gaining.add(id(one.fix))
        elif id(one.fix) not in changed:
            why = f"without CUDA, line {row} fails all the same"
            changed[id(one.fix)] = one.fix.made_unsafe(why)
    left_out = changed.keys() - gaining  # several findings may share a fix
    return [one.replace(fix=changed[id(one.fix)]) if id(one.fix) in left_out else one for one in found]


def _asks_for_cuda(one: Diagnostic) -> bool:
    """Whether a fix writes a question for CUDA; what only takes the device of a tensor beside it does no harm."""
    return one.fix is not None and any("is_available" in edit.text for edit in one.fix.edits)


def _left_to_kernels(one: Diagnostic) -> Diagnostic:
    return one if one.fix is None else one.replace(fix=one.fix.made_unsafe(_KERNELS))


def _row_of_refusal(ctx: FileContext, node: cst.CSTNode) -> int | None:
    """The line where a function stops without CUDA, or begins with NCCL, wherever it comes to a place."""
    if scopes(ctx).function_of(node) is None:
        return None
    place = refusal_beside(ctx, node) or nccl_beside(ctx, node) or call_beside(ctx, node)
    return None if place is None else ctx.source.location(ctx.span(place).start).row


def _left(
    ctx: FileContext, failing: Sequence[cst.BaseExpression], fixed: Sequence[Diagnostic], open_ones: Set[int]
) -> dict[int, list[LeftPlace]]:
    """By the ids of functions, the places that fail without CUDA and that no fix mends."""
    places = {ctx.span(one).start: one for one in (*failing, *unreported_calls(ctx), *told_devices(ctx))}
    found: dict[int, list[LeftPlace]] = {}
    asked = {edit.span.start for one in fixed if one.fix is not None for edit in one.fix.edits if _asks(edit.text)}
    for start in _without_mended(ctx, list(places), fixed):
        node = places[start]
        if asked and _is_below(ctx, node, asked):
            continue
        function = scopes(ctx).function_of(node)
        if function is not None or _is_at_top(ctx, node):
            row = ctx.source.location(start).row
            lasts = start not in open_ones or not _is_statement(ctx, node)
            failure = LeftPlace(row, tests_around(ctx, node), _makes_stream(ctx, node), node, lasts)
            found.setdefault(id(function), []).append(failure)
    return found


def _is_safe(one: Diagnostic) -> bool:
    return one.fix is not None and one.fix.is_safe


def _makes_stream(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether the call that begins with a node makes a stream or an event, or is a method of one."""
    calls = (one for one in (node, *ctx.tree.ancestors(node)) if isinstance(one, cst.Call))
    member = cuda_member(origin(ctx, call.func)) if (call := next(calls, None)) is not None else None
    return isinstance(node, cst.Call) if member is None else member.name in STREAM_MAKERS


def _is_statement(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether the call that begins with a node is all of its line, so that it may go under a test."""
    call = next((one for one in ctx.tree.ancestors(node) if isinstance(one, cst.Call)), None)
    return call is not None and isinstance(ctx.tree.parent(call), cst.Expr)


def _is_at_top(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a node outside of all functions is not in a class of one either."""
    return scopes(ctx).scope_of(node) is scopes(ctx).module


def _without_mended(ctx: FileContext, left: Sequence[int], fixed: Sequence[Diagnostic]) -> list[int]:
    """The places that no fix of findings replaces or puts under a test; a file may have thousands of both."""
    fixes = {id(one.fix): one.fix for one in fixed}.values()
    made = [edit for fix in fixes if fix is not None for edit in fix.edits]
    tested = {one.span.start for one in made if one.span.start == one.span.end and _begins_block(one.text)}
    shown = sorted(one.span.start for one in made if one.span.start == one.span.end and one.text.startswith(" if "))
    left = [one for one in left if one not in tested and not _is_shown(ctx, one, shown)]
    starts: list[int] = []
    ends: list[int] = []
    for span in sorted({one.span for one in made}):
        starts.append(span.start)
        ends.append(max((span.end, *ends[-1:])))
    at = [(one, bisect_right(starts, one)) for one in left]
    return [one for one, count in at if not count or ends[count - 1] <= one]


def _is_below(ctx: FileContext, node: cst.CSTNode, asked: set[int]) -> bool:
    """Whether a fix lets the test of a block around a node ask for CUDA, too, or makes one of its ``else``."""
    blocks = [parent for child, parent in ctx.tree.path_up(node) if child is getattr(parent, "body", None)]
    ends = {ctx.outer_span(one.test).end for one in blocks if isinstance(one, cst.If)}
    starts = {ctx.span(one).start for one in blocks if isinstance(one, cst.Else)}
    return not asked.isdisjoint(ends | starts)


def _asks(text: str) -> bool:
    return text.startswith((" and ", "elif "))


def _is_shown(ctx: FileContext, start: int, tests: Sequence[int]) -> bool:
    """Whether a fix writes a test behind what begins at a place: ``f(x) if test else None`` in its line."""
    at = bisect_right(tests, start)
    return at < len(tests) and "\n" not in ctx.source.text[start : tests[at]]


def _begins_block(text: str) -> bool:
    """Whether what is written before a statement puts it under a test: the ``if``, or more space than before."""
    return text.startswith("if ") or not text.strip()


def _nodes_at(ctx: FileContext, starts: Iterable[int]) -> dict[int, cst.BaseExpression]:
    """The names and constants that begin at some places; only what reads as the text there is asked for its place."""
    wanted, text = set(starts), ctx.source.text
    words = {_word(text, start) for start in wanted}
    quoted = [start for start in wanted if text[start : start + 1] in "'\"rRbBuUfF"]

    def may_be_there(node: cst.BaseExpression) -> bool:
        if isinstance(node, (cst.Name, cst.Integer)):
            return node.value in words
        opening = node.start if isinstance(node, cst.FormattedString) else getattr(node, "value", "")
        return any(text.startswith(opening, start) for start in quoted)

    nodes = (node for kind in _KINDS for node in ctx.tree.of_type(kind) if may_be_there(node)) if wanted else ()
    return {start: node for node in nodes if (start := ctx.span(node).start) in wanted}


def _word(text: str, start: int) -> str:
    """The name or number that begins at a place of a text."""
    end = start
    while end < len(text) and (text[end].isalnum() or text[end] == "_"):
        end += 1
    return text[start:end]


def _fails(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether what is found at a name or a constant fails wherever the function comes there.

    ``DataParallel`` takes no notice of its cards where there is no CUDA.
    """
    arg = next((one for one in ctx.tree.ancestors(node) if isinstance(one, (cst.Arg, cst.BaseSmallStatement))), None)
    taker = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) and arg.keyword is not None else None
    if isinstance(taker, cst.Call) and (dotted_name(taker.func) or "").endswith("DataParallel"):
        return (dotted_name(taker.func) or "").endswith("DistributedDataParallel")
    method = ctx.tree.parent(node)
    call = ctx.tree.parent(method) if isinstance(method, cst.Attribute) else None
    call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) and not isinstance(call, cst.Call) else call
    if isinstance(call, cst.Call) and isinstance(call.func, cst.Attribute):
        if overriding_class(ctx, call) is not None or _is_moved_without_weights(ctx, call.func):
            return False
    return not any(isinstance(one, cst.Lambda) for one in ctx.tree.ancestors(node)) and not does_without(ctx, node)


def _is_moved_without_weights(ctx: FileContext, method: cst.Attribute) -> bool:
    """Whether a method moves a layer or loss that has no tensors, to whatever card: ``nn.L1Loss().cuda(card)``."""
    return method.attr.value in MOVES and is_weightless(ctx, method.value)
