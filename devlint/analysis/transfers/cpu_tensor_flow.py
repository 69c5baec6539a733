"""Tensors that are made on the CPU, and the operands that they are combined with."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.reaching_definitions import may_reach
from devlint.analysis.names.resolution import bindings, origin, uses_of
from devlint.analysis.tensors.constructor_arguments import ArgumentKind, argument_kind
from devlint.analysis.tensors.factories import Factory, factory_call
from devlint.syntax.file_context import FileContext

_DEPTH = 4
KEEP_DEVICE = frozenset(
    "float half double long int bool byte view reshape permute transpose t unsqueeze squeeze contiguous detach clone "
    "expand repeat flatten sum mean cumsum masked_fill masked_fill_ fill_ zero_ normal_ uniform_ add_ mul_ random_ "
    "div_ exp log sqrt abs neg pow round floor clamp tril triu triu_ tril_ requires_grad_ view_as expand_as roll flip "
    "repeat_interleave cos sin argsort softmax log_softmax sigmoid tanh eq ne lt le gt ge".split()
)
_JOINS = frozenset("stack cat hstack vstack concat".split())
_OPS = frozenset(
    "tril triu exp log sqrt cos sin abs flip roll diag cumsum cumprod softmax sigmoid tanh flatten unsqueeze squeeze "
    "transpose outer meshgrid clamp pow square rsqrt repeat_interleave".split()
)
_TAKE_OTHER_DEVICES = frozenset(
    "copy_ to type_as expand_as view_as reshape_as is_same_size new_tensor index_put_ index_put append extend".split()
)
_MIX_DEVICES = frozenset("broadcast_tensors result_type is_same_size atleast_1d atleast_2d atleast_3d save".split())
"""Functions of torch that take tensors of several devices, since they use only shapes and types, or one at a time."""
_NO_TENSOR = frozenset("size dim numel ndimension cpu numpy tolist item stride data_ptr".split())
_METADATA = frozenset("shape device dtype ndim layout requires_grad".split())
_SET_DEFAULT_DEVICE = (b"set_default_device", b"set_default_tensor_type")


def made_on_cpu(ctx: FileContext, node: cst.CSTNode, depth: int = _DEPTH) -> bool:
    """Whether ``node`` is a tensor with dimensions that was made on the CPU, or computed from one that was."""
    if depth == 0 or not isinstance(node, (cst.Call, cst.Name, cst.BinaryOperation, cst.Subscript, cst.UnaryOperation)):
        return False
    if isinstance(node, cst.Call):
        return _call(ctx, node, depth - 1)
    if isinstance(node, cst.Name):
        scope, every = bindings(ctx, node.value, node)
        found = may_reach(ctx, scope, every, node) if scope is not None else []
        assigned = [one.value for one in found if one.how is How.ASSIGN and one.value is not None]
        return len(found) == len(assigned) == 1 and made_on_cpu(ctx, assigned[0], depth - 1)
    if isinstance(node, cst.BinaryOperation):
        return made_on_cpu(ctx, node.left, depth - 1) or made_on_cpu(ctx, node.right, depth - 1)
    if isinstance(node, cst.UnaryOperation):
        return made_on_cpu(ctx, node.expression, depth - 1)
    slices = [one.slice for one in node.slice]
    keeps = all(isinstance(one, cst.Slice) or _is_none_or_dots(one) for one in slices)
    return keeps and made_on_cpu(ctx, node.value, depth - 1)


def _is_none_or_dots(index: cst.BaseSlice) -> bool:
    """Whether an index adds or keeps dimensions: ``None``, ``...``."""
    if not isinstance(index, cst.Index):
        return False
    return isinstance(index.value, cst.Ellipsis) or (isinstance(index.value, cst.Name) and index.value.value == "None")


def _call(ctx: FileContext, call: cst.Call, depth: int) -> bool:
    if any(arg.keyword is not None and arg.keyword.value == "device" for arg in call.args):
        return False
    made = factory_call(ctx, call)
    if made is not None:
        return _is_made(ctx, made, depth)
    called = origin(ctx, call.func)
    if called is not None:
        owner, _, name = called.rpartition(".")
        if called == "torch.from_numpy":
            return True
        if owner != "torch" or not call.args:
            return False
        first = call.args[0].value
        if name in _JOINS and isinstance(first, (cst.List, cst.Tuple)):
            return bool(first.elements) and all(made_on_cpu(ctx, one.value, depth) for one in first.elements)
        return name in _OPS and made_on_cpu(ctx, first, depth)
    if not isinstance(call.func, cst.Attribute) or call.func.attr.value not in KEEP_DEVICE:
        return False
    whole = not call.args and call.func.attr.value in ("sum", "mean")
    return not whole and made_on_cpu(ctx, call.func.value, depth)


def _is_made(ctx: FileContext, made: Factory, depth: int) -> bool:
    if not made.takes_no_device or ctx.fact(_has_default_device) or _is_under_a_device(ctx, made.call):
        return False
    given = [arg for arg in made.call.args if arg.keyword is None]
    if made.is_like:
        return bool(given) and made_on_cpu(ctx, given[0].value, depth)
    if made.takes_data:
        return (
            bool(given)
            and argument_kind(ctx, given[0].value) is ArgumentKind.DATA
            and not _holds_tensors(given[0].value)
        )
    first = given[0].value if given else None
    empty = isinstance(first, (cst.List, cst.Tuple)) and not first.elements
    return made.name != "scalar_tensor" and not empty


def _holds_tensors(data: cst.BaseExpression) -> bool:
    """Whether a list may hold tensors, whose device is unknown."""
    if isinstance(data, (cst.List, cst.Tuple)):
        return any(_holds_tensors(one.value) for one in data.elements)
    return isinstance(data, cst.Call)


def _is_under_a_device(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a ``with`` around a factory may choose its device."""
    items = (item for one in ctx.tree.ancestors(node) if isinstance(one, cst.With) for item in one.items)
    return any("device" in ctx.text_of(item.item) for item in items)


