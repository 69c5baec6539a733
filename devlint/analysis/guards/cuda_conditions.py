"""What a test says about CUDA: availability calls, flags by their names, comparisons of devices and card numbers."""

from __future__ import annotations

import re

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import origin
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext
from devlint.torch_api.cuda_naming import IS_CUDA, polarity

AVAILABILITY = frozenset({"torch.cuda.is_available", "torch.accelerator.is_available", "torch.cuda.is_initialized"})
COUNTS = frozenset({"torch.cuda.device_count", "torch.accelerator.device_count"})

_OPPOSITES: dict[type, str] = {
    cst.Is: "is not",
    cst.IsNot: "is",
    cst.Equal: "!=",
    cst.NotEqual: "==",
    cst.LessThan: ">=",
    cst.GreaterThanEqual: "<",
}
_CARDS = regex(
    r"_*(?:(?:n|num|number_of|use|which|the|my|cuda|gpu|device)_?)?(?:gpus?|cuda|device)(?:_?(?:ids?|index|idx|num|count|list))?s?_*\Z",
    re.IGNORECASE,
)


def flag_polarity(node: cst.CSTNode) -> bool | None:
    """True for a name that means "use the GPU" (``args.cuda``), False for its opposite (``no_cuda``), else None."""
    name = _last_name(node)
    return None if name is None else polarity(name)


def _last_name(node: cst.CSTNode) -> str | None:
    """The last part of a name, an attribute or a subscript by a constant string."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute):
        return node.attr.value
    if isinstance(node, cst.Subscript) and len(node.slice) == 1:
        index = node.slice[0].slice
        if isinstance(index, cst.Index) and isinstance(index.value, cst.SimpleString):
            value = index.value.evaluated_value
            return value if isinstance(value, str) else None
    return None


def implies_cuda(ctx: FileContext, test: cst.CSTNode, holds: bool = True) -> bool:
    """Whether there is CUDA wherever ``test`` is true (or, with ``holds=False``, false)."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return implies_cuda(ctx, test.expression, not holds)
    if isinstance(test, cst.BooleanOperation):
        sides = (implies_cuda(ctx, test.left, holds), implies_cuda(ctx, test.right, holds))
        return any(sides) if isinstance(test.operator, cst.And) is holds else all(sides)
    if isinstance(test, cst.Comparison) and len(test.comparisons) == 1:
        return _comparison_implies(ctx, test, holds)
    if isinstance(test, cst.Call):
        return _call_implies(ctx, test, holds)
    if isinstance(test, cst.Attribute) and test.attr.value == IS_CUDA:
        return holds
    polarity = flag_polarity(test)
    if polarity is not None:
        return polarity is holds
    name = _last_name(test)
    return holds and name is not None and _CARDS.match(name) is not None and "device" not in name.lower()


def _call_implies(ctx: FileContext, call: cst.Call, holds: bool) -> bool:
    if isinstance(call.func, cst.Attribute) and call.func.attr.value == "startswith" and len(call.args) == 1:
        word = _device_word(call.args[0].value)
        return word is not None and _names_device(call.func) and (word != "cpu") is holds
    if not holds:
        return False
    called = origin(ctx, call.func) or dotted_name(call.func) or ""
    if called in AVAILABILITY or called in COUNTS or called.endswith("cuda.is_available"):
        return True
    if called in ("len", "bool", "int", "str2bool") and len(call.args) == 1:
        return implies_cuda(ctx, call.args[0].value)
    return flag_polarity(call.func) is True


def _comparison_implies(ctx: FileContext, test: cst.Comparison, holds: bool) -> bool:
    target = test.comparisons[0]
    left, right, operator = test.left, target.comparator, target.operator
    negative = isinstance(operator, (cst.NotEqual, cst.IsNot, cst.NotIn))
    word = _device_word(left) or _device_word(right)
    if word is not None:
        about_device = _names_device(left) or _names_device(right)
        if isinstance(operator, (cst.Equal, cst.NotEqual, cst.In, cst.NotIn)) and about_device:
            return (word != "cpu") is (holds is not negative)
        return False
    if isinstance(right, cst.Name) and right.value in ("True", "False"):
        return implies_cuda(ctx, left, (right.value == "True") is (holds is not negative))
    if not _is_about_cards(ctx, left):
        return False
    if isinstance(right, cst.Name) and right.value == "None":
        return negative is holds and not (_last_name(left) or "").lower().endswith("device")
    number = _number(right)
    if number is None:
        return False
    if isinstance(operator, (cst.GreaterThan, cst.GreaterThanEqual)):
        return holds and (number > -1 or isinstance(operator, cst.GreaterThan))
    if isinstance(operator, (cst.LessThan, cst.LessThanEqual)):
        return not holds
    return number <= 0 and negative is holds


