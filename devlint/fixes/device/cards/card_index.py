"""The number of a card: where it stands, and whether a device can be built from it."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.card_numbers import is_number
from devlint.analysis.devices.cuda_literals import CudaLiteral
from devlint.syntax.file_context import FileContext


def index_node(ctx: FileContext, literal: CudaLiteral) -> cst.BaseExpression | None:
    """The expression of a card's number."""
    found = (one for one in ctx.tree.below(literal.node) if isinstance(one, cst.BaseExpression))
    return next((one for one in found if ctx.text_of(one) == literal.index), None)


def is_certain_card(ctx: FileContext, literal: CudaLiteral) -> bool:
    """Whether ``torch.device("cuda", i)`` can be built from the number of a card."""
    number = index_node(ctx, literal)
    return literal.is_constant or (number is not None and is_number(ctx, number))
