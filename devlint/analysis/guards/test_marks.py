"""The marks that skip tests without CUDA, and that the target has something else for."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.guards.availability_flow import AVAILABLE
from devlint.analysis.guards.guards import guards_of
from devlint.analysis.guards.test_gates import configured_gate, several_marks
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.control_flow import statements
from devlint.analysis.names.resolution import origin
from devlint.analysis.names.string_literals import string_value
from devlint.core.record import Record
from devlint.core.target import ConfiguredGate
from devlint.syntax.file_context import FileContext, fact

Holder = cst.FunctionDef | cst.ClassDef | cst.Module
"""What a mark stands for: a test, a class of tests, or all tests of a module."""


class GateUse(Record, eq=False):
    """A configured gate before a test, a class of tests or the tests of a module."""

    gate: ConfiguredGate
    mark: cst.BaseExpression
    holder: Holder


@fact
def gate_uses(ctx: FileContext) -> list[GateUse]:
    """The configured gates of a file, in source order."""
    if not ctx.target.gates or ctx.target.kind == "cuda":
        return []
    found = []
    for mark, holder in _marks(ctx):
        gate = configured_gate(ctx, mark)
        if gate is not None:
            found.append(GateUse(gate, mark, holder))
    return found


class SkipMark(Record, eq=False):
    """A mark that skips tests: ``@unittest.skipIf(test, "needs CUDA")``, or the same as a mark of pytest's."""

    test: cst.BaseExpression
    call: cst.Call
    holder: Holder
    skips: bool
    """Whether tests are skipped where the test holds, and not where it fails."""


class AvailableGate(Record, eq=False):
    """``@unittest.skipIf(not torch.cuda.is_available(), "needs CUDA")``, or the same as a mark."""

    call: cst.Call
    """``torch.cuda.is_available()``."""
    test: cst.BaseExpression
    """The same with its ``not``."""
    mark: cst.Call
    holder: Holder


@fact
def _skip_marks(ctx: FileContext) -> list[SkipMark]:
    """The marks of a file that skip tests by a condition."""
    found = []
    for mark, holder in _marks(ctx):
        if isinstance(mark, cst.Call) and mark.args:
            named = (dotted_name(mark.func) or "").rpartition(".")[2].lower()
            if named in ("skipif", "skipunless"):
                found.append(SkipMark(mark.args[0].value, mark, holder, named == "skipif"))
    return found


@fact
def available_gates(ctx: FileContext) -> list[AvailableGate]:
    """The marks of a file that skip tests by nothing but torch's own answer whether there is CUDA."""
    found = []
    for one in ctx.fact(_skip_marks):
        denied = isinstance(one.test, cst.UnaryOperation) and isinstance(one.test.operator, cst.Not)
        call = one.test.expression if isinstance(one.test, cst.UnaryOperation) and denied else one.test
        if denied is one.skips and isinstance(call, cst.Call) and origin(ctx, call.func) == AVAILABLE:
            found.append(AvailableGate(call, one.test, one.call, one.holder))
    return found


@fact
def compared_gates(ctx: FileContext) -> list[SkipMark]:
    """The marks of a file that skip tests where its device is not CUDA: ``skipIf(torch_device != "cuda", …)``."""
    kinds: dict[bool, type[cst.BaseCompOp]] = {True: cst.NotEqual, False: cst.Equal}
    found = []
    for one in ctx.fact(_skip_marks) if ctx.target.kind != "cuda" else ():
        test = one.test
        if isinstance(test, cst.Comparison) and len(test.comparisons) == 1 and _is_type(ctx, test.left):
            asked = test.comparisons[0]
            if isinstance(asked.operator, kinds[one.skips]) and string_value(asked.comparator) == "cuda":
                found.append(one)
    return found


def _is_type(ctx: FileContext, node: cst.BaseExpression) -> bool:
    """Whether an expression is the project's own device as a string, or the type of a device."""
    name = dotted_name(node) or ""
    return name == ctx.target.device or name.endswith((".type", "device_type"))


def is_replaced(ctx: FileContext, test: cst.BaseExpression) -> bool:
    """Whether a test that keeps tests from running without CUDA is one that this target replaces."""
    kept = [one.mark for one in gate_uses(ctx)]
    kept += [one.test for one in available_gates(ctx)] if ctx.target.kind == "accelerator" else []
    return any(one is test for one in kept)


def is_in_skipped_test(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether ``node`` is in a test that a mark skips without CUDA, whatever the rest of the file asks for."""
    return any(isinstance(one.owner, (cst.Decorator, cst.Assign)) for one in guards_of(ctx, node))


def _marks(ctx: FileContext) -> Iterator[tuple[cst.BaseExpression, Holder]]:
    """Every decorator and every mark of a ``pytestmark``, with what it stands for."""
    holders: list[Holder] = [ctx.module, *ctx.tree.of_type(cst.ClassDef), *ctx.tree.of_type(cst.FunctionDef)]
    for holder in holders:
        if not isinstance(holder, cst.Module):
            yield from ((one.decorator, holder) for one in holder.decorators)
        if isinstance(holder, cst.FunctionDef):
            continue
        for statement in holder.body if isinstance(holder, cst.Module) else statements(holder.body):
            small = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
            if isinstance(small, cst.Assign) and dotted_name(small.targets[0].target) == "pytestmark":
                yield from ((one, holder) for one in several_marks(small.value))
