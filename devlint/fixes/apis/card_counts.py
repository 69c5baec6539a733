"""Calls that count cards, or what is on one: the card that they are told, and whether it is one of CUDA's."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.cuda_literals import cuda_literal
from devlint.analysis.guards.guards import guards_of
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.string_literals import string_value
from devlint.fixes.apis.cuda_dependents import cuda_dependents
from devlint.syntax.file_context import FileContext
from devlint.torch_api.cuda_naming import is_for_cuda

_VISIBLE = "CUDA_VISIBLE_DEVICES"


def counted_argument(ctx: FileContext, node: cst.Call) -> str | None:
    """The sole argument, which torch.accelerator takes by its place only; None where there are others."""
    if not node.args:
        return ""
    only = node.args[0]
    named = only.keyword is not None and only.keyword.value != "device"
    if len(node.args) > 1 or only.star or named:
        return None
    literal = cuda_literal(ctx, only.value)
    if literal is None:
        return ctx.text_of(only.value)
    return "" if literal.index is None else literal.index if literal.index.isdigit() else None


def counts_for_cuda(ctx: FileContext, count: cst.Call, tested: bool = False) -> bool:
    """Whether the cards that are counted may be used as CUDA's, here, under a test for CUDA, or in other tests.

    ``tested`` says that the test around the count asks for any accelerator, or will do so.
    """
    tests = () if tested else (ctx.text_of(guard.test) for guard in guards_of(ctx, count))
    return bool(cuda_dependents(ctx)) or any("cuda" in one.lower() for one in tests) or _is_gate(ctx, count)


def _is_gate(ctx: FileContext, count: cst.Call) -> bool:
    """Whether a function skips the tests that it is given, which stand in other files and may be for CUDA."""
    function = next((one for one in ctx.tree.ancestors(count) if isinstance(one, cst.FunctionDef)), None)
    calls = (one for one in ctx.tree.below(function) if isinstance(one, cst.Call)) if function is not None else ()
    if _marks_test_for_cuda(ctx, count):
        return True
    skips = any((dotted_name(one.func) or "").rpartition(".")[2].lower().startswith("skip") for one in calls)
    return skips and function is not None and not function.name.value.startswith("test")


def _marks_test_for_cuda(ctx: FileContext, count: cst.Call) -> bool:
    """Whether a mark skips a test that is called after CUDA's own, or that takes such a fixture."""
    mark = next((one for one in ctx.tree.ancestors(count) if isinstance(one, cst.Decorator)), None)
    owner = ctx.tree.parent(mark) if mark is not None else None
    tests = (one for one in ctx.tree.below(owner) if isinstance(one, cst.FunctionDef)) if owner is not None else ()
    return any(is_for_cuda(name) for one in tests for name in (one.name.value, *_taken(one)))


def _taken(test: cst.FunctionDef) -> list[str]:
    return [one.name.value for one in test.params.params]


def says_what_is_visible(ctx: FileContext, node: cst.Call) -> bool:
    """Whether cards are counted to say which of CUDA's a program may see: ``env["CUDA_VISIBLE_DEVICES"] = …``."""
    for one in ctx.tree.ancestors(node):
        if isinstance(one, cst.DictElement):
            return string_value(one.key) == _VISIBLE
        if isinstance(one, cst.Assign):
            target = one.targets[0].target
            return isinstance(target, cst.Subscript) and _VISIBLE in ctx.text_of(target)
        if isinstance(one, (cst.BaseStatement, cst.BaseSmallStatement)):
            return False
    return False
