"""How a condition is written once more: whether it can be asked again, and its text."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.guards.conditions import AVAILABILITY, COUNTS, device_word
from devlint.analysis.guards.implications import implies_cuda
from devlint.analysis.guards.own_answers import kept_answer
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import origin, sole_value
from devlint.syntax.comparisons import compared_values
from devlint.syntax.file_context import FileContext
from devlint.syntax.kept_comments import comments_of
from devlint.syntax.libcst_terms import libcst_term
from devlint.syntax.terms import And, Attribute, Call, Compare, Not, Number, Or, Term
from devlint.torch_api.cuda_naming import IS_CUDA

_OPPOSITES: dict[type, str] = {
    cst.Is: "is not",
    cst.IsNot: "is",
    cst.Equal: "!=",
    cst.NotEqual: "==",
    cst.LessThan: ">=",
    cst.GreaterThanEqual: "<",
}


def is_repeatable(ctx: FileContext, test: cst.CSTNode) -> bool:
    """Whether asking ``test`` again gives the same answer and does nothing else."""
    if isinstance(test, cst.UnaryOperation):
        return is_repeatable(ctx, test.expression)
    if isinstance(test, cst.BooleanOperation):
        return is_repeatable(ctx, test.left) and is_repeatable(ctx, test.right)
    if isinstance(test, cst.Comparison):
        return all(is_repeatable(ctx, one) for one in compared_values(test))
    if isinstance(test, cst.Call):
        called = origin(ctx, test.func) or dotted_name(test.func) or ""
        if called in ("len", "bool"):
            return all(is_repeatable(ctx, arg.value) for arg in test.args)
        return not test.args and (called in AVAILABILITY or called in COUNTS)
    if isinstance(test, cst.Subscript):
        return dotted_name(test.value) is not None and libcst_term(test).last_name != ""
    return dotted_name(test) is not None or isinstance(test, (cst.Integer, cst.SimpleString))


def is_strict_flag(ctx: FileContext, test: cst.CSTNode) -> bool:
    """Whether ``test`` is made of availability tests and CUDA flags only, so that it means just "use the GPU"."""
    return _means_use_gpu(ctx, libcst_term(test))


def _means_use_gpu(ctx: FileContext, term: Term) -> bool:
    match term:
        case Not(operand):
            return _means_use_gpu(ctx, operand)
        case And(parts) | Or(parts):
            return all(_means_use_gpu(ctx, one) for one in parts)
        case Attribute(_, name) if name == IS_CUDA:
            return False
        case Compare(left, operator, right):
            one = isinstance(right, Number) and right.value == 1 and operator in (">=", "<")
            many = isinstance(right, Number) and right.value > 0 and not one
            if many or device_word(left) or device_word(right) or "device_count" in ctx.text_of(term.node):
                return False
        case Call(function, _):
            called = origin(ctx, function.node) or function.dotted
            if not called or called in COUNTS or called.endswith("startswith") or called == "isinstance":
                return False
    return implies_cuda(ctx, term.node) or implies_cuda(ctx, term.node, False) or _stands_for_answer(ctx, term.node)


def _stands_for_answer(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a name, whatever it is, only ever has the value of ``torch.cuda.is_available()``.

    Of an attribute that ``__init__`` sets, the value may be joined with flags.
    """
    kept = kept_answer(ctx, node) if isinstance(node, cst.Attribute) else None
    if kept is not None:
        return _means_use_gpu(ctx, libcst_term(kept))
    value = sole_value(ctx, node) if isinstance(node, cst.Name) else None
    return isinstance(value, cst.Call) and not value.args and origin(ctx, value.func) in AVAILABILITY


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
    """The source of an expression on one line, without the comments in it, which would hide what follows."""
    start, end = ctx.span(node).start, ctx.span(node).end
    text = ctx.source.text[start:end]
    inside = [one for one in comments_of(ctx) if start <= one.start < end] if "#" in text else []
    for one in reversed(inside):
        text = text[: one.start - start] + text[one.start - start + len(one.text) :]
    return " ".join(text.replace("\\\n", " ").split())


def _opposite(ctx: FileContext, test: cst.CSTNode) -> str | None:
    """A comparison with the opposite operator: ``x is not None`` for ``x is None``."""
    if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1:
        return None
    operator = _OPPOSITES.get(type(test.comparisons[0].operator))
    sides = (_one_line(ctx, test.left), _one_line(ctx, test.comparisons[0].comparator))
    return None if operator is None else f" {operator} ".join(sides)
