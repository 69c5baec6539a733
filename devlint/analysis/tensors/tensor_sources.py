"""Where a tensor comes from: the names that it had before, on the same device."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.bindings import Binding, How
from devlint.analysis.names.reaching_definitions import reaching_definitions
from devlint.analysis.names.scopes import Scope, scopes
from devlint.analysis.tensors.dimensions import (
    gives_dimensions,
    is_as_large,
    is_beside_another,
    keeps_size,
    leaves_dimensions,
    makes_dimensions,
)
from devlint.analysis.tensors.given_names import tensor_below
from devlint.analysis.tensors.name_marks import asks_size, marks
from devlint.analysis.tensors.shared_devices import SORTS, Operand, operand_of, sorted_tensor, tensor_of_two
from devlint.core.record import Record
from devlint.syntax.file_context import FileContext

_MOST_STEPS = 12
_MOST_SIDES = 3
_OWNERS = ("self", "cls", "ctx")
_LOOPS = (cst.For, cst.While)
_PARTS_OF_LINES = (cst.BaseSmallStatement, cst.BaseCompoundStatement)
_STATEMENTS = (cst.SimpleStatementLine, cst.SimpleStatementSuite, cst.BaseCompoundStatement)


class TensorSource(Record, eq=False):
    """The names that a tensor comes from, without a move, the first one last."""

    names: tuple[str, ...]
    has_size: bool
    """Whether it certainly has dimensions."""
    is_raw: bool
    """Whether its memory is in order, as what reads it directly wants it."""


def tensor_source(
    ctx: FileContext, node: cst.BaseExpression, scope: Scope, sides: int = _MOST_SIDES
) -> TensorSource | None:
    """Where a tensor comes from, through so many operations on two tensors; None where that is not clear."""
    names: list[str] = []
    keeps, certain, sized, raw = True, False, False, False
    known = ctx.fact(marks)
    for _ in range(_MOST_STEPS):
        if isinstance(node, cst.Name):
            if node.value in names or scopes(ctx).binder(node.value, node) is not scope:
                return None
            names.append(node.value)
            certain = certain or (
                keeps and ((id(scope.node), node.value, "size") in known or _is_sized_there(ctx, node))
            )
            value = _sole_assigned(ctx, scope, node)
            if value is None:
                inner = _sized_side(ctx, _only_value(scope, node), scope, sides)
                names += inner.names if inner is not None else ()
                sized = sized or inner is not None
                break
            node = value
        below = tensor_of_two(ctx, node) or tensor_below(ctx, scope, node) if not isinstance(node, cst.Name) else node
        certain = certain or (keeps and gives_dimensions(ctx, node))
        if below is None or is_beside_another(ctx, node):
            inner = _sized_side(ctx, node, scope, sides)
            names += inner.names if inner is not None else ()
            sized = sized or inner is not None
            break
        keeps = keeps and (below is node or keeps_size(ctx, node))
        sized = sized or sorted_tensor(ctx, node) is not None or leaves_dimensions(ctx, node)
        raw = raw or (isinstance(node, cst.Call) and _method(node) == "contiguous")
        node = below
    kept = [name for name in names if is_steady(ctx, scope, name)]
    if not names or kept != names:
        return None
    has_size = certain or (keeps and sized)
    is_raw = raw or any((id(scope.node), name, "raw") in known for name in names)
    return TensorSource(tuple(names), has_size, is_raw)


def _only_value(scope: Scope, name: cst.Name) -> cst.BaseExpression | None:
    found = scope.bindings[name.value]
    return found[0].value if len(found) == 1 and found[0].how is How.ASSIGN else None


def _sized_side(ctx: FileContext, node: cst.BaseExpression | None, scope: Scope, sides: int) -> TensorSource | None:
    """What one side of ``x - y`` comes from that has dimensions: the other one, if it is a tensor, is beside it.

    Likewise the first tensor of a call that takes two: ``x.sub(y)``.
    """
    if node is None or not sides:
        return None
    first = tensor_below(ctx, scope, node) if is_beside_another(ctx, node) else None
    both = [node.left, node.right] if isinstance(node, cst.BinaryOperation) else [first] if first is not None else []
    found = (tensor_source(ctx, one, scope, sides - 1) for one in both)
    return next((one for one in found if one is not None and one.has_size), None)


def moved_source(ctx: FileContext, call: cst.Call, scope: Scope) -> TensorSource | None:
    """What a tensor is made of that a call moves, by the line of the block that has given it its name."""
    node: cst.BaseExpression | None = call.func.value if isinstance(call.func, cst.Attribute) else None
    while node is not None and not isinstance(node, (cst.Name, cst.BinaryOperation)):
        node = operand_of(ctx, node)
    if isinstance(node, cst.Name) and scopes(ctx).binder(node.value, node) is scope:
        before = [one for one in scope.bindings[node.value] if ctx.span(one.node).end < ctx.span(call).start]
        last = max(before, key=lambda one: ctx.span(one.node).start, default=None)
        line = next((one for one in ctx.tree.ancestors(call) if isinstance(one, cst.SimpleStatementLine)), None)
        given = ctx.tree.parent(last.node) if last is not None and last.how is How.ASSIGN else None
        is_beside = given is not None and line is not None and ctx.tree.parent(given) is ctx.tree.parent(line)
        node = last.value if last is not None and is_beside else None
    found = tensor_source(ctx, node, scope) if node is not None else None
    return found if found is not None and found.has_size else None


class _Innermost(Record, eq=False):
    """The variable that a tensor is made of."""

    name: cst.Name | None
    keeps: bool
    """Whether the tensor has dimensions if the variable has some."""
    sized: bool
    """Whether it has some in any case."""
    is_beside: bool
    """Whether it is only on the device of the variable if that has dimensions."""


def _innermost(ctx: FileContext, node: cst.BaseExpression, scope: Scope) -> _Innermost:
    keeps, sized, is_beside = True, False, False
    for _ in range(_MOST_STEPS):
        below = tensor_below(ctx, scope, node) if not isinstance(node, cst.Name) else None
        if below is None:
            break
        keeps, sized = keeps and keeps_size(ctx, node), sized or leaves_dimensions(ctx, node)
        is_beside = is_beside or is_beside_another(ctx, node)
        node = below
    is_own = isinstance(node, cst.Name) and node.value not in _OWNERS
    name = node if is_own and isinstance(node, cst.Name) and scopes(ctx).binder(node.value, node) is scope else None
    return _Innermost(name, keeps, sized, is_beside)


def unchanged_source(
    ctx: FileContext, node: cst.BaseExpression, scope: Scope, since: cst.CSTNode, is_sized: bool = False
) -> TensorSource | None:
    """The name that a tensor comes from, where it means the same at ``since`` and, further down, at ``node``.

    So it is with ``x`` in ``m = torch.zeros(x.size(0)).cuda()`` and ``x = x * m``: whatever ``x`` was and will be.
    """
    found = _innermost(ctx, node, scope)
    name, keeps, sized = found.name, found.keeps, found.sized
    if name is None:
        return None
    here, there = (
        next((up for up in ctx.tree.ancestors(one) if isinstance(up, _PARTS_OF_LINES)), None) for one in (name, since)
    )
    mark = ctx.fact(marks).get((id(scope.node), name.value, "size"))
    start, end = ctx.span(since).start, ctx.span(name).start
    loop = next((one for one in ctx.tree.ancestors(since) if isinstance(one, (*_LOOPS, cst.FunctionDef))), since)
    has_size = keeps and mark is not None and ctx.span(loop).start < mark < ctx.span(since).end
    for one in scope.bindings[name.value]:
        at = ctx.span(one.node).start
        is_given = there is not None and (one.node is there or ctx.tree.is_around(there, one.node))  # x = x.cuda()
        if (is_given or start < at < end) and one.node is not here:
            return None
        if mark is not None and mark < at < start and not ctx.tree.is_around(one.node, since):
            has_size = False
    has_size = has_size or (keeps and (sized or _is_sized_there(ctx, name)))
    return TensorSource((name.value,), has_size, False) if has_size or is_sized or not found.is_beside else None


def _is_sized_there(ctx: FileContext, name: cst.Name) -> bool:
    """Whether what a name stands for at a place has dimensions, by the lines that give it its value."""
    values = [one.value if one.how is How.ASSIGN else None for one in reaching_definitions(ctx, name)]
    sized = (one is not None and (gives_dimensions(ctx, one) or leaves_dimensions(ctx, one)) for one in values)
    return bool(values) and all(sized)


def parameter_source(ctx: FileContext, node: cst.BaseExpression, scope: Scope) -> TensorSource | None:
    """The parameter that a tensor comes from, where the function gives that name another value from there on only.

    So it is with ``x`` in ``x = x * mask``: until then it is what the function was called with.
    """
    found = _innermost(ctx, node, scope)
    name = found.name
    if name is None:
        return None
    first, *others = scope.bindings[name.value]
    statement = next((one for one in ctx.tree.ancestors(name) if isinstance(one, _STATEMENTS)), None)
    if first.how is not How.PARAMETER or statement is None or _in_loop(ctx, name, scope):
        return None
    start = ctx.span(statement).start
    others = [one for one in others if one.how is not How.DELETE]
    if any(one.how is not How.ASSIGN or ctx.span(one.node).start < start for one in others):
        return None
    has_size = found.keeps and (found.sized or asks_size(ctx, scope, name.value, name))
    return TensorSource((name.value,), has_size, False) if has_size or not found.is_beside else None


def _in_loop(ctx: FileContext, node: cst.CSTNode, scope: Scope) -> bool:
    """Whether a node of a function is in a loop, which may come back to it."""
    for one in ctx.tree.ancestors(node):
        if one is scope.node:
            return False
        if isinstance(one, _LOOPS):
            return True
    return True


def is_of_that_size(ctx: FileContext, made: cst.Call, node: cst.BaseExpression, scope: Scope) -> bool:
    """Whether a call makes something of the size of the variable that a tensor is made of, which is the same at both.

    So it is with ``torch.rand(x.shape)`` and ``x.log()``.
    """
    found = _innermost(ctx, node, scope)
    is_same = found.name is not None and found.keeps and is_as_large(ctx, made, found.name)
    return is_same and unchanged_source(ctx, node, scope, made, is_sized=True) is not None


def is_indexed_by_rows(ctx: FileContext, made: cst.Call, operand: Operand) -> bool:
    """Whether what stands beside a tensor is indexed by it, as nothing without dimensions is by one that has some."""
    node, scope = operand.index, scopes(ctx).scope_of(made)
    for _ in range(_MOST_STEPS):
        if node is made:
            return makes_dimensions(ctx, made)
        if isinstance(node, cst.Name):
            found = scope.bindings.get(node.value, []) if scopes(ctx).binder(node.value, node) is scope else []
            value = found[0].value if len(found) == 1 else None
            node = tensor_of_two(ctx, value, SORTS) if value is not None and found[0].how is How.UNPACK else value
        elif node is not None:
            node = operand_of(ctx, node) if keeps_size(ctx, node) else None
    return False


def _method(call: cst.Call) -> str:
    return call.func.attr.value if isinstance(call.func, cst.Attribute) else ""


def _sole_assigned(ctx: FileContext, scope: Scope, name: cst.Name) -> cst.BaseExpression | None:
    """The only value of a name, where that is made of another tensor on its device."""
    found = scope.bindings[name.value]
    value = found[0].value if len(found) == 1 and found[0].how in (How.ASSIGN, How.UNPACK) else None
    node = value if value is None or found[0].how is How.ASSIGN else tensor_of_two(ctx, value)
    if node is None:
        return None
    for _ in range(_MOST_STEPS):
        below = tensor_below(ctx, scope, node)
        if below is None:
            break
        node = below
    return value if isinstance(node, cst.Name) and scopes(ctx).binder(node.value, node) is scope else None


def is_steady(ctx: FileContext, scope: Scope, name: str) -> bool:
    """Whether a name is bound once, or else only to what is made of its own value on the same device."""
    first, *others = scope.bindings[name]
    if first.how not in (How.PARAMETER, How.ASSIGN, How.UNPACK, How.LOOP) or name in _OWNERS:
        return False
    return all(one.how is How.DELETE or is_made_of_itself(ctx, one, name) for one in others)


def is_made_of_itself(ctx: FileContext, binding: Binding, name: str) -> bool:
    """Whether a binding is like ``x = x.contiguous()``."""
    node = binding.value if binding.how is How.ASSIGN else None
    is_sized = (id(scopes(ctx).scope_of(binding.node).node), name, "size") in ctx.fact(marks)
    for _ in range(_MOST_STEPS):
        if node is None or isinstance(node, cst.Name):
            break
        if not is_sized and is_beside_another(ctx, node):
            return False
        node = tensor_below(ctx, None, node)
    return isinstance(node, cst.Name) and node.value == name
