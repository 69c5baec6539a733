"""Attributes of torch's modules that a file defines itself, or expects to be absent."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import origin
from devlint.syntax.file_context import FileContext

_TELL = frozenset("Exception BaseException AttributeError ImportError NameError ModuleNotFoundError".split())


def is_expected_absent(ctx: FileContext, node: cst.CSTNode, name: str) -> bool:
    """Whether the file sets an attribute called ``name``, has it in a string, or catches the error for its absence."""
    return name in ctx.fact(_own_names) or _is_caught(ctx, node)


def _own_names(ctx: FileContext) -> frozenset[str]:
    """Names that are attributes assigned to or deleted, and the last words of strings."""
    strings = (one.evaluated_value for one in ctx.tree.of_type(cst.SimpleString))
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


def _is_caught(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether ``node`` stands in a ``try`` that has an answer to a missing name, or in ``with suppress(...)``."""
    for child, parent in ctx.tree.path_up(node):
        if isinstance(parent, cst.Try) and child is parent.body:
            for handler in parent.handlers:
                if handler.type is None or any(
                    (dotted_name(one) or "") in _TELL for one in ctx.tree.below(handler.type)
                ):
                    return True
        if isinstance(parent, cst.With) and child is parent.body:
            if any(isinstance(item.item, cst.Call) and item.item.args for item in parent.items) and any(
                isinstance(one, cst.Name) and one.value in _TELL
                for item in parent.items
                for one in ctx.tree.below(item)
            ):
                return True
    return False
