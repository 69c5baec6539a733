"""Findings of what `devlint observe` has seen: tensors on the CPU that met others on a device."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.core.diagnostic import Diagnostic, Location, Span
from devlint.core.observed_tensors import ObservedFile, ObservedTensor
from devlint.engine.ruleset import OBSERVED_RULE
from devlint.fixes.observed_move import move_where_made
from devlint.syntax.file_context import FileContext

KEPT_RULE = "DEV403"
"""Reports the assignment by which a module keeps a tensor."""
_EXPRESSIONS = (
    cst.Call,
    cst.BinaryOperation,
    cst.UnaryOperation,
    cst.Comparison,
    cst.Subscript,
    cst.Attribute,
    cst.Name,
)


def observed_diagnostics(ctx: FileContext, observed: ObservedFile) -> Iterator[Diagnostic]:
    """One finding for each expression."""
    nodes = _nodes_by_span(ctx)
    source = ctx.source
    for tensor in observed.tensors:
        span = _span(ctx, tensor)
        node = nodes.get(span) if span is not None else None
        if span is None:
            continue
        fix = move_where_made(ctx, node, tensor, observed.is_tried) if node is not None else None
        if isinstance(node, cst.For):  # Python gives it the place of the whole statement
            span = ctx.span(node.iter)
        first, last = source.location(span.start), source.location(span.end)
        yield Diagnostic(source.path, OBSERVED_RULE, tensor.message, span, first, last, fix)


def tells_of_same(found: Diagnostic, seen: Diagnostic) -> bool:
    """Whether a rule has found what was seen, too: where the tensor is made, or where a module keeps it."""
    around = found.span.start <= seen.span.start and seen.span.end <= found.span.end
    return (found.code == OBSERVED_RULE and found.span == seen.span) or (found.code == KEPT_RULE and around)


def _nodes_by_span(ctx: FileContext) -> dict[Span, cst.CSTNode]:
    """The expressions and loops of a file; of several with one span, the outermost."""
    found: dict[Span, cst.CSTNode] = {}
    for node in ctx.tree.of_types(_EXPRESSIONS):
        span = ctx.span(node)
        found.setdefault(span, node)
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
            # A call at the end of a chain over several lines begins, for Python, at the name of its method.
            found.setdefault(Span(ctx.span(node.func.attr).start, span.end), node)
    for loop in ctx.tree.of_types((cst.For,)):
        assert isinstance(loop, cst.For)
        found[ctx.span(loop.iter)] = loop
        end = ctx.span(loop).end
        found[Span(ctx.span(loop).start, end)] = loop
        text = ctx.source.text[:end].rstrip()
        found[Span(ctx.span(loop).start, len(text))] = loop
    return found


def _span(ctx: FileContext, tensor: ObservedTensor) -> Span | None:
    """The characters of an expression; None where the file has no such place."""
    start, end = _offset(ctx, tensor.row, tensor.column), _offset(ctx, tensor.end_row, tensor.end_column)
    if start is not None and end is not None and start <= end:
        return Span(start, end)
    line = ctx.source.line(tensor.row)
    if not line.strip():
        return None
    at = ctx.source.offset(Location(tensor.row, len(line) - len(line.lstrip()) + 1))
    return Span(at, at + len(line.strip()))


def _offset(ctx: FileContext, row: int, column: int) -> int | None:
    line = ctx.source.line(row)
    data = line.encode("utf-8", "surrogatepass")
    if not 0 <= column <= len(data):
        return None
    return ctx.source.offset(Location(row, len(data[:column].decode("utf-8", "ignore")) + 1))
