"""Branches that run only without CUDA: ``if x.is_cuda: … else: …``, ``if not use_cuda: …``."""

from __future__ import annotations

import ast

from devlint.analysis.places.joins import moved_value
from devlint.analysis.places.values import Names, tensors_in
from devlint.core.lazy_regex import regex
from devlint.syntax.python_tree.nodes import dotted_text, last_name

_IS_ON_CUDA = {"is_cuda": True, "is_cpu": False}
"""What asks a tensor where it is, and whether it is on CUDA where that is true."""
_KINDS = ("cpu", "cuda", "mps", "xpu")
_FLAG = regex(r"_*(?:(?:use|with|on|is|has|have)_)*(no_|disable_)?(?:cuda|gpu)$")
_EQUAL, _OTHER = (ast.Eq, ast.Is, ast.In), (ast.NotEq, ast.IsNot, ast.NotIn)


def is_without_cuda(test: ast.expr, truth: bool) -> bool:
    """Whether a program is not on CUDA, as far as its author says, where a test is true, or false."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return is_without_cuda(test.operand, not truth)
    if isinstance(test, ast.BoolOp):
        are_without = (is_without_cuda(each, truth) for each in test.values)
        return any(are_without) if isinstance(test.op, ast.And) is truth else all(are_without)
    return _is_on_cuda(test) is (not truth)


def _is_on_cuda(test: ast.expr) -> bool | None:
    """Whether a program is on CUDA where a test is true, or where it is false; None for another test."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        kinds = {kind_named(one) for one in (test.left, *test.comparators)} & {"cpu", "cuda"}
        is_asked = len(kinds) == 1 and isinstance(test.ops[0], _EQUAL + _OTHER)
        return ("cuda" in kinds) is isinstance(test.ops[0], _EQUAL) if is_asked else None
    if isinstance(test, ast.Call):
        return True if dotted_text(test.func).endswith("cuda.is_available") else None
    if isinstance(test, ast.Attribute) and test.attr in _IS_ON_CUDA:
        return _IS_ON_CUDA[test.attr]
    flag = _FLAG.match(last_name(test).lower()) if isinstance(test, (ast.Name, ast.Attribute)) else None
    return flag[1] is None if flag is not None else None


def kind_named(node: ast.expr) -> str:
    """The kind of device that a text names, ``"cpu"`` or ``"cuda:0"``, or that is made of it; empty for all else."""
    if isinstance(node, ast.Call) and last_name(node.func) == "device" and node.args:
        node = node.args[0]
    kind = str(getattr(node, "value", "")).partition(":")[0]
    return kind if kind in _KINDS else ""


def left_there(before: Names, after: Names | None) -> Names | None:
    """The names after a branch that runs without CUDA: what it makes of tensors on the CPU is where it must be."""
    if after is None:
        return None
    changed = [name for name, value in after.items() if before.get(name) is not value]
    made = (name for name in changed if any(one.is_on_cpu for one in tensors_in(after[name])))
    return {**after, **{name: moved_value(after[name]) for name in made}}
