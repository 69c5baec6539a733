"""Source code compared without some of its method calls: ``f(x.cuda())`` and ``f(x)``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import libcst as cst

from devlint.syntax.file_context import FileContext
from devlint.syntax.kept_comments import comments_of


def takes_to_cpu(call: cst.Call) -> bool:
    """Whether a call is ``x.cpu()``."""
    return isinstance(call.func, cst.Attribute) and call.func.attr.value == "cpu" and not call.args


def without_space(text: str) -> str:
    """Source code without its white space, and without the backslashes at the ends of lines that go on below."""
    return "".join(text.replace("\\\r\n", "").replace("\\\n", "").split())


def text_without_calls(
    ctx: FileContext,
    node: cst.CSTNode,
    goes: Callable[[cst.Call], bool],
    renamed: Mapping[int, str] = MappingProxyType({}),
    but_comments: bool = False,
) -> str | None:
    """The source of ``node`` without some method calls and without white space; None if it has none, or a comment.

    ``renamed`` has other texts for some nodes, by their ``id``. With ``but_comments`` these are left out.
    """
    span = ctx.outer_span(node)
    inside = [one for one in comments_of(ctx) if span.start <= one.start < span.end]
    if inside and not but_comments:
        return None
    cuts = [(one.start, one.start + len(one.text), "") for one in inside]
    for one in ctx.tree.below(node):
        if id(one) in renamed:
            cuts.append((ctx.span(one).start, ctx.span(one).end, renamed[id(one)]))
        elif isinstance(one, cst.Call) and isinstance(one.func, cst.Attribute) and goes(one):
            cuts.append((ctx.outer_span(one.func.value).end, ctx.span(one).end, ""))
    kept, at = [], span.start
    for start, end, new in sorted(cuts, key=lambda cut: (cut[0], -cut[1])):
        if start >= at:
            kept += [ctx.source.text[at:start], new]
            at = end
    return without_space("".join((*kept, ctx.source.text[at : span.end]))) if len(cuts) > len(inside) else None
