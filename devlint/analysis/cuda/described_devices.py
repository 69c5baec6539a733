"""Devices that a test only describes to the code that it runs: nothing is put there."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.mocks import makes_mock
from devlint.analysis.names.resolution import origin
from devlint.analysis.names.test_code import is_test
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext, fact_of
from devlint.syntax.literals import literal_value
from devlint.torch_api.device_naming import ON_EVERY_MACHINE, SLOTS

_REPLACING = regex(r"\b(?:monkeypatch|mocker|\w*Mock|patch|SimpleNamespace|__new__)\b")
_MOVES = frozenset({"to", "cuda", "to_empty"})


def is_described(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a device is told to code that a test runs, and the test puts nothing of torch's there.

    The test runs it with stand-ins, or expects what holds on CUDA alone.

    ``backend.mode(torch.device("cuda"))`` below ``monkeypatch.setattr(backend, "capability", …)`` runs on every
    machine, and means CUDA: on another device the answer that the test expects is another.
    """
    if not ctx.fact(_tests):
        return False
    functions = [one for one in ctx.tree.ancestors(node) if isinstance(one, cst.FunctionDef)]
    if not functions:
        return False
    if _REPLACING.search(ctx.source.text) is not None and _only_describes(ctx, functions[-1]):
        return True
    return is_test(ctx, functions[-1]) and _expects_cuda(ctx, functions[-1], _name_of(ctx, node))


def _name_of(ctx: FileContext, node: cst.CSTNode) -> str | None:
    """The name that an assignment gives a device, or what a call makes of it."""
    statement = next((one for one in ctx.tree.ancestors(node) if not isinstance(one, (cst.Arg, cst.Call))), None)
    target = statement.targets[0].target if isinstance(statement, cst.Assign) else None
    return target.value if isinstance(target, cst.Name) else None


def _expects_cuda(ctx: FileContext, test: cst.FunctionDef, name: str | None) -> bool:
    """Whether a test that puts nothing on a device expects what holds on CUDA alone: NCCL, or that it is unused."""
    if name is None or _puts(ctx, test):
        return False
    return any(_holds_for_cuda(one, name) for one in ctx.tree.below(test))


def _holds_for_cuda(node: cst.CSTNode, name: str) -> bool:
    """Whether an assertion compares with ``"nccl"``, or says that something is not on the device of that name."""
    if isinstance(node, cst.Call) and (dotted_name(node.func) or "").startswith("self.assert"):
        sides = [one.value for one in node.args]
        differ = dotted_name(node.func) == "self.assertNotEqual"
    elif isinstance(node, cst.Assert) and isinstance(node.test, cst.Comparison):
        target = node.test.comparisons[0]
        sides, differ = [node.test.left, target.comparator], isinstance(target.operator, cst.NotEqual)
    else:
        return False
    if any(isinstance(one, cst.SimpleString) and literal_value(one) == "nccl" for one in sides):
        return True
    return differ and any(dotted_name(one) == name for one in sides)


def _tests(ctx: FileContext) -> list[cst.FunctionDef]:
    return [one for one in ctx.tree.of_type(cst.FunctionDef) if is_test(ctx, one)]


@fact_of
def _only_describes(ctx: FileContext, function: cst.FunctionDef) -> bool:
    """Whether a test, or all tests that name a helper, run with stand-ins and put nothing on a device."""
    if _puts(ctx, function):
        return False
    if _has_stand_ins(ctx, function):
        return True
    users = [one for one in ctx.fact(_tests) if one is not function and function.name.value in _names(ctx, one)]
    return bool(users) and all(_has_stand_ins(ctx, one) and not _puts(ctx, one) for one in users)


@fact_of
def _names(ctx: FileContext, function: cst.FunctionDef) -> frozenset[str]:
    return frozenset(one.value for one in ctx.tree.below(function) if isinstance(one, cst.Name))


@fact_of
def _has_stand_ins(ctx: FileContext, function: cst.FunctionDef) -> bool:
    """Whether a function replaces something, makes what takes another's place, or an object without its set-up."""
    if any(one.name.value in ("monkeypatch", "mocker") for one in function.params.params):
        return True
    calls = [one for one in ctx.tree.below(function) if isinstance(one, cst.Call)]
    return any(makes_mock(one) or _is_empty_object(one) for one in calls)


def _is_empty_object(call: cst.Call) -> bool:
    """``SimpleNamespace(…)``, ``Recipe.__new__(Recipe)``."""
    return (dotted_name(call.func) or "").rpartition(".")[2] in ("SimpleNamespace", "__new__")


@fact_of
def _puts(ctx: FileContext, function: cst.FunctionDef) -> bool:
    """Whether a function makes or moves something on a device that is not on every machine."""
    return any(_puts_itself(ctx, one) for one in ctx.tree.below(function) if isinstance(one, cst.Call))


def _puts_itself(ctx: FileContext, call: cst.Call) -> bool:
    if isinstance(call.func, cst.Attribute) and call.func.attr.value in _MOVES:
        return not call.args or any(_is_elsewhere(one.value) for one in call.args if one.keyword is None)
    named = [one.value for one in call.args if one.keyword is not None and one.keyword.value in SLOTS]
    return any(map(_is_elsewhere, named)) and (origin(ctx, call.func) or "").startswith("torch.")


def _is_elsewhere(node: cst.BaseExpression) -> bool:
    """Whether a device may be another than those of every machine; a data type is none."""
    if isinstance(node, cst.SimpleString):
        return literal_value(node) not in ON_EVERY_MACHINE
    if isinstance(node, cst.Call) and node.args and (dotted_name(node.func) or "").rpartition(".")[2] == "device":
        return _is_elsewhere(node.args[0].value)
    return not (dotted_name(node) or "").startswith("torch.")
