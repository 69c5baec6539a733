"""Flags that are switched on where there is CUDA: ``gpu = False``, and then ``if is_available(): gpu = True``."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.guards.changing_flags import is_set_by_name, is_set_elsewhere, is_target
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.classes import class_of, method_of, self_name
from devlint.analysis.names.control_flow import index_in, statements
from devlint.analysis.names.resolution import attributes_named, bindings, origin
from devlint.analysis.names.scopes import scopes
from devlint.syntax.comparisons import joined_parts
from devlint.syntax.file_context import FileContext

_ON, _OFF = frozenset({"True", "1"}), frozenset({"False", "0"})
_CARDS = "torch.cuda.device_count"


def is_switched_by_cuda(ctx: FileContext, dotted: str, at: cst.CSTNode) -> bool:
    """Whether a flag is switched off, and on below ``if torch.cuda.is_available():`` alone, all before ``at``.

    An attribute of an instance has to be set so in its ``__init__``, and nowhere else.
    """
    found = _assignments(ctx, dotted, at)
    on = [one for one in found if ctx.text_of(one.value) in _ON]
    off = [one for one in found if ctx.text_of(one.value) in _OFF]
    if len(on) != 1 or len(off) != 1 or len(found) != 2:
        return False
    test, default = _owner(ctx, on[0]), _owner(ctx, off[0])
    if not isinstance(test, cst.If) or not _asks_for_cuda(ctx, test.test) or not _is_above(ctx, test, at, dotted):
        return False
    if _may_change(ctx, dotted, at):
        return False
    if isinstance(default, cst.Else):
        return default is test.orelse
    block, line = ctx.tree.parent(test), ctx.tree.parent(off[0])
    first = index_in(ctx, block, line) if block is not None and line is not None else None
    second = index_in(ctx, block, test) if block is not None else None
    return test.orelse is None and first is not None and second is not None and first < second


def _assignments(ctx: FileContext, dotted: str, at: cst.CSTNode) -> list[cst.Assign]:
    """All that gives a name or an attribute a value; none where something else may do so, too."""
    if "." not in dotted:
        _, bound = bindings(ctx, dotted, at)
        nodes = [ctx.tree.parent(one.value) for one in bound if one.how is How.ASSIGN and one.value is not None]
        plain = [one for one in nodes if isinstance(one, cst.Assign)]
        return plain if len(plain) == len(bound) else []
    definition, method = class_of(ctx, at), method_of(ctx, at)
    instance, _, attribute = dotted.partition(".")
    if definition is None or method is None or instance != self_name(method) or "." in attribute:
        return []
    uses = [one for one in attributes_named(ctx, attribute) if is_target(ctx, one)]
    lines = [ctx.tree.parent(ctx.tree.parent(one) or one) for one in uses]
    plain = [one for one in lines if isinstance(one, cst.Assign) and class_of(ctx, one) is definition]
    return plain if len(plain) == len(uses) and all(dotted_name(one) == dotted for one in uses) else []


def _may_change(ctx: FileContext, dotted: str, at: cst.CSTNode) -> bool:
    """Whether another file, or ``setattr``, may set an attribute of the instances of a class."""
    definition, attribute = class_of(ctx, at), dotted.partition(".")[2]
    if not attribute or definition is None:
        return False
    return is_set_by_name(ctx, attribute) or is_set_elsewhere(ctx, definition, attribute)


def _owner(ctx: FileContext, assign: cst.Assign) -> cst.CSTNode | None:
    """What holds the block of a statement."""
    line = ctx.tree.parent(assign)
    block = ctx.tree.parent(line) if isinstance(line, cst.SimpleStatementLine) else line
    return ctx.tree.parent(block) if block is not None else None


def _asks_for_cuda(ctx: FileContext, test: cst.BaseExpression) -> bool:
    """Whether a test is ``torch.cuda.is_available()``, or that and ``torch.cuda.device_count() > 0``."""
    first, *others = joined_parts(test, cst.And)
    asks = isinstance(first, cst.Call) and origin(ctx, first.func) == "torch.cuda.is_available"
    return asks and all(_counts_any(ctx, one) for one in others)


def _counts_any(ctx: FileContext, test: cst.BaseExpression) -> bool:
    if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1 or not isinstance(test.left, cst.Call):
        return False
    only = test.comparisons[0]
    is_zero = isinstance(only.comparator, cst.Integer) and only.comparator.evaluated_value == 0
    return is_zero and isinstance(only.operator, cst.GreaterThan) and origin(ctx, test.left.func) == _CARDS


def _is_above(ctx: FileContext, test: cst.If, at: cst.CSTNode, dotted: str) -> bool:
    """Whether a statement of a function, a module or ``__init__`` has run wherever ``at`` does."""
    block, method = ctx.tree.parent(test), method_of(ctx, at)
    if "." not in dotted or method_of(ctx, test) is method:
        same = scopes(ctx).scope_of(at) is scopes(ctx).scope_of(test)
        around = block is not None and ctx.tree.is_around(block, at)
        return same and around and ctx.span(test).end <= ctx.span(at).start
    init = method_of(ctx, test)
    if init is None or method is None or init.name.value != "__init__" or block is not init.body:
        return False
    before = [one for one in statements(init.body) if ctx.span(one).start <= ctx.span(test).start]
    names = (node for one in before for node in ctx.tree.below(one) if isinstance(node, cst.Name))
    return all(one.value != method.name.value for one in names)
