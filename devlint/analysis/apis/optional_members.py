"""Attributes of torch's modules that a file defines itself, or expects to be absent."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.exception_handling import is_caught
from devlint.analysis.names.resolution import origin
from devlint.syntax.file_context import FileContext
from devlint.syntax.literals import literal_value

_MISSING = ("AttributeError", "ImportError", "ModuleNotFoundError", "NameError")


def is_expected_absent(ctx: FileContext, node: cst.CSTNode, name: str) -> bool:
    """Whether the file sets an attribute called ``name``, has it in a string, or catches the error for its absence."""
    return name in ctx.fact(_own_names) or is_caught(ctx, node, *_MISSING)


def _own_names(ctx: FileContext) -> frozenset[str]:
    """Names that are attributes assigned to or deleted, and the last words of strings."""
    strings = map(literal_value, ctx.tree.of_type(cst.SimpleString))
    found = {one.rpartition(".")[2] for one in strings if isinstance(one, str)}
    for target in ctx.tree.of_type(cst.AssignTarget):
        if isinstance(target.target, cst.Attribute) and not _is_flag(ctx, target.target):
            found.add(target.target.attr.value)
    for statement in ctx.tree.of_type(cst.Del):
        found |= {one.attr.value for one in ctx.tree.below(statement) if isinstance(one, cst.Attribute)}
    return frozenset(found)


def _is_flag(ctx: FileContext, node: cst.Attribute) -> bool:
    """Whether an attribute belongs to a module of settings: ``torch.backends.cudnn.benchmark``."""
    return (origin(ctx, node.value) or "").startswith("torch.backends.")
