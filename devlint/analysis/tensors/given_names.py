"""The names that a tensor is given, what certainly is one, and what it is made of, where it was before."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import libcst as cst

from devlint.analysis.names.classes import method_of
from devlint.analysis.names.reaching_definitions import certainly_bound
from devlint.analysis.names.resolution import sole_target, uses_of
from devlint.analysis.names.scopes import Scope, scopes
from devlint.analysis.names.string_literals import string_value
from devlint.analysis.tensors.factories import factory_call
from devlint.analysis.tensors.name_marks import marks
from devlint.analysis.tensors.shared_devices import SORTS, operand_of, result_on_same_device, tensor_of_two
from devlint.analysis.tensors.tensor_uses import is_used_as_tensor
from devlint.analysis.tensors.tensor_values import attribute_values, is_tensor
from devlint.syntax.file_context import FileContext, fact

_MOST_USES = 20
_MOST_STEPS = 12
_OF_GRADIENTS = ("backward", "grad", "requires_grad", "requires_grad_", "volatile")


def assigned_name(ctx: FileContext, node: cst.BaseExpression) -> str | None:
    """The only name that a statement gives a value."""
    target = sole_target(ctx, node)
    return target.value if target is not None else None


def names_given(ctx: FileContext, node: cst.BaseExpression) -> Iterator[tuple[cst.BaseExpression, str]]:
    """The name that a tensor is given, or those of what it is sorted into, each with the value of the statement."""
    name, method = assigned_name(ctx, node), ctx.tree.parent(node)
    if name is not None:
        yield node, name
    call = ctx.tree.parent(method) if isinstance(method, cst.Attribute) else None
    if not isinstance(call, cst.Call) or tensor_of_two(ctx, call, SORTS) is not node:
        return
    statement = ctx.tree.parent(call)
    if isinstance(statement, cst.Assign) and len(statement.targets) == 1:
        both = statement.targets[0].target
        for one in both.elements if isinstance(both, cst.Tuple) else ():
            if isinstance(one.value, cst.Name):
                yield call, one.value.value


def is_lasting(ctx: FileContext, node: cst.BaseExpression) -> bool:
    """Whether an expression is an attribute of the instance that only ``__init__`` gives a value, in another call."""
    values = attribute_values(ctx, node) if isinstance(node, cst.Attribute) else []
    here, *makers = (method_of(ctx, one) for one in (node, *values))
    return bool(values) and not _is_init(here) and all(map(_is_init, makers))


def _is_init(method: cst.FunctionDef | None) -> bool:
    return method is not None and method.name.value == "__init__"


def is_made_there(ctx: FileContext, call: cst.Call) -> bool:
    """Whether a call makes a tensor, or moves what is certainly one."""
    names_type = isinstance(call.func, cst.Attribute) and call.func.attr.value.endswith("Tensor")
    return names_type or factory_call(ctx, call) is not None or is_tensor(ctx, call)


def is_known_tensor(ctx: FileContext, node: cst.BaseExpression) -> bool:
    """Whether an expression is certainly a tensor, or a name, bound once, that is used as only tensors are."""
    scope = scopes(ctx).scope_of(node)
    if is_tensor(ctx, node):
        return True
    if not isinstance(node, cst.Name) or len(scope.bindings.get(node.value, ())) != 1:
        return False
    return any(is_used_as_tensor(ctx, one) for one in uses_of(ctx, scope, node.value)[:_MOST_USES])


def tensor_below(ctx: FileContext, scope: Scope | None, node: cst.BaseExpression) -> cst.BaseExpression | None:
    """The tensor that an expression is made of; not what may be a list or a dictionary of tensors: ``batch["x"]``.

    ``batch[0]`` is part of a tensor where the scope asks ``batch`` for its dimensions.
    """
    below = operand_of(ctx, node)
    if isinstance(node, cst.Attribute) and node.attr.value == "data" and isinstance(below, cst.Name):
        return below if _is_tensor_with_data(ctx, below) else None
    if not isinstance(node, cst.Subscript) or below is not node.value or not isinstance(below, cst.Name):
        return below
    index = node.slice[0].slice
    if len(node.slice) > 1 or not isinstance(index, cst.Index):
        return below
    is_text = string_value(index.value) is not None
    known = scope is not None and (id(scope.node), below.value, "size") in ctx.fact(marks)
    return below if known and not is_text else None


@fact
def _with_data(ctx: FileContext) -> dict[tuple[int, str], bool]:
    """Of which names it is known whether they are tensors: filled as they are needed."""
    return {}


def _is_tensor_with_data(ctx: FileContext, name: cst.Name) -> bool:
    """Whether ``x`` of ``x.data`` is a tensor, and no packed sequence or batch of an own class, without a device."""
    scope = scopes(ctx).binder(name.value, name)
    if scope is None:
        return False
    key, known = (id(scope.node), name.value), _with_data(ctx)
    if key not in known:
        asked = (ctx.tree.parent(one) for one in uses_of(ctx, scope, name.value))
        has_gradients = any(isinstance(one, cst.Attribute) and one.attr.value in _OF_GRADIENTS for one in asked)
        known[key] = (*key, "size") in ctx.fact(marks) or has_gradients or is_known_tensor(ctx, name)
    return known[key]


def is_tensor_at(ctx: FileContext, name: str, at: cst.Call) -> bool:
    """Whether a name, bound once, is certainly a tensor's at a place."""
    scope = scopes(ctx).scope_of(at)
    reads = uses_of(ctx, scope, name) if name in scope.bindings and certainly_bound(ctx, name, scope, at) else []
    return bool(reads) and is_known_tensor(ctx, reads[0])


def name_at_last(ctx: FileContext, call: cst.Call) -> str | None:
    """The name that a tensor is given, as it is made or after operations on it."""
    node: cst.BaseExpression = call
    for _ in range(_MOST_STEPS):
        around = result_on_same_device(ctx, node)
        if around is None:
            break
        node = around
    return assigned_name(ctx, node)


def indexes_several(ctx: FileContext, scope: Scope, name: str | None) -> bool:
    """Whether a name indexes several tensors: on the CPU it may do so wherever they are, and on a GPU it may not."""
    uses = uses_of(ctx, scope, name)[:_MOST_USES] if name is not None else []
    indexed = set()
    for use in uses:
        owner = next((one for one in islice(ctx.tree.ancestors(use), 4) if isinstance(one, cst.Subscript)), None)
        if owner is not None and not ctx.tree.is_around(owner.value, use):
            indexed.add(ctx.text_of(owner.value))
    return len(indexed) > 1
