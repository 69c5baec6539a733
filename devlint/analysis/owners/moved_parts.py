"""Parts of a module that its own class moves, and what such parts make."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import libcst as cst

from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.classes import class_of, methods, methods_named, self_name
from devlint.analysis.names.reaching_definitions import may_reach
from devlint.analysis.names.resolution import bindings, origin, uses_of
from devlint.analysis.names.scopes import scopes
from devlint.syntax.file_context import FileContext, fact_of
from devlint.torch_api.moves import KEEPS_MODULE, MOVES, MOVES_ANYWHERE, are_conversion

_MOST_NAMES = 3
"""Through how many names a result is followed."""
_SIZES = frozenset(("len", "size", "shape"))


def names_no_device(ctx: FileContext, call: cst.Call) -> bool:
    """Whether a move only names a type: ``x.to(dtype)``, ``x.to(torch.float16)``."""
    if not isinstance(call.func, cst.Attribute) or call.func.attr.value != "to":
        return False
    given = [ctx.text_of(arg.value) for arg in call.args if arg.keyword is None]
    return are_conversion(given, [arg.keyword.value for arg in call.args if arg.keyword is not None])


def moves_module(ctx: FileContext, method: cst.FunctionDef, instance: str) -> bool:
    """Whether a method moves the module or a part of it, so that its weights may not be where they will be."""
    moved = _moved_parts(ctx, method, instance, MOVES_ANYWHERE)
    return any(name == instance or isinstance(ctx.tree.parent(last), cst.Expr) for name, last in moved)


def places_itself(ctx: FileContext, method: cst.FunctionDef, instance: str) -> bool:
    """Whether a method moves the instance or a part of it for good, so that its device may not be the program's before.

    ``self.net.cuda().eval()``, ``self.net = self.net.cuda()`` and ``self.net.cuda()(x)`` do.
    """
    for name, last in _moved_parts(ctx, method, instance, MOVES):
        parent = ctx.tree.parent(last)
        if name == instance or isinstance(parent, cst.Expr):
            return True
        if isinstance(parent, cst.Call) and parent.func is last:
            return True
        if isinstance(parent, cst.Assign) and method.name.value != "forward":
            if any(dotted_name(one.target) == name for one in parent.targets):
                return True
    return False


@fact_of
def is_in_parts(ctx: FileContext, definition: cst.ClassDef) -> bool:
    """Whether a class moves a part of its instance by itself, so that the others may be elsewhere."""
    for method in methods(definition):
        instance = self_name(method)
        for name, last in _moved_parts(ctx, method, instance, MOVES) if instance is not None else ():
            if name != instance and _is_kept_move(ctx, name, last):
                return True
    return False


@fact_of
def moved_attributes(ctx: FileContext, definition: cst.ClassDef) -> frozenset[str]:
    """The attributes of an instance that its class moves, for good or each time: ``grid`` of ``self.grid.cuda()``."""
    named = [(one, self_name(one)) for one in methods(definition)]
    moved = (name for one, own in named if own is not None for name, _ in _moved_parts(ctx, one, own, MOVES))
    return frozenset(name.split(".")[1] for name in moved if "." in name)


def _is_kept_move(ctx: FileContext, name: str, last: cst.CSTNode) -> bool:
    """Whether a move is a statement of its own, or its result becomes what was moved."""
    parent = ctx.tree.parent(last)
    is_result = isinstance(parent, cst.Assign) and any(dotted_name(one.target) == name for one in parent.targets)
    return isinstance(parent, cst.Expr) or is_result


@fact_of
def moves_results(ctx: FileContext, method: cst.FunctionDef) -> bool:
    """Whether a method moves what a part of its module makes: that part may be on another device than is meant."""
    instance = self_name(method)
    for call in ctx.tree.below(method.body):
        function = call.func if isinstance(call, cst.Call) else None
        if instance is not None and isinstance(function, cst.Attribute) and function.attr.value == "cuda":
            if _is_result(ctx, function.value, instance, _MOST_NAMES):
                return True
    return False


def _is_result(ctx: FileContext, node: cst.BaseExpression, instance: str, depth: int) -> bool:
    """Whether a part of the module is called to make an expression, here or where its name gets its value."""
    while True:
        if isinstance(node, cst.Call):
            called = dotted_name(node.func) or ""
            if called.startswith(f"{instance}.") and called.count(".") == 1 and not _makes_alone(ctx, node, instance):
                return True
            if not isinstance(node.func, cst.Attribute) or origin(ctx, node.func) is not None:
                return False
            node = node.func.value
        elif isinstance(node, (cst.Subscript, cst.Attribute)):
            node = node.value
        else:
            break
    if not isinstance(node, cst.Name) or not depth:
        return False
    scope, found = bindings(ctx, node.value, node)
    reaching = may_reach(ctx, scope, found, node) if scope is not None else ()
    values = (one.value for one in reaching if one.how in (How.ASSIGN, How.UNPACK) and one.value is not None)
    return any(_is_result(ctx, one, instance, depth - 1) for one in values)


def _makes_alone(ctx: FileContext, call: cst.Call, instance: str) -> bool:
    """Whether a call is of a method of the same class that asks nothing of the instance, and is given only sizes."""
    definition, called = class_of(ctx, call), (dotted_name(call.func) or "").rpartition(".")[2]
    found = list(methods_named(ctx, definition, called)) if definition is not None else []
    if len(found) != 1 or not all(_is_size(ctx, one) for one in call.args):
        return False
    own = self_name(found[0])
    return own is None or not uses_of(ctx, scopes(ctx).opened_by(found[0]), own)


def _is_size(ctx: FileContext, arg: cst.Arg) -> bool:
    """Whether an argument is a number, or what a tensor is asked for its size: ``len(x)``, ``x.size(0)``."""
    node = arg.value
    while isinstance(node, cst.Subscript):
        node = node.value
    function = node.func if isinstance(node, cst.Call) else node
    return isinstance(node, cst.Integer) or (dotted_name(function) or "").rpartition(".")[2] in _SIZES


def _moved_parts(
    ctx: FileContext, method: cst.FunctionDef, instance: str, moves: Collection[str]
) -> Iterator[tuple[str, cst.CSTNode]]:
    """What a method moves of the instance, each with the last call on it: ``eval`` of ``self.net.cuda().eval()``."""
    for call in ctx.tree.below(method.body):
        if (
            not isinstance(call, cst.Call)
            or not isinstance(call.func, cst.Attribute)
            or call.func.attr.value not in moves
        ):
            continue
        moved = dotted_name(same_module(call.func.value)) or ""
        if moved.partition(".")[0] == instance and not names_no_device(ctx, call):
            yield moved, _end_of_chain(ctx, call)


def same_module(node: cst.BaseExpression) -> cst.BaseExpression:
    """The module that methods are called on which give it back: ``net`` of ``net.half().eval()``."""
    while isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in KEEPS_MODULE:
        node = node.func.value
    return node


def _end_of_chain(ctx: FileContext, call: cst.CSTNode) -> cst.CSTNode:
    """The last of the methods that are called on the result of a call."""
    attribute = ctx.tree.parent(call)
    method = ctx.tree.parent(attribute) if isinstance(attribute, cst.Attribute) else None
    return _end_of_chain(ctx, method) if isinstance(method, cst.Call) and method.func is attribute else call
