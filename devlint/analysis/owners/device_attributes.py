"""Attributes of instances that hold a device: who sets them, and to what."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import (
    bases,
    class_of,
    has_unknown_base,
    is_of_library,
    method_of,
    methods_named,
    self_name,
)
from devlint.analysis.names.control_flow import statements
from devlint.analysis.names.resolution import attributes_named
from devlint.analysis.names.scopes import scopes
from devlint.syntax.file_context import FileContext, fact_of
from devlint.torch_api.device_naming import HAVE_TORCH_DEVICE

_CHOICES = (cst.IfExp, cst.BooleanOperation, cst.BaseComp, cst.Lambda)


def _family(ctx: FileContext, node: cst.Attribute) -> list[cst.ClassDef]:
    """The class whose instance's attribute ``node`` is, with its bases and subclasses in this file."""
    definition, method = class_of(ctx, node), method_of(ctx, node)
    if definition is None or method is None or dotted_name(node.value) != self_name(method):
        return []
    names = bases(ctx, definition)
    classes = ctx.tree.of_type(cst.ClassDef)
    kin = [one for one in classes if one.name.value in names or definition.name.value in bases(ctx, one)]
    return [definition, *(one for one in kin if one is not definition)]


def property_of(ctx: FileContext, node: cst.Attribute) -> cst.FunctionDef | None:
    """The property that ``self.device`` is, where one class only of its family defines it."""
    found = [one for owner in _family(ctx, node) for one in methods_named(ctx, owner, node.attr.value)]
    plain = len(found) == 1 and [dotted_name(one.decorator) for one in found[0].decorators] == ["property"]
    return found[0] if plain else None


def device_by_base(ctx: FileContext, node: cst.Attribute) -> bool:
    """Whether ``self.device`` is the property of a known base, and nothing in the file replaces it."""
    family = _family(ctx, node)
    if node.attr.value != "device" or not family or _assigned(ctx, node, family):
        return False
    if any(methods_named(ctx, owner, "device") for owner in family):
        return False
    found = [name for name in bases(ctx, family[0]) if name.rpartition(".")[2] in HAVE_TORCH_DEVICE]
    return any(is_of_library(ctx, name) for name in found)


def assigned_to_attribute(ctx: FileContext, node: cst.Attribute) -> list[cst.BaseExpression]:
    """Every value that the file gives to the attribute of this name, or of this family of classes.

    An attribute of another object counts too, since it may be the same one. Nothing where a base of another file may
    set it before.
    """
    family = _family(ctx, node)
    if family and has_unknown_base(ctx, family[0]) and not _set_by_init(ctx, family[0], node.attr.value):
        return []
    return _assigned(ctx, node, family)


def _assigned(ctx: FileContext, node: cst.Attribute, family: list[cst.ClassDef]) -> list[cst.BaseExpression]:
    inner = [_nodes_inside(ctx, owner) for owner in family]
    found = []
    for target, value, holder in ctx.fact(_assignments):
        inside = any(id(holder) in one for one in inner)
        own = isinstance(target, cst.Attribute) and target.attr.value == node.attr.value
        in_class = isinstance(target, cst.Name) and target.value == node.attr.value and inside
        if in_class and class_of(ctx, target) is not None and method_of(ctx, target) is None:
            found.append(value)
        elif own and isinstance(target, cst.Attribute) and _may_be_same(target, node, inside, family):
            found.append(value)
    return found


@fact_of
def _nodes_inside(ctx: FileContext, owner: cst.ClassDef) -> frozenset[int]:
    """The ids of all nodes of a class."""
    return frozenset(id(one) for one in ctx.tree.below(owner))


def _set_by_init(ctx: FileContext, definition: cst.ClassDef, name: str) -> bool:
    """Whether ``__init__`` itself gives every instance the attribute."""
    init = next(iter(methods_named(ctx, definition, "__init__")), None)
    return init is not None and any(
        dotted_name(target.target) == f"{self_name(init)}.{name}"
        for line in statements(init.body)
        for small in statements(line)
        for target in (small.targets if isinstance(small, cst.Assign) else ())
    )


def _may_be_same(target: cst.Attribute, node: cst.Attribute, inside: bool, family: list[cst.ClassDef]) -> bool:
    """Whether an attribute that is assigned to may be ``node``: another class's ``self`` is not."""
    if not family:
        return dotted_name(target.value) == dotted_name(node.value)
    return inside or dotted_name(target.value) != "self"


def is_read_above(
    ctx: FileContext, dotted: str, at: cst.CSTNode, function: cst.FunctionDef, or_with: bool = False
) -> bool:
    """Whether a function certainly reads an attribute above a place: in a block around it.

    With ``or_with`` it may be in the ``with`` that the place opens.
    """
    around = [at, *ctx.tree.ancestors(at)]
    opened = next((one for one in around if isinstance(one, (cst.With, cst.BaseSuite))), None)
    blocks = {id(one) for one in around if isinstance(one, cst.BaseSuite)}
    inside = id(opened.body) if isinstance(opened, cst.With) and or_with else 0
    for read in attributes_named(ctx, dotted.rpartition(".")[2]):
        if dotted_name(read) != dotted or scopes(ctx).function_of(read) is not function:
            continue
        up = next((one for one in ctx.tree.ancestors(read) if isinstance(one, (*_CHOICES, cst.BaseSuite))), None)
        is_above = id(up) in blocks and ctx.span(read).end <= ctx.span(at).start
        if not isinstance(ctx.tree.parent(read), cst.AssignTarget) and (is_above or id(up) == inside):
            return True
    return False


def _assignments(ctx: FileContext) -> list[tuple[cst.CSTNode, cst.BaseExpression, cst.CSTNode]]:
    """Every target of the file's assignments with its value, pieces of tuples as wholes of their own."""
    found: list[tuple[cst.CSTNode, cst.BaseExpression, cst.CSTNode]] = []
    for one in ctx.tree.of_type(cst.Assign):
        for target in one.targets:
            pieces = target.target.elements if isinstance(target.target, (cst.Tuple, cst.List)) else ()
            values = one.value.elements if isinstance(one.value, (cst.Tuple, cst.List)) else ()
            if pieces and len(pieces) == len(values):
                found += [(left.value, right.value, one) for left, right in zip(pieces, values)]
            else:
                found += [(piece.value, one.value, one) for piece in pieces] or [(target.target, one.value, one)]
    for note in ctx.tree.of_type(cst.AnnAssign):
        if note.value is not None:
            found.append((note.target, note.value, note))
    return found
