"""Where a module imports torch, so that nothing is imported before what its author put first."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.control_flow import is_below_test
from devlint.analysis.names.scopes import scopes
from devlint.syntax.file_context import FileContext, fact
from devlint.torch_api.libraries import TORCH_PACKAGES


@fact
def first_torch_import(ctx: FileContext) -> cst.CSTNode | None:
    """The first line by which a module itself imports torch, a part of it, or a package that imports it first."""
    table = scopes(ctx)
    for node in ctx.tree.of_types((cst.Import, cst.ImportFrom)):
        if _is_of_torch(node) and table.scope_of(node) is table.module and not is_below_test(ctx, node):
            return ctx.tree.parent(node)
    return None


@fact
def optional_torch_import(ctx: FileContext) -> cst.CSTNode | None:
    """The first line by which a module imports torch where a test decides on it: ``if is_torch_available():``."""
    table = scopes(ctx)
    for node in ctx.tree.of_types((cst.Import, cst.ImportFrom)):
        if _is_of_torch(node) and table.scope_of(node) is table.module and is_below_test(ctx, node):
            if not is_for_type_checkers(ctx, node):
                return ctx.tree.parent(node)
    return None


def is_for_type_checkers(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a node never runs: ``if TYPE_CHECKING: import torch``."""
    return any(
        isinstance(one, cst.If) and child is one.body and (dotted_name(one.test) or "").endswith("TYPE_CHECKING")
        for child, one in ctx.tree.path_up(node)
    )


def _is_of_torch(node: cst.CSTNode) -> bool:
    if isinstance(node, cst.ImportFrom):
        names = [node.module] if node.module is not None and not node.relative else []
    else:
        assert isinstance(node, cst.Import)
        names = [one.name for one in node.names[:1]]
    return any((dotted_name(one) or "").partition(".")[0] in TORCH_PACKAGES for one in names)
