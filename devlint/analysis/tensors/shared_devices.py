"""Operations that want their tensors on one device: what stands beside one of their operands."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.resolution import bindings, making_call, origin
from devlint.analysis.project.ask import project_around
from devlint.analysis.tensors.tensor_values import attribute_values
from devlint.core.record import Record
from devlint.syntax.call_arguments import keyword_argument, positional_argument
from devlint.syntax.file_context import FileContext
from devlint.torch_api.moves import MOVES, MOVES_ANYWHERE, PARTS
from devlint.torch_api.tensor_functions import FUNCTIONAL, KEPT, OPERATIONS
from devlint.torch_api.tensor_operands import (
    ARITHMETIC,
    FIRST_METHODS,
    INDEX_METHODS,
    LISTS,
    LOSS_LAYERS,
    allows_number,
)

SAME_DEVICE = KEPT - MOVES_ANYWHERE - {"type", "type_as", "pin_memory"} | {"ge", "gt", "le", "lt", "ne"}
"""Methods of a tensor that give one on the same device."""
_WRAPPERS = frozenset({"torch.autograd.Variable", "torch.autograd.variable.Variable"})
SORTS = frozenset({"sort", "topk"})
_TWO_RESULTS = SORTS | {"max", "min"}
_ELEMENT_OPERATORS = (cst.LessThan, cst.LessThanEqual, cst.GreaterThan, cst.GreaterThanEqual)


class Operand(Record, eq=False):
    """What stands beside an operand."""

    expression: cst.BaseExpression
    needs_size: bool = False
    """Whether a number, or a tensor without dimensions on another device, could stand there as well."""
    is_raw: bool = False
    """Whether a function of an extension takes it, which only reads its memory where it is contiguous."""
    index: cst.BaseExpression | None = None  # by which it is indexed


def operands_beside(ctx: FileContext, node: cst.BaseExpression) -> Iterator[Operand]:
    """The other operands of the operation that ``node`` is one of."""
    parent = ctx.tree.parent(node)
    if isinstance(parent, cst.BinaryOperation):
        yield Operand(parent.right if parent.left is node else parent.left, needs_size=True)
    elif isinstance(parent, (cst.Comparison, cst.ComparisonTarget)):
        yield from _compared(ctx, node, parent)
    elif isinstance(parent, cst.AugAssign) and parent.value is node:
        yield Operand(parent.target, needs_size=True)
    elif isinstance(parent, cst.Index):
        element = ctx.tree.parent(parent)
        subscript = ctx.tree.parent(element) if element is not None else None
        if isinstance(subscript, cst.Subscript):
            yield Operand(subscript.value, needs_size=True, index=node)
    elif isinstance(parent, cst.Element):
        whole = ctx.tree.parent(parent)
        arg = ctx.tree.parent(whole) if whole is not None else None
        call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) else None
        if isinstance(whole, (cst.List, cst.Tuple)) and isinstance(call, cst.Call) and call.args[0] is arg:
            if origin(ctx, call.func) in LISTS:
                yield from (Operand(one.value) for one in whole.elements if one is not parent)
    elif isinstance(parent, cst.Attribute):
        call = ctx.tree.parent(parent)
        if isinstance(call, cst.Call) and call.func is parent:
            yield from map(Operand, _tensors_of_method(parent.attr.value, call))
            if parent.attr.value in ARITHMETIC and call.args:
                yield Operand(call.args[0].value, needs_size=True)
    elif isinstance(parent, cst.Arg):
        call = ctx.tree.parent(parent)
        if isinstance(call, cst.Call) and not any(one.star for one in call.args):
            yield from _of_call(ctx, call, parent)


def like_what_it_becomes(ctx: FileContext, node: cst.BaseExpression) -> Iterator[Operand]:
    """``y`` of ``x.type_as(y)``, which goes to the device of ``y`` wherever ``x`` was."""
    method = ctx.tree.parent(node)
    call = ctx.tree.parent(method) if isinstance(method, cst.Attribute) and method.attr.value == "type_as" else None
    if isinstance(call, cst.Call) and call.func is method and len(call.args) == 1:
        yield Operand(call.args[0].value)


def _compared(ctx: FileContext, node: cst.BaseExpression, parent: cst.CSTNode) -> Iterator[Operand]:
    whole = parent if isinstance(parent, cst.Comparison) else ctx.tree.parent(parent)
    if isinstance(whole, cst.Comparison) and compares_elements(whole):
        yield Operand(whole.comparisons[0].comparator if whole.left is node else whole.left, needs_size=True)


def compares_elements(node: cst.Comparison) -> bool:
    """Whether a comparison of tensors gives one: ``x < y``."""
    return len(node.comparisons) == 1 and isinstance(node.comparisons[0].operator, _ELEMENT_OPERATORS)


def _tensors_of_method(method: str, call: cst.Call) -> list[cst.BaseExpression]:
    """The arguments of a tensor's method that are tensors on its device."""
    position = 1 if method in INDEX_METHODS else 0 if method in FIRST_METHODS else None
    found = [one.value for one in call.args if one.keyword is not None and one.keyword.value in ("index", "mask")]
    if position is not None and position < len(call.args) and call.args[position].keyword is None:
        found.append(call.args[position].value)
    return found if position is not None else []


