"""Whether a class can be given a ``device``: nothing has one, asks for one, or makes instances without it."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from devlint.analysis.guards.changing_flags import is_target
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import class_of, method_of, self_name
from devlint.analysis.names.resolution import attributes_named
from devlint.analysis.names.scopes import scopes
from devlint.analysis.owners.plain_bases import OWN_WAYS, has_plain_bases
from devlint.analysis.owners.read_whole import may_be_read_whole
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.attributes import set_from_outside
from devlint.analysis.project.mentions import is_unknown_elsewhere
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext, fact_of
from devlint.torch_api.device_naming import holds_options

_CLOSED = regex(r"slots|frozen|\.define\b")
"""What decorators of dataclasses and attrs say of instances that take no attribute."""

_ASKED = (cst.FunctionDef, cst.ClassDef, cst.AnnAssign, cst.Attribute, cst.Call)
_STATES = frozenset({"__getstate__", "__setstate__", "__reduce__"})
_ALL = regex(r"__dict__|\bvars\(|super\(")
"""What says that the state of an instance is all that it has."""


def is_free(ctx: FileContext, family: Sequence[cst.ClassDef], *attributes: str) -> bool:
    """Whether nothing gives a class, its bases or its subclasses a ``device``; no other file such an ``attribute``.

    Their instances take one, and run an ``__init__``.
    """
    if may_be_read_whole(ctx) or _are_made_bare(ctx, family) or ctx.fact(_gets_device_outside):
        return False
    return _takes_attribute(ctx, family, attributes) and not any(_may_have_device(ctx, one) for one in family)


def is_new(ctx: FileContext, family: Sequence[cst.ClassDef], name: str, *attributes: str) -> bool:
    """The same of another name for a device, a word that the project does not have."""
    if name in ctx.source.text or not is_unknown_elsewhere(project_around(ctx), name):
        return False
    if may_be_read_whole(ctx) or _are_made_bare(ctx, family):
        return False
    return _takes_attribute(ctx, family, attributes) and not any(_is_read_whole(ctx, one) for one in family)


def _takes_attribute(ctx: FileContext, family: Sequence[cst.ClassDef], attributes: tuple[str, ...]) -> bool:
    """Whether all that is known of some classes lets their instances take an attribute more."""
    return all(
        has_plain_bases(ctx, one, *attributes)
        and OWN_WAYS.isdisjoint(scopes(ctx).opened_by(one).bindings)
        and not any(_CLOSED.search(ctx.text_of(decorator)) for decorator in one.decorators)
        for one in family
    )


def _gets_device_outside(ctx: FileContext) -> bool:
    """Whether code of any file gives an object a device that holds no options, ``agent.device = …``, from outside."""
    own = (one for one in attributes_named(ctx, "device") if is_target(ctx, one))
    owners = [dotted_name(one.value) or "" for one in own]
    owners += [one.owner for one in set_from_outside(project_around(ctx), "device") or ()]
    return any(one not in ("self", "cls") and not holds_options(one.rpartition(".")[2]) for one in owners)


@fact_of
def _may_have_device(ctx: FileContext, definition: cst.ClassDef) -> bool:
    """Whether code of a class uses a ``device`` of its instance, or all that an instance has."""
    nodes = (one for one in ctx.tree.below(definition.body) if isinstance(one, _ASKED))
    return any(_may_be_device(ctx, one, "device", "__dict__") for one in nodes)


@fact_of
def _is_read_whole(ctx: FileContext, definition: cst.ClassDef) -> bool:
    """Whether code of a class uses all that an instance has."""
    nodes = (one for one in ctx.tree.below(definition.body) if isinstance(one, _ASKED))
    return any(_may_be_device(ctx, one, "__dict__") for one in nodes)


def _may_be_device(ctx: FileContext, node: cst.CSTNode, *attributes: str) -> bool:
    if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
        is_state = node.name.value in _STATES and _ALL.search(ctx.text_of(node)) is None
        return is_state or node.name.value in OWN_WAYS
    if isinstance(node, cst.AnnAssign) and isinstance(node.target, cst.Name):
        return node.target.value in OWN_WAYS and method_of(ctx, node) is None
    used = None
    if isinstance(node, cst.Attribute) and node.attr.value in attributes:
        used = node.value
    elif isinstance(node, cst.Call) and node.args and dotted_name(node.func) in ("setattr", "vars"):
        used = node.args[0].value
    method = method_of(ctx, node) if used is not None else None
    if method is None or method.name.value in _STATES:
        return False
    return used is not None and dotted_name(used) == self_name(method)


def _are_made_bare(ctx: FileContext, family: Sequence[cst.ClassDef]) -> bool:
    """Whether ``Net.__new__(Net)``, or ``cls.__new__(cls)``, makes an instance of a class without ``__init__``."""
    names = {one.name.value for one in family}
    for one in attributes_named(ctx, "__new__"):
        call, method = ctx.tree.parent(one), method_of(ctx, one)
        if isinstance(call, cst.Call) and call.args and (method is None or method.name.value != "__new__"):
            if dotted_name(call.args[0].value) in names or any(class_of(ctx, one) is kin for kin in family):
                return True
    return False
