"""Whether every instance of a class keeps the device that ``__init__`` gives it, from the time that it is made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import libcst as cst

from devlint.analysis.devices.device_values import device_value
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.classes import bases, classes_named, method_of, methods_named, self_name
from devlint.analysis.names.resolution import attributes_named
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.string_literals import string_value
from devlint.analysis.owners.initializers import initializes_base
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.attributes import AttributeAssignment, set_by_instances, set_from_outside
from devlint.analysis.project.classes import inherits
from devlint.analysis.project.overrides import may_skip_init
from devlint.syntax.file_context import FileContext, fact, fact_of
from devlint.torch_api.device_naming import holds_options

_STATES = frozenset("__getstate__ __setstate__ __reduce__ __reduce_ex__ __new__ __copy__ __deepcopy__".split())
"""Methods by which an instance may be made without ``__init__``, or without all of its attributes."""


@fact_of
def keeps_device(ctx: FileContext, definition: cst.ClassDef) -> bool:
    """Whether nothing gives instances of a class, or of one that inherits from it, no device, or one that is no GPU."""
    family = [definition, *classes_named(ctx, bases(ctx, definition))]
    heirs = [one for one in ctx.tree.of_type(cst.ClassDef) if definition.name.value in bases(ctx, one)]
    if any(_is_made_otherwise(ctx, one) or _has_in_body(ctx, one) for one in (*family, *heirs)):
        return False
    if any(_skips_init(ctx, one, family + heirs) or _has_another(ctx, one) for one in heirs):
        return False
    return not ctx.fact(_is_given_another) and not _has_other_heirs(ctx, [definition, *heirs])


def _is_made_otherwise(ctx: FileContext, definition: cst.ClassDef) -> bool:
    """Whether a class makes instances without ``__init__``, or says itself which attributes they have."""
    if any(methods_named(ctx, definition, one) for one in _STATES):
        return True
    for node in ctx.tree.below(definition.body):
        if isinstance(node, cst.Attribute) and node.attr.value == "__dict__":
            use = ctx.tree.parent(node)
            if isinstance(use, cst.Attribute) and use.attr.value == "update" or isinstance(use, cst.AssignTarget):
                return True
        if isinstance(node, cst.Call) and (dotted_name(node.func) or "").endswith("__new__"):
            return True
        if isinstance(node, cst.Call) and dotted_name(node.func) in ("setattr", "delattr") and len(node.args) > 1:
            if _is_own(ctx, node.args[0].value) and string_value(node.args[1].value) in (None, "device"):
                return True
        if isinstance(node, cst.Del) and any(_is_device(one) for one in (node.target, *ctx.tree.below(node.target))):
            return True
    return False


def _is_own(ctx: FileContext, node: cst.BaseExpression) -> bool:
    """Whether an expression is the instance of the method around it."""
    method = method_of(ctx, node)
    return method is not None and dotted_name(node) == self_name(method)


def _is_device(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Attribute) and node.attr.value == "device"


def _skips_init(ctx: FileContext, heir: cst.ClassDef, known: Sequence[cst.ClassDef]) -> bool:
    """Whether instances of an heir may be made without the ``__init__`` of its base."""
    first = dotted_name(heir.bases[0].value) if heir.bases else None
    if first not in {one.name.value for one in known}:
        return True
    inits = methods_named(ctx, heir, "__init__")
    return any(not any(map(initializes_base, ctx.tree.below(one.body))) for one in inits)


def _has_in_body(ctx: FileContext, definition: cst.ClassDef) -> bool:
    """Whether the body of a class gives all instances a device that is not known for a GPU."""
    found = scopes(ctx).opened_by(definition).bindings.get("device", ())
    return any(one.value is None or _is_no_known_gpu(ctx, one.value) for one in found if one.how is How.ASSIGN)


def _has_another(ctx: FileContext, heir: cst.ClassDef) -> bool:
    """Whether an heir has a device of its own that is not known for a GPU."""
    for node in ctx.tree.below(heir.body):
        if isinstance(node, (cst.FunctionDef, cst.ClassDef)) and node.name.value == "device":
            return True
        if isinstance(node, cst.Assign) and any(_is_device(one.target) for one in node.targets):
            if _is_no_known_gpu(ctx, node.value):
                return True
    return False


def _is_no_known_gpu(ctx: FileContext, value: cst.BaseExpression) -> bool:
    known = device_value(ctx, value)
    return known is None or not known.cuda


@fact
def _is_given_another(ctx: FileContext) -> bool:
    """Whether code of the project gives an object, not by its ``self``, a device that is not known for a GPU."""
    for one in attributes_named(ctx, "device"):
        target = ctx.tree.parent(one)
        assign = ctx.tree.parent(target) if isinstance(target, cst.AssignTarget) else None
        owner = (dotted_name(one.value) or "").rpartition(".")[2]
        if isinstance(assign, cst.Assign) and not _is_own(ctx, one.value) and not holds_options(owner):
            if _is_no_known_gpu(ctx, assign.value):
                return True
    outside = set_from_outside(project_around(ctx), "device")
    return outside is None or any(_may_be_cpu(one) for one in outside)


def _may_be_cpu(one: AttributeAssignment) -> bool:
    return not one.asks and not holds_options(one.owner.rpartition(".")[2])


def _has_other_heirs(ctx: FileContext, family: Iterable[cst.ClassDef]) -> bool:
    """Whether a class of another file inherits the device and may lack it, or give itself another."""
    project = project_around(ctx)
    names = [one.name.value for one in family]
    if any(may_skip_init(project, name) for name in names):
        return True
    setters = set_by_instances(project, "device")
    return setters is None or any(
        not one.asks and inherits(project, one.in_class, one.path, name) for one in setters for name in names
    )
