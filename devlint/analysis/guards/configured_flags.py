"""Flags that a file of the project sets to True for others: ``GPU = config["gpu"]``, ``self.use_cuda`` of a base."""

from __future__ import annotations

import ast

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import bases, class_of, method_of, self_name
from devlint.analysis.names.resolution import import_origin
from devlint.analysis.names.string_literals import string_value
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.classes import imported_family, sets_true
from devlint.syntax.file_context import FileContext


def is_true_elsewhere(ctx: FileContext, value: cst.BaseExpression) -> bool:
    """Whether a value is True in another file of the project: a name of it, or an entry of a dictionary."""
    key = _key(value) if isinstance(value, cst.Subscript) else None
    if isinstance(value, cst.Subscript) and key is None:
        return False
    dotted = dotted_name(value.value if isinstance(value, cst.Subscript) else value)
    root, _, rest = (dotted or "").partition(".")
    origin = import_origin(ctx, root, value) if root else None
    if origin is None:
        return False
    found = project_around(ctx).imported(f"{origin}.{rest}" if rest else origin)
    bound = found.module.sole_value(found.name) if found is not None and found.name else None
    if key is not None:
        bound = _entry(bound, key)
    return isinstance(bound, ast.Constant) and bound.value is True


def is_true_by_base(ctx: FileContext, dotted: str, at: cst.CSTNode) -> bool:
    """Whether ``self.use_cuda`` is set to True by a base, in another file, of the class around ``at``."""
    owner, _, attribute = dotted.rpartition(".")
    definition, method = class_of(ctx, at), method_of(ctx, at)
    if definition is None or method is None or owner != self_name(method):
        return False
    families = (imported_family(project_around(ctx), name) for name in bases(ctx, definition) if "." in name)
    return any(one is not None and sets_true(one, attribute) for one in families)


def _key(value: cst.Subscript) -> str | None:
    index = value.slice[0].slice if len(value.slice) == 1 else None
    return string_value(index.value) if isinstance(index, cst.Index) else None


def _entry(table: ast.expr | None, key: str) -> ast.expr | None:
    """What a dictionary display has under a key; None where something may hide it."""
    if not isinstance(table, ast.Dict) or None in table.keys:
        return None
    found = [
        value for one, value in zip(table.keys, table.values) if isinstance(one, ast.Constant) and one.value == key
    ]
    return found[-1] if found else None
