"""Methods that may run before ``__init__`` has given the instance its device."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import self_name, unknown_bases
from devlint.analysis.owners.before_placement import run_by, run_by_base
from devlint.analysis.owners.inherited_device import ALL_METHODS
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.classes import imported_family, is_pythons
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import HAVE_TORCH_DEVICE, ONLY_ASK

_QUIET = ("torch.nn.", "torch.utils.data.", "torch.autograd.", "torch.optim.", *HAVE_TORCH_DEVICE)
"""How the bases of libraries begin or end whose ``__init__`` calls no method of those who inherit."""


def names_before(ctx: FileContext, init: cst.FunctionDef, statements: Sequence[cst.CSTNode]) -> frozenset[str]:
    """The names that the first statements of an ``__init__`` mention; a star where they hand on the instance itself."""
    found = {node.value for one in statements for node in ctx.tree.below(one) if isinstance(node, cst.Name)}
    if any(_hands_on(ctx, one, self_name(init)) for one in statements):
        found.add(ALL_METHODS)
    return frozenset(found)


def _hands_on(ctx: FileContext, statement: cst.CSTNode, instance: str | None) -> bool:
    """Whether a statement gives the instance to what may call a method of it, or calls it."""
    for call in ctx.tree.below(statement):
        if not isinstance(call, cst.Call):
            continue
        if dotted_name(call.func) == instance:
            return True
        is_given = any(dotted_name(one.value) == instance for one in call.args)
        if is_given and dotted_name(call.func) not in ONLY_ASK and not _is_init(call):
            return True
    return False


def _is_init(call: cst.Call) -> bool:
    """Whether a call is ``Base.__init__(self)``."""
    return isinstance(call.func, cst.Attribute) and call.func.attr.value == "__init__"


def may_return(ctx: FileContext, statements: Sequence[cst.CSTNode]) -> bool:
    """Whether some statements of a function may end it."""
    return any(isinstance(node, cst.Return) for one in statements for node in (one, *ctx.tree.below(one)))


def may_run_first(ctx: FileContext, definition: cst.ClassDef, method: cst.FunctionDef, before: Collection[str]) -> bool:
    """Whether a method may run before a line of ``__init__``, by the names that this mentions above, or its bases."""
    name = method.name.value
    if name == "__init__":
        return False
    if ALL_METHODS in before or name in before or name in run_by(ctx, definition, {*before} - {"__init__"}):
        return True
    if "__init__" not in before:
        return False
    return name in run_by_base(ctx, definition) or any(_may_call(ctx, one) for one in unknown_bases(ctx, definition))


def _may_call(ctx: FileContext, base: str) -> bool:
    """Whether the ``__init__`` of a base of another library may call methods of the class."""
    if base.startswith(_QUIET) or base.rpartition(".")[2].endswith(_QUIET) or is_pythons(base):
        return False
    return imported_family(project_around(ctx), base) is None
