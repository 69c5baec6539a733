"""The classes that a file says a value to be of: annotations, ``isinstance``, class patterns."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.resolution import bindings
from devlint.syntax.comparisons import joined_parts
from devlint.syntax.file_context import FileContext


def said_kinds(ctx: FileContext, receiver: cst.BaseExpression, depth: int = 2) -> Iterator[cst.BaseExpression]:
    """The names of classes in the annotation of a name, or of what a loop takes it from, and in tests around it."""
    yield from _tested(ctx, receiver)
    if not isinstance(receiver, cst.Name) or depth == 0:
        return
    for one in bindings(ctx, receiver.value, receiver)[1]:
        annotation = getattr(one.node, "annotation", None)
        if isinstance(annotation, cst.Annotation):
            yield from _named_in(ctx, annotation.annotation)
        walked = getattr(one.node, "iter", None) if one.how is How.LOOP else None
        if isinstance(walked, cst.Name):
            yield from said_kinds(ctx, walked, depth - 1)


def _named_in(ctx: FileContext, node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """The names in an annotation: ``Batch`` of ``Optional[List[data.Batch]]``."""
    for one in (node, *ctx.tree.below(node)):
        if isinstance(one, (cst.Name, cst.Attribute)) and dotted_name(one) is not None:
            yield one


def _tested(ctx: FileContext, receiver: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """The classes that tests around a place say the receiver to be of."""
    written = dotted_name(receiver)
    for child, parent in ctx.tree.path_up(receiver) if written is not None else ():
        if isinstance(parent, (cst.FunctionDef, cst.ClassDef)):
            return
        if isinstance(parent, (cst.If, cst.IfExp)) and child is parent.body:
            for call in joined_parts(parent.test, cst.And):
                is_test = isinstance(call, cst.Call) and dotted_name(call.func) == "isinstance" and len(call.args) == 2
                if isinstance(call, cst.Call) and is_test and dotted_name(call.args[0].value) == written:
                    yield from _named_in(ctx, call.args[1].value)
        elif isinstance(parent, cst.MatchCase) and child is parent.body:
            whole = ctx.tree.parent(parent)
            if isinstance(whole, cst.Match) and dotted_name(whole.subject) == written:
                yield from (one.cls for one in ctx.tree.below(parent.pattern) if isinstance(one, cst.MatchClass))
                if isinstance(parent.pattern, cst.MatchClass):
                    yield parent.pattern.cls
