"""Of which classes of the project what a file moves may be an instance."""

from __future__ import annotations

import ast

import libcst as cst

from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.module import Definition
from devlint.analysis.transfers.received.received_instances import ReceivedInstances
from devlint.analysis.transfers.received.standings import names_around, places_of
from devlint.syntax.file_context import FileContext, fact_of


@fact_of
def received_classes(ctx: FileContext, receiver: cst.BaseExpression) -> list[Definition]:
    """The classes that a receiver of a file may be an instance of, as far as it can be followed."""
    received = ctx.fact(_received)
    if received is None:
        return []
    value = ast.parse(f"({ctx.text_of(receiver)})", mode="eval").body
    return [
        cls for at in places_of(received.module, names_around(ctx, receiver)) for cls in received.classes(value, at)
    ]


def _received(ctx: FileContext) -> ReceivedInstances | None:
    module = own_module(ctx)
    return ReceivedInstances(project_around(ctx), module) if module is not None else None
