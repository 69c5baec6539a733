"""What a test says about accelerators of any kind: all that says there is CUDA, and what says so of the others."""

from __future__ import annotations

import re

import libcst as cst

from devlint.analysis.guards.accelerator_members import accelerator_member
from devlint.analysis.guards.cuda_conditions import implies_cuda
from devlint.analysis.guards.guards import Question, guards_of
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import attributes_named, is_none, origin, reads_named, sole_value
from devlint.analysis.names.scopes import scopes
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext
from devlint.torch_api.accelerator_naming import ASKS_FOR_ACCELERATOR

_ANSWERS = frozenset({"is_available", "current_accelerator", "device_count"})
_BACKEND = regex(r"torch(?:\.backends)?\.(?:cuda|hpu|mlu|mps|mtia|musa|npu|xpu)\.(?:is_available|device_count)\Z")
_FLAG = regex(
    r"accel|(?:has|use|have|on|is|with)_(?:device|[hntx]pu|mps|rocm)|(?:^|_)(?:event|stream)s?$", re.IGNORECASE
)
_DEVICES = frozenset("cuda gpu hpu maia mlu mps mtia musa npu privateuseone rocm sdaa xla xpu".split())
_NO_DEVICES = frozenset({"cpu", "meta"})


def has_accelerator(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether ``node`` runs only where a test for an accelerator, CUDA or another, holds."""
    return _is_guarded(ctx, node) or _is_called_only_under_guards(ctx, node)


def _is_guarded(ctx: FileContext, node: cst.CSTNode) -> bool:
    return next(guards_of(ctx, node, FOR_ACCELERATOR), None) is not None


def _is_called_only_under_guards(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether ``node`` is in a private function or method that the file uses for nothing but guarded calls."""
    function = scopes(ctx).function_of(node)
    name = function.name.value if function is not None else ""
    if not name.startswith("_") or name.startswith("__"):
        return False
    uses: list[cst.CSTNode] = [*reads_named(ctx, name), *attributes_named(ctx, name)]
    calls = [ctx.tree.parent(one) for one in uses]
    return bool(calls) and all(isinstance(one, cst.Call) and _is_guarded(ctx, one) for one in calls)


def implies_accelerator(ctx: FileContext, test: cst.CSTNode, holds: bool = True) -> bool:
    """Whether there is an accelerator wherever ``test`` is true (or, with ``holds=False``, false)."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return implies_accelerator(ctx, test.expression, not holds)
    if isinstance(test, cst.BooleanOperation):
        sides = (implies_accelerator(ctx, test.left, holds), implies_accelerator(ctx, test.right, holds))
        return any(sides) if isinstance(test.operator, cst.And) is holds else all(sides)
    if implies_cuda(ctx, test, holds):
        return True
    if isinstance(test, cst.Comparison) and len(test.comparisons) == 1:
        return _comparison_implies(ctx, test, holds)
    value = _value_above(ctx, test)
    if value is not None and implies_accelerator(ctx, value, holds):
        return True
    return holds and asks_for_accelerator(ctx, test)


def _value_above(ctx: FileContext, name: cst.CSTNode) -> cst.BaseExpression | None:
    """The only value of a name, where that stands above it, so that looking further always ends."""
    value = sole_value(ctx, name) if isinstance(name, cst.Name) else None
    return value if value is not None and ctx.span(value).end < ctx.span(name).start else None


def asks_for_accelerator(ctx: FileContext, test: cst.CSTNode) -> bool:
    """Whether an expression is an accelerator, or true (or more than 0), only where there is one."""
    if isinstance(test, cst.NamedExpr):
        return asks_for_accelerator(ctx, test.value)
    if isinstance(test, cst.Call):
        if accelerator_member(ctx, test.func) in _ANSWERS or _BACKEND.match(origin(ctx, test.func) or ""):
            return True
        if dotted_name(test.func) in ("bool", "int", "len") and len(test.args) == 1:
            return implies_accelerator(ctx, test.args[0].value)
        return ASKS_FOR_ACCELERATOR.search((dotted_name(test.func) or "").rpartition(".")[2]) is not None
    if isinstance(test, cst.Attribute):
        return _FLAG.search(test.attr.value) is not None
    if not isinstance(test, cst.Name):
        return False
    value = _value_above(ctx, test)
    return _FLAG.search(test.value) is not None or (value is not None and asks_for_accelerator(ctx, value))


def _comparison_implies(ctx: FileContext, test: cst.Comparison, holds: bool) -> bool:
    left, operator, right = test.left, test.comparisons[0].operator, test.comparisons[0].comparator
    negative = isinstance(operator, (cst.NotEqual, cst.IsNot, cst.NotIn))
    if is_none(right):
        return negative is holds and asks_for_accelerator(ctx, left)
    if isinstance(right, cst.Name) and right.value in ("True", "False"):
        return implies_accelerator(ctx, left, (right.value == "True") is (holds is not negative))
    words = _device_words(right) or _device_words(left)
    if words is not None:
        positive = holds is not negative
        return words <= _DEVICES if positive else words >= {"cpu"} and words <= _NO_DEVICES
    if isinstance(operator, (cst.Equal, cst.NotEqual)) and _accelerators_type(ctx, (left, right)):
        return holds is not negative
    if not asks_for_accelerator(ctx, left):
        return False
    if isinstance(operator, (cst.GreaterThan, cst.GreaterThanEqual)):
        return holds
    if isinstance(operator, (cst.LessThan, cst.LessThanEqual)):
        return not holds
    return isinstance(right, cst.Integer) and negative is holds and right.evaluated_value == 0


def _device_words(node: cst.CSTNode) -> set[str] | None:
    """The kinds of device that a string, or a collection of them, names; None where it names something else."""
    if isinstance(node, (cst.Tuple, cst.List, cst.Set)):
        found = [_device_words(element.value) for element in node.elements]
        return {word for one in found for word in one or ()} if found and all(found) else None
    if isinstance(node, cst.Call) and len(node.args) == 1 and (dotted_name(node.func) or "").endswith("device"):
        node = node.args[0].value
    text = node.evaluated_value if isinstance(node, cst.SimpleString) else dotted_name(node)
    word = (text if isinstance(text, str) else "").replace(".value", "").partition(":")[0].rpartition(".")[2].lower()
    return {word} if word in _DEVICES | _NO_DEVICES else None


def _accelerators_type(ctx: FileContext, sides: tuple[cst.CSTNode, ...]) -> bool:
    """Whether one side of a comparison is the kind of the current accelerator: ``device.type == acc.type``."""
    values = [one.value if isinstance(one, cst.Attribute) and one.attr.value == "type" else one for one in sides]
    values = [(sole_value(ctx, one) or one) if isinstance(one, cst.Name) else one for one in values]
    return any(
        isinstance(one, cst.Call) and accelerator_member(ctx, one.func) == "current_accelerator" for one in values
    )


FOR_ACCELERATOR = Question(implies_accelerator, ASKS_FOR_ACCELERATOR)