def _has_default_device(ctx: FileContext) -> bool:
    return any(word.decode() in ctx.source.text for word in _SET_DEFAULT_DEVICE)


def other_operands(ctx: FileContext, node: cst.BaseExpression, depth: int = _DEPTH) -> Iterator[cst.BaseExpression]:
    """The other operands of operations with the value of ``node`` that want all tensors on one device.

    The value is followed through methods, arithmetic and names, but not into an index, which may be on the CPU.
    """
    parent = ctx.tree.parent(node)
    if depth == 0 or parent is None:
        return
    if isinstance(parent, cst.BinaryOperation):
        yield parent.right if parent.left is node else parent.left
        yield from other_operands(ctx, parent, depth)
    elif isinstance(parent, cst.UnaryOperation):
        yield from other_operands(ctx, parent, depth)
    elif isinstance(parent, cst.Attribute) and parent.value is node:
        call = ctx.tree.parent(parent)
        if (
            isinstance(call, cst.Call)
            and call.func is parent
            and parent.attr.value not in _NO_TENSOR | _TAKE_OTHER_DEVICES
        ):
            yield from (arg.value for arg in call.args)
            if parent.attr.value in KEEP_DEVICE:
                yield from other_operands(ctx, call, depth)
    elif isinstance(parent, cst.Subscript) and parent.value is node:
        if all(isinstance(one.slice, cst.Slice) or _is_none_or_dots(one.slice) for one in parent.slice):
            yield from other_operands(ctx, parent, depth)
    elif isinstance(parent, cst.Assign) and parent.value is node and len(parent.targets) == 1:
        yield from _by_name(ctx, parent.targets[0].target, depth - 1)
    else:
        yield from _in_call(ctx, node, parent)


def _by_name(ctx: FileContext, target: cst.CSTNode, depth: int) -> Iterator[cst.BaseExpression]:
    """The other operands met under a local name that has no other value."""
    if not isinstance(target, cst.Name):
        return
    scope, found = bindings(ctx, target.value, target)
    if scope is None or not scope.is_function or len(found) != 1:
        return
    for one in uses_of(ctx, scope, target.value):
        if one is not target:
            yield from other_operands(ctx, one, depth)


def _in_call(ctx: FileContext, node: cst.BaseExpression, parent: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    """What an argument is combined with: the other arguments of a function of torch, the receiver of a method."""
    arg: cst.CSTNode | None = parent
    if isinstance(parent, cst.Element):
        row = ctx.tree.parent(parent)
        arg = ctx.tree.parent(row) if row is not None else None
    call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) else None
    if not isinstance(call, cst.Call) or not isinstance(arg, cst.Arg):
        return
    called = origin(ctx, call.func) or ""
    if called.startswith("torch.") and called.rpartition(".")[2] in _MIX_DEVICES:
        return
    if called.startswith(("torch.nn.functional.", "torch.special.")) or (
        called.startswith("torch.") and called.count(".") == 1 and factory_call(ctx, call) is None
    ):
        yield from (one.value for one in call.args if one is not arg)
        if isinstance(parent, cst.Element) and isinstance(arg.value, (cst.List, cst.Tuple)):
            yield from (one.value for one in arg.value.elements if one is not parent)
    elif not called and isinstance(call.func, cst.Attribute) and call.func.attr.value not in _TAKE_OTHER_DEVICES:
        if (dotted_name(call.func) or "").count(".") == 1 or not isinstance(call.func.value, cst.Name):
            yield call.func.value


def derives_from(ctx: FileContext, node: cst.CSTNode, names: frozenset[str], depth: int = _DEPTH) -> bool:
    """Whether the value of ``node`` is computed from one of ``names``, beyond its shape, type and device."""
    if depth == 0:
        return False
    stack = [node]
    while stack:
        one = stack.pop()
        if isinstance(one, cst.Attribute):
            if one.attr.value not in _METADATA | _NO_TENSOR:
                stack.append(one.value)
        elif isinstance(one, cst.Call):
            if dotted_name(one.func) not in ("len", "int", "float", "range", "isinstance"):
                stack += [one.func, *(arg.value for arg in one.args)]
        elif isinstance(one, cst.Subscript):
            stack.append(one.value)
        elif isinstance(one, cst.Name):
            if one.value in names:
                return True
            _, found = bindings(ctx, one.value, one)
            values = [binding.value for binding in found if binding.how in (How.ASSIGN, How.UNPACK) and binding.value]
            if any(derives_from(ctx, value, names, depth - 1) for value in values):
                return True
        elif isinstance(one, (cst.BinaryOperation, cst.UnaryOperation, cst.Comparison, cst.IfExp, cst.List, cst.Tuple)):
            stack += [
                two
                for two in ctx.tree.below(one)
                if ctx.tree.parent(two) is one and isinstance(two, cst.BaseExpression)
            ]
            if isinstance(one, (cst.List, cst.Tuple)):
                stack += [element.value for element in one.elements]
    return False
