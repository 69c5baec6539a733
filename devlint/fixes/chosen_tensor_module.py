"""The module whose types of tensors a program takes, by a flag alone: ``torch.cuda if gpu else torch``."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.guards.cuda_flags import as_condition, is_availability
from devlint.analysis.guards.option_flags import set_without_asking
from devlint.analysis.names.resolution import origin
from devlint.core.diagnostic import Edit, Fix, Span
from devlint.fixes.conditional_device import availability_caveat
from devlint.syntax import edits
from devlint.syntax.file_context import FileContext


def chosen_modules(ctx: FileContext) -> Iterator[tuple[cst.IfExp, Fix | None]]:
    """The choices by a flag that the program sets without asking torch, and the fix that asks torch as well."""
    for chosen in ctx.tree.of_type(cst.IfExp):
        if (origin(ctx, chosen.body), origin(ctx, chosen.orelse)) != ("torch.cuda", "torch"):
            continue
        asked = as_condition(ctx, chosen.test, True)
        if asked is None or not asked.names or is_availability(ctx, asked, chosen) or "is_available" in asked.text:
            continue
        if all(set_without_asking(ctx, name, chosen) for name in asked.names):
            yield chosen, _joined(ctx, chosen)


def _joined(ctx: FileContext, chosen: cst.IfExp) -> Fix | None:
    if ctx.target.kind != "cuda":
        return None
    test, available = chosen.test, f" and {ctx.text_of(chosen.body)}.is_available()"
    wraps = isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.Or) and not test.lpar
    span = ctx.outer_span(test)
    found = [Edit(Span(span.end, span.end), ")" * wraps + available)]
    if wraps:
        found.append(Edit(Span(span.start, span.start), "("))
    return edits.as_fix("Ask torch for CUDA as well", found, availability_caveat(ctx, chosen))