def _of_call(ctx: FileContext, call: cst.Call, own: cst.Arg) -> Iterator[Operand]:
    """The other tensors of a call of a function, or of a method that ``own`` is given to."""
    called = origin(ctx, call.func)
    if called is None or not called.startswith("torch."):
        if _is_loss(ctx, call.func) and own.keyword is None and len(call.args) > 1 and own in call.args[:2]:
            yield Operand(call.args[1 if own is call.args[0] else 0].value)
        if isinstance(call.func, cst.Attribute) and own.value in _tensors_of_method(call.func.attr.value, call):
            yield Operand(call.func.value)
        if isinstance(call.func, cst.Attribute) and own is call.args[0]:
            method = call.func.attr.value
            if method == "backward" or method in ARITHMETIC:
                yield Operand(call.func.value, needs_size=method in ARITHMETIC and not method.endswith("_"))
        if is_extension(ctx, call.func):
            yield from (Operand(one.value, is_raw=True) for one in call.args if one is not own)
        return
    if called == "torch.autograd.grad":
        yield from (Operand(one, needs_size=True) for one in _outputs_of(call, own))  # or a list of one
        return
    found = list(_positions(called, call))
    if any(arg is own for arg, _ in found):
        yield from (Operand(arg.value, needs_size=needs) for arg, needs in found if arg is not own)


def _outputs_of(call: cst.Call, own: cst.Arg) -> list[cst.BaseExpression]:
    """What ``torch.autograd.grad(outputs, inputs, own)`` differentiates, which has gradients on its own device."""
    outputs = keyword_argument(call, "outputs") or positional_argument(call, 0)
    given = keyword_argument(call, "grad_outputs") or positional_argument(call, 2)
    return [outputs.value] if given is own and outputs is not None else []


def _is_loss(ctx: FileContext, function: cst.BaseExpression) -> bool:
    """Whether what is called is a loss of torch's: ``nn.BCELoss()``, or a name or attribute of it."""
    values = attribute_values(ctx, function) if isinstance(function, cst.Attribute) else [making_call(ctx, function)]
    made = [_unmoved(one) for one in values]
    return bool(made) and all(isinstance(one, cst.Call) and origin(ctx, one.func) in LOSS_LAYERS for one in made)


def has_no_weights(ctx: FileContext, move: cst.Call) -> bool:
    """Whether a call moves a loss that it makes without any tensor: ``nn.KLDivLoss().cuda()``."""
    made = _unmoved(move)
    if not isinstance(made, cst.Call) or made is move or origin(ctx, made.func) not in LOSS_LAYERS:
        return False
    return all(one.keyword is not None and one.keyword.value not in ("weight", "pos_weight") for one in made.args)


def _unmoved(node: cst.CSTNode | None) -> cst.CSTNode | None:
    """``nn.MSELoss()`` of ``nn.MSELoss().cuda()``."""
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in MOVES:
        return node.func.value
    return node


def _positions(called: str, call: cst.Call) -> Iterator[tuple[cst.Arg, bool]]:
    """The arguments of a function of torch that are tensors, and whether a number may stand in their place."""
    for position, arg in enumerate(call.args):
        needs = allows_number(called, position, arg.keyword.value if arg.keyword is not None else None)
        if needs is not None:
            yield arg, needs


def is_extension(ctx: FileContext, function: cst.BaseExpression) -> bool:
    """Whether a function is that of a module which is neither torch nor part of the project, as compiled code is."""
    root = (dotted_name(function) or "").partition(".")[0]
    if not root:
        return False
    imported = origin(ctx, function)
    if imported is not None:
        return not imported.startswith("torch.") and project_around(ctx).imported(imported) is None
    scope, found = bindings(ctx, root, function)
    calls = [one.value for one in found if one.how is How.ASSIGN and isinstance(one.value, cst.Call)]
    is_module = scope is not None and scope.parent is None and len(calls) == len(found) == 1
    return is_module and any("load" in (dotted_name(one.func) or "").rpartition(".")[2] for one in calls)


