"""Flags that may get another value after a device was built from them."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import attributes_named
from devlint.analysis.names.string_literals import string_value
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.attributes import set_by_instances, set_from_outside
from devlint.analysis.project.classes import inherits
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import holds_options

_LITERALS = (cst.Integer, cst.Float, cst.SimpleString)
_TARGETS = (cst.AssignTarget, cst.AnnAssign, cst.AugAssign, cst.For, cst.CompFor, cst.AsName, cst.Del)


def may_change_later(ctx: FileContext, flag: str, value: cst.BaseExpression) -> bool:
    """Whether an attribute (``self.gpu_id``) that ``value`` is assigned to once may be something else later.

    What begins as a constant is there to be set, by other code of this file or by another file.
    """
    attribute = flag.rpartition(".")[2]
    assigned = [one for one in attributes_named(ctx, attribute) if _is_assigned(ctx, one)]
    return is_literal(value) or len(assigned) > 1 or is_set_by_name(ctx, attribute)


def is_set_by_name(ctx: FileContext, attribute: str) -> bool:
    """Whether ``setattr`` or ``__dict__`` may set an attribute somewhere in the file."""
    return not ctx.fact(_set_by_name).isdisjoint({attribute, None})


def is_literal(value: cst.BaseExpression | None) -> bool:
    """Whether a value is written as a constant: ``False``, ``-1``, ``""``."""
    if isinstance(value, cst.UnaryOperation):
        return is_literal(value.expression)
    return isinstance(value, _LITERALS) or (isinstance(value, cst.Name) and value.value in ("True", "False", "None"))


def _is_assigned(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether an attribute is a target of a statement, alone or among others."""
    for child, parent in ctx.tree.path_up(node):
        if isinstance(parent, _TARGETS):
            return child is not getattr(parent, "value", None) and child is not getattr(parent, "iter", None)
        if not isinstance(parent, (cst.Tuple, cst.List, cst.Element, cst.StarredElement)):
            return False
    return False


def _set_by_name(ctx: FileContext) -> frozenset[str | None]:
    """The attributes that ``setattr`` and ``__dict__`` set; None where it may be any."""
    found: set[str | None] = set()
    for call in ctx.tree.of_type(cst.Call):
        called = dotted_name(call.func) or ""
        if called == "setattr" and len(call.args) == 3:
            found.add(string_value(call.args[1].value))
        elif called.endswith(".__dict__.update"):
            found.add(None)
    return frozenset(found)


def is_set_elsewhere(ctx: FileContext, definition: cst.ClassDef, attribute: str) -> bool:
    """Whether another file of the project may set an attribute of the instances of a class, or nobody knows.

    Options of a program are another object: ``opt.gpu_ids`` is not ``self.gpu_ids``.
    """
    project = project_around(ctx)
    outside, by_heirs = set_from_outside(project, attribute), set_by_instances(project, attribute)
    if outside is None or by_heirs is None:
        return True
    if any(not holds_options(one.owner.rpartition(".")[2]) for one in outside):
        return True
    name = definition.name.value
    return any(one.in_class and inherits(project, one.in_class, one.path, name) for one in by_heirs)
