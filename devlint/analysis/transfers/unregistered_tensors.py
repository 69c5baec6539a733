"""Tensors that an nn.Module keeps as plain attributes, which do not follow it to another device."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import is_module, methods, self_name
from devlint.analysis.names.control_flow import statements
from devlint.analysis.transfers.cpu_tensor_flow import derives_from, made_on_cpu, other_operands
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.syntax.file_context import FileContext

_MOVES_ITSELF = frozenset("to cuda cpu _apply type float half".split())
_MOVE_OR_QUERY = frozenset("to cuda cpu type type_as device numpy tolist item is_cuda get_device".split())
_NUMBER = regex(r"(?:Optional\[)?(?:int|float|bool|str|List\[int\]|list|dict|tuple)\b")


class UnregisteredAttribute(Record, eq=False):
    """``self.mask = torch.ones(4)`` in ``__init__``."""

    statement: cst.Assign
    instance: str
    attribute: str
    after_init: bool
    """Whether nn.Module's own ``__init__`` has run, without which nothing can be registered."""


def unregistered_attributes(ctx: FileContext, definition: cst.ClassDef) -> Iterator[UnregisteredAttribute]:
    """The attributes of a module that its methods combine with their arguments."""
    own = {one.name.value: one for one in methods(definition)}
    init = own.get("__init__")
    instance = self_name(init) if init is not None else None
    if init is None or instance is None or own.keys() & _MOVES_ITSELF or not is_module(ctx, definition):
        return
    ready = False
    for statement in statements(init.body):
        ready = ready or (isinstance(statement, cst.SimpleStatementLine) and ".__init__(" in ctx.text_of(statement))
        for small in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
            name = _attribute(small, instance)
            if name is None or not isinstance(small, cst.Assign) or not made_on_cpu(ctx, small.value):
                continue
            if _is_used(ctx, definition, small, name):
                yield UnregisteredAttribute(small, instance, name, ready)


def _attribute(statement: cst.CSTNode, instance: str) -> str | None:
    """``mask`` of ``self.mask = ...``."""
    if not isinstance(statement, cst.Assign) or len(statement.targets) != 1:
        return None
    owner, _, name = (dotted_name(statement.targets[0].target) or "").partition(".")
    return name if owner == instance and name and "." not in name else None


def _is_used(ctx: FileContext, definition: cst.ClassDef, statement: cst.Assign, name: str) -> bool:
    """Whether an attribute is combined with a method's argument, and the class nowhere moves it or sets it again."""
    meets = False
    for method in methods(definition):
        instance = self_name(method)
        for one in ctx.tree.below(method.body):
            if instance is None or not isinstance(one, cst.Attribute) or dotted_name(one) != f"{instance}.{name}":
                continue
            if one is statement.targets[0].target:
                continue
            if _is_moved_or_queried(ctx, one):
                return False
            if method.name.value != "__init__" and not meets:
                names = _inputs(ctx, method)
                meets = bool(names) and any(derives_from(ctx, other, names) for other in other_operands(ctx, one))
    return meets


def _is_moved_or_queried(ctx: FileContext, use: cst.Attribute) -> bool:
    """Whether a use moves the attribute, queries its device, or sets it."""
    parent = ctx.tree.parent(use)
    if isinstance(parent, (cst.AssignTarget, cst.AugAssign, cst.AnnAssign, cst.Del)):
        return not isinstance(parent, cst.AugAssign) or parent.target is use
    child: cst.CSTNode = use
    while isinstance(parent, (cst.Attribute, cst.Call, cst.Subscript)):
        if isinstance(parent, cst.Attribute) and parent.attr.value in _MOVE_OR_QUERY:
            return True
        if isinstance(parent, cst.Call) and parent.func is not child:
            return False
        child, parent = parent, ctx.tree.parent(parent)
    if isinstance(parent, cst.Arg):
        call = ctx.tree.parent(parent)
        return (
            isinstance(call, cst.Call)
            and isinstance(call.func, cst.Attribute)
            and call.func.attr.value in _MOVE_OR_QUERY
        )
    if isinstance(parent, cst.Assign):
        local = dotted_name(parent.targets[0].target) or ""
        return any(f"{local}.{word}(" in ctx.source.text for word in ("to", "cuda", "type_as"))
    return False


def _inputs(ctx: FileContext, method: cst.FunctionDef) -> frozenset[str]:
    """The parameters of a method that may be tensors."""
    given = [*method.params.posonly_params, *method.params.params, *method.params.kwonly_params][1:]
    return frozenset(one.name.value for one in given if not _is_number(ctx, one))


def _is_number(ctx: FileContext, parameter: cst.Param) -> bool:
    annotated = parameter.annotation is not None and _NUMBER.match(ctx.text_of(parameter.annotation.annotation))
    return bool(annotated) or isinstance(parameter.default, (cst.BaseNumber, cst.BaseString))