def result_on_same_device(ctx: FileContext, node: cst.BaseExpression) -> cst.BaseExpression | None:
    """The expression around a tensor that is one on its device: ``x.float()``, ``x[1:]``, ``Variable(x)``."""
    parent = ctx.tree.parent(node)
    if isinstance(parent, (cst.BinaryOperation, cst.UnaryOperation)):
        return None if isinstance(parent, cst.UnaryOperation) and isinstance(parent.operator, cst.Not) else parent
    if isinstance(parent, (cst.Comparison, cst.ComparisonTarget)):
        whole = parent if isinstance(parent, cst.Comparison) else ctx.tree.parent(parent)
        return whole if isinstance(whole, cst.Comparison) and compares_elements(whole) else None
    if isinstance(parent, cst.Subscript):
        return parent if parent.value is node else None
    if isinstance(parent, cst.Attribute):
        call = ctx.tree.parent(parent)
        if isinstance(call, cst.Call) and call.func is parent:
            return call if parent.attr.value in SAME_DEVICE else None
        return parent if parent.attr.value in PARTS else None
    call = ctx.tree.parent(parent) if isinstance(parent, cst.Arg) else None
    if isinstance(call, cst.Call) and isinstance(parent, cst.Arg):
        called = origin(ctx, call.func)
        is_result = parent.keyword is not None and parent.keyword.value == "out" and (called or "").startswith("torch.")
        is_first = call.args[0] is parent and _gives_same(called)
        return call if is_result or is_first or _is_second(call, parent, called) else None
    return None


def _is_second(call: cst.Call, own: cst.Arg, called: str | None) -> bool:
    """Whether a function of torch takes a tensor beside its first: ``torch.pow(2, x)``, ``torch.max(x, y)``."""
    is_there = len(call.args) > 1 and own is call.args[1] and own.keyword is None
    return is_there and called is not None and allows_number(called, 1, None) is not None


def _gives_same(called: str | None) -> bool:
    return called is not None and (called in OPERATIONS or called in _WRAPPERS or called.startswith(FUNCTIONAL))


def operand_of(ctx: FileContext, node: cst.BaseExpression) -> cst.BaseExpression | None:
    """The tensor that an expression is made of, on its device: what ``result_on_same_device`` is the result of."""
    below = _sole_operand(ctx, node)
    if below is None and isinstance(node, cst.BinaryOperation):
        name = _name_below(ctx, node.left)  # p * torch.log(p)
        return node.left if name is not None and name == _name_below(ctx, node.right) else None
    return below


def _name_below(ctx: FileContext, node: cst.BaseExpression) -> str | None:
    """The name that an expression is made of, and of no other tensor."""
    below: cst.BaseExpression | None = node
    while below is not None and not isinstance(below, cst.Name):
        below = _sole_operand(ctx, below)
    return below.value if below is not None else None


def _sole_operand(ctx: FileContext, node: cst.BaseExpression) -> cst.BaseExpression | None:
    if isinstance(node, cst.Call):
        if isinstance(node.func, cst.Attribute) and origin(ctx, node.func) is None:
            return node.func.value if node.func.attr.value in SAME_DEVICE else None
        is_plain = bool(node.args) and not node.args[0].star and node.args[0].keyword is None
        called = origin(ctx, node.func)
        place = 1 if called == "torch.where" and len(node.args) > 2 else 0
        is_plain = is_plain and node.args[place].keyword is None
        is_plain = is_plain and (called not in LISTS or isinstance(node.args[0].value, (cst.List, cst.Tuple)))
        return node.args[place].value if is_plain and _gives_same(called) else None
    if isinstance(node, cst.Subscript):
        return sorted_tensor(ctx, node, _TWO_RESULTS) or node.value
    if isinstance(node, cst.UnaryOperation):
        return node.expression if isinstance(node.operator, cst.Minus) else None
    if isinstance(node, cst.BinaryOperation):
        sides = [one for one in (node.left, node.right) if not is_literal_number(one)]
        return sides[0] if len(sides) == 1 else None
    return node.value if isinstance(node, cst.Attribute) and node.attr.value in PARTS else None


def is_literal_number(node: cst.BaseExpression) -> bool:
    """Whether an expression is a number as it is written: ``2``, ``-1``."""
    value = node.expression if isinstance(node, cst.UnaryOperation) else node
    return isinstance(value, (cst.Integer, cst.Float))


def sorted_tensor(
    ctx: FileContext, node: cst.BaseExpression, names: frozenset[str] = SORTS
) -> cst.BaseExpression | None:
    """``x`` of ``x.sort(0)[1]`` and ``torch.topk(x, 3)[1]``, which no list has."""
    return tensor_of_two(ctx, node.value, names) if isinstance(node, cst.Subscript) else None


def tensor_of_two(
    ctx: FileContext, call: cst.BaseExpression, names: frozenset[str] = _TWO_RESULTS
) -> cst.BaseExpression | None:
    """``x`` of ``x.max(1)`` and ``torch.topk(x, 3)``, which give two tensors on its device."""
    function = call.func if isinstance(call, cst.Call) else None
    if not isinstance(call, cst.Call) or not isinstance(function, cst.Attribute) or function.attr.value not in names:
        return None
    called = origin(ctx, function)
    along = call.args[0 if called is None else 1 :]
    is_certain = function.attr.value in SORTS or any(one.keyword or is_literal_number(one.value) for one in along[:1])
    if not is_certain or not (along or names is SORTS):
        return None  # x.max(y), or a list's own sort()
    if called is None:
        return function.value
    is_plain = bool(along) and not call.args[0].star and call.args[0].keyword is None
    return call.args[0].value if is_plain and called == f"torch.{function.attr.value}" else None