def _is_about_cards(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether an expression is a flag, a card's number or a count of cards."""
    if isinstance(node, cst.Call):
        return (origin(ctx, node.func) in COUNTS) or _call_implies(ctx, node, True)
    name = _last_name(_peel(node))
    return name is not None and (flag_polarity(node) is True or _CARDS.match(name) is not None)


def _names_device(node: cst.CSTNode) -> bool:
    """Whether an expression is a name like ``device``, its type or its text."""
    return "dev" in (dotted_name(_peel(node)) or "").lower()


def _peel(node: cst.CSTNode) -> cst.CSTNode:
    """``device.type``, ``str(device)``, ``device.type.startswith`` and ``ids[0]`` without what is around the name."""
    while True:
        if isinstance(node, cst.Attribute) and node.attr.value in ("type", "startswith", "lower"):
            node = node.value
        elif isinstance(node, cst.Call) and len(node.args) == 1 and dotted_name(node.func) == "str":
            node = node.args[0].value
        elif isinstance(node, cst.Call):
            node = node.func
        elif isinstance(node, cst.Subscript):
            node = node.value
        else:
            return node


def _device_word(node: cst.CSTNode) -> str | None:
    """``cuda`` or ``cpu`` for a string (or ``torch.device`` of one) that names such a device."""
    if isinstance(node, cst.Call) and len(node.args) == 1 and (dotted_name(node.func) or "").endswith("device"):
        node = node.args[0].value
    if isinstance(node, cst.SimpleString) and isinstance(node.evaluated_value, str):
        word = node.evaluated_value.partition(":")[0].lower()
        return word if word in ("cuda", "cpu", "gpu") else None
    return None


def _number(node: cst.CSTNode) -> int | None:
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        inner = _number(node.expression)
        return None if inner is None else -inner
    return node.evaluated_value if isinstance(node, cst.Integer) else None


def is_repeatable(ctx: FileContext, test: cst.CSTNode) -> bool:
    """Whether asking ``test`` again gives the same answer and does nothing else."""
    if isinstance(test, cst.UnaryOperation):
        return is_repeatable(ctx, test.expression)
    if isinstance(test, cst.BooleanOperation):
        return is_repeatable(ctx, test.left) and is_repeatable(ctx, test.right)
    if isinstance(test, cst.Comparison):
        return all(is_repeatable(ctx, one) for one in (test.left, *(one.comparator for one in test.comparisons)))
    if isinstance(test, cst.Call):
        called = origin(ctx, test.func) or dotted_name(test.func) or ""
        if called in ("len", "bool"):
            return all(is_repeatable(ctx, arg.value) for arg in test.args)
        return not test.args and (called in AVAILABILITY or called in COUNTS)
    if isinstance(test, cst.Subscript):
        return dotted_name(test.value) is not None and _last_name(test) is not None
    return dotted_name(test) is not None or isinstance(test, (cst.Integer, cst.SimpleString))


def is_strict_flag(ctx: FileContext, test: cst.CSTNode) -> bool:
    """Whether ``test`` is made of availability tests and CUDA flags only, so that it means just "use the GPU"."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return is_strict_flag(ctx, test.expression)
    if isinstance(test, cst.BooleanOperation):
        return is_strict_flag(ctx, test.left) and is_strict_flag(ctx, test.right)
    if isinstance(test, cst.Attribute) and test.attr.value == IS_CUDA:
        return False
    if isinstance(test, cst.Comparison) and (_device_word(test.left) or _device_word(test.comparisons[0].comparator)):
        return False
    if isinstance(test, cst.Comparison) and (_number(test.comparisons[0].comparator) or 0) > 0:
        return False
    called = (origin(ctx, test.func) or dotted_name(test.func) or "startswith") if isinstance(test, cst.Call) else ""
    if (
        called in COUNTS
        or called.endswith("startswith")
        or (isinstance(test, cst.Comparison) and "device_count" in ctx.text_of(test))
    ):
        return False
    return implies_cuda(ctx, test) or implies_cuda(ctx, test, False)


def condition_text(ctx: FileContext, test: cst.BaseExpression, holds: bool = True) -> str:
    """The source of a test on one line, negated if it is to be false: ``x is not None`` for ``not x is None``."""
    text = _one_line(ctx, test)
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        if not holds:
            return condition_text(ctx, test.expression)
        return _opposite(ctx, test.expression) or text
    if holds:
        return text
    if dotted_name(test) or isinstance(test, (cst.Call, cst.Subscript)):
        return f"not {text}"
    return _opposite(ctx, test) or f"not ({text})"


def _one_line(ctx: FileContext, node: cst.CSTNode) -> str:
    return " ".join(ctx.source.text[ctx.span(node).start : ctx.span(node).end].replace("\\\n", " ").split())


def _opposite(ctx: FileContext, test: cst.CSTNode) -> str | None:
    """A comparison with the opposite operator: ``x is not None`` for ``x is None``."""
    if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1:
        return None
    operator = _OPPOSITES.get(type(test.comparisons[0].operator))
    sides = (_one_line(ctx, test.left), _one_line(ctx, test.comparisons[0].comparator))
    return None if operator is None else f" {operator} ".join(sides)
