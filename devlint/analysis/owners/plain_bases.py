"""Bases of a class in other files of the project that have nothing to do with devices."""

from __future__ import annotations

import ast

import libcst as cst

from devlint.analysis.names.classes import bases, is_defined_here, unknown_bases
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.classes import ClassFamily, imported_family, is_pythons, sets_attribute
from devlint.analysis.project.module import Definition
from devlint.syntax.file_context import FileContext
from devlint.syntax.python_tree.nodes import last_name, nodes_below

_DEVICE = "device"
OWN_WAYS = frozenset({_DEVICE, "__setattr__", "__slots__", "__getattribute__", "__getattr__"})
"""Names by which a class may have a device, or attributes that nobody sees."""


def has_plain_bases(ctx: FileContext, definition: cst.ClassDef, *attributes: str) -> bool:
    """Whether all bases of a class in other files are the project's, set no such attribute, and know no device.

    Nor may their files mention CUDA: their own fixes could give them one.
    """
    families = [imported_family(project_around(ctx), name) for name in unknown_bases(ctx, definition)]
    return all(one is not None and _is_plain(ctx, one, attributes) for one in families)


def is_known_as_plain(ctx: FileContext, definition: cst.ClassDef) -> bool:
    """Whether a class has bases in other files, all of them of the project or Python's: it is no nn.Module."""
    others = [name for name in bases(ctx, definition) if not is_defined_here(ctx, name) and not is_pythons(name)]
    families = [imported_family(project_around(ctx), name) for name in others]
    return bool(families) and all(one is not None and all(map(is_pythons, one.others)) for one in families)


def _is_plain(ctx: FileContext, family: ClassFamily, attributes: tuple[str, ...]) -> bool:
    if not all(map(is_pythons, family.others)) or any(map(_may_have_device, family.classes)):
        return False
    disk = project_around(ctx).index.disk
    if any(b"cuda" in (disk.read(one.module.path) or b"cuda") for one in family.classes):
        return False
    return not any(sets_attribute(family, one) for one in (_DEVICE, *attributes))


def _may_have_device(cls: Definition) -> bool:
    """Whether the body of a class defines a device, or attributes may come in a way that nobody sees."""
    for node in nodes_below(cls.node):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name in OWN_WAYS:
            return True
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in OWN_WAYS:
            return True
        if isinstance(node, ast.Call) and last_name(node.func) == "setattr":
            return True
        if isinstance(node, ast.Attribute) and node.attr == "__dict__":
            return True
    return False
