"""Whether what a method of a module puts on a GPU meets the module, or what it is given: then they are one place."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import class_of, instance_name, method_of
from devlint.analysis.names.resolution import origin, targets_named
from devlint.analysis.tensors.made_values import SAY_NO_PLACE, is_made_of_any, names_assigned, value_given
from devlint.syntax.file_context import FileContext, fact_of
from devlint.torch_api.moves import MOVES

_OPERATIONS = (cst.Call, cst.BinaryOperation, cst.Comparison, cst.Subscript, cst.AugAssign)
_HOLDERS = frozenset("dict list tuple zip print isinstance enumerate".split())
"""Functions in which two tensors may be together, and none meets the other."""
_WEIGHTS = ("weight", "bias")
_ROUNDS = 2


@fact_of
def meets_module(ctx: FileContext, at: cst.CSTNode) -> bool:
    """Whether one operation takes what is put at ``at`` and what the method is given or a part of the module makes.

    What a method only gives back, or adds to something of its own, may be wanted elsewhere than where the module is.
    """
    definition, method = class_of(ctx, at), method_of(ctx, at)
    instance = instance_name(ctx, definition, method) if definition is not None and method is not None else None
    if method is None or instance is None:
        return True
    if _is_computed_by_part(ctx, at, instance):
        return True
    moved = _moved(ctx, at)
    statements = [one for one in ctx.tree.below(method.body) if isinstance(one, (cst.BaseSmallStatement, cst.For))]
    given = [*method.params.posonly_params, *method.params.params, *method.params.kwonly_params]
    others = frozenset(one.name.value for one in given) - {instance}
    made: frozenset[str] = frozenset()
    for _ in range(_ROUNDS):
        for one in statements:
            value = value_given(one)
            if value is None:
                continue
            if value is moved or ctx.tree.is_around(value, moved) or is_made_of_any(ctx, value, made):
                made |= names_assigned(one)
            if is_made_of_any(ctx, value, others) or any(
                _is_part(ctx, node, instance) for node in ctx.tree.below(value)
            ):
                others |= names_assigned(one)
    own, met = set[int](), set[int]()
    for node in ctx.tree.below(method.body):
        if node is moved:
            own.update(_operations(ctx, node, moved))
        elif isinstance(node, (cst.Name, cst.Attribute)) and not ctx.tree.is_around(moved, node):
            name = dotted_name(node)
            if name in made:
                own.update(_operations(ctx, node, moved))
            elif name in others or _is_part(ctx, node, instance):
                met.update(_operations(ctx, node, moved))
    return not own.isdisjoint(met)


def _is_computed_by_part(ctx: FileContext, at: cst.CSTNode, instance: str) -> bool:
    """Whether a part of the module computes it: ``self.fc(x)``."""
    if not isinstance(at, cst.Call) or (isinstance(at.func, cst.Attribute) and at.func.attr.value in MOVES):
        return False
    return _is_part(ctx, at.func, instance)


def _moved(ctx: FileContext, at: cst.CSTNode) -> cst.CSTNode:
    """What makes the tensor: the move, or the call around a device."""
    if isinstance(at, cst.Call):
        return at
    return next((one for one in ctx.tree.ancestors(at) if isinstance(one, cst.Call)), at)


def _is_part(ctx: FileContext, node: cst.CSTNode, instance: str) -> bool:
    """Whether a node is a part of the module that is called, or a weight: ``self.fc(x)``, ``self.fc.weight``."""
    name, parent = dotted_name(node), ctx.tree.parent(node)
    is_called = isinstance(parent, cst.Call) and parent.func is node
    if name is None or (name == instance and not is_called) or name.partition(".")[0] != instance:
        return False
    if is_called:
        return True
    return name.endswith(_WEIGHTS) or any(_makes_weight(ctx, one) for one in targets_named(ctx, name))


def _makes_weight(ctx: FileContext, target: cst.CSTNode) -> bool:
    up = ctx.tree.parent(target)
    assign = ctx.tree.parent(up) if isinstance(up, cst.AssignTarget) else up
    value = assign.value if isinstance(assign, (cst.Assign, cst.AnnAssign)) else None
    return isinstance(value, cst.Call) and (dotted_name(value.func) or "").endswith("Parameter")


def _operations(ctx: FileContext, node: cst.CSTNode, moved: cst.CSTNode) -> Iterator[int]:
    """The operations that a value takes part in, by their identity."""
    for child, parent in ctx.tree.path_up(node):
        if isinstance(parent, (cst.BaseCompoundStatement, cst.IndentedBlock)):
            return
        if isinstance(parent, cst.Attribute) and parent.attr.value in SAY_NO_PLACE:
            return
        if isinstance(parent, cst.Call) and parent is not moved and _is_move(parent, child):
            return
        if isinstance(parent, _OPERATIONS) and not _only_holds(ctx, parent):
            yield id(parent)
        if isinstance(parent, cst.Assign) and any(isinstance(one.target, cst.Subscript) for one in parent.targets):
            yield id(parent)


def _is_move(call: cst.Call, child: cst.CSTNode) -> bool:
    return call.func is child and isinstance(call.func, cst.Attribute) and call.func.attr.value in MOVES


def _only_holds(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a call keeps what it is given together: ``dict(a=x, b=y)``, ``Output(x, y)``."""
    if not isinstance(node, cst.Call):
        return False
    name = (dotted_name(node.func) or "").rpartition(".")[2]
    is_class = name[:1].isupper() and not (origin(ctx, node.func) or "").startswith("torch.")
    return name in _HOLDERS or is_class
