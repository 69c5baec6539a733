"""What stays after all safe fixes and fails without CUDA: types, assertions, questions for a card, Lightning's GPUs."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.cuda.device_alternatives import has_alternative
from devlint.analysis.cuda.failing.failures_beside import Failures
from devlint.analysis.devices.type_questions import type_question
from devlint.analysis.guards.cuda_only_code import does_without
from devlint.analysis.guards.guards import runs_guarded
from devlint.analysis.legacy_types.type_uses import TypeRole, TypeUse, type_uses
from devlint.analysis.names.control_flow import tests_around
from devlint.analysis.names.resolution import origin
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.string_literals import string_value
from devlint.analysis.slots.framework_devices import framework_uses
from devlint.fixes.chosen_tensor_type import type_attribute_fix
from devlint.fixes.device.tensor_type_device import fix_of_use, modern_form
from devlint.fixes.framework_device import framework_fix
from devlint.fixes.tensor_alias import alias_fixes
from devlint.syntax.file_context import FileContext, fact
from devlint.torch_api.frameworks import CARDS, LIGHTNING
from devlint.torch_api.libraries import KERNELS

_BETWEEN_CARDS = ("torch.cuda.comm.", "torch.cuda.nccl.")
_OF_CARDS = frozenset(
    f"torch.cuda.{name}"
    for name in ("get_device_capability", "get_device_name", "get_device_properties", "mem_get_info")
)
_STATEMENTS = (cst.BaseSmallStatement, cst.BaseCompoundStatement)


@fact
def types_left(ctx: FileContext) -> list[TypeUse]:
    """The CUDA types that make or cast a tensor, and which no safe fix changes."""
    fixes = ((use, fix_of_use(ctx, use, modern_form(use))) for use in type_uses(ctx, TypeRole.CALLED, TypeRole.CAST))
    return [use for use, fix in fixes if fix is None or not fix.is_safe]


def fails_beside(ctx: FileContext, at: cst.CSTNode) -> cst.CSTNode | None:
    """What fails without CUDA wherever a place is reached, whatever device that has, and stays."""
    found = call_beside(ctx, at)
    return found or (ctx.fact(_types_beside).beside(at) if ctx.target.kind == "cuda" else None)


def call_beside(ctx: FileContext, at: cst.CSTNode) -> cst.CSTNode | None:
    """The same but for types, which other fixes may still change."""
    return ctx.fact(_left).beside(at) if ctx.target.kind == "cuda" else None


def _left(ctx: FileContext) -> Failures:
    return Failures(ctx, [*_assertions(ctx), *_calls(ctx), *_trainers(ctx)])


def _types_beside(ctx: FileContext) -> Failures:
    return Failures(ctx, _types_without_device(ctx))


def _types_without_device(ctx: FileContext) -> Iterator[cst.CSTNode]:
    """The CUDA types that stay and have no alternative, and the names for them."""
    fixed = {id(alias.place) for alias, fix in alias_fixes(ctx) if fix is not None and fix.is_safe}
    others = (one for one in type_uses(ctx, TypeRole.ALIAS) if id(one.node) not in fixed)
    names = [one for one in others if (fix := type_attribute_fix(ctx, one)) is None or not fix.is_safe]
    for use in (*types_left(ctx), *names):
        function = scopes(ctx).function_of(use.node)
        is_certain = use.choice.test is None and not has_alternative(ctx, use.node)
        fails = (tests_around(ctx, use.node) and runs_guarded(ctx, use.node)) or not does_without(ctx, use.node)
        is_run = function is not None or use.role is not TypeRole.ALIAS  # a name of the module may be for importers
        if is_run and is_certain and fails:
            yield use.node


def _assertions(ctx: FileContext) -> Iterator[cst.Assert]:
    """What is asserted of a device: that it is one of CUDA."""
    for one in ctx.tree.of_type(cst.Assert):
        question = type_question(ctx, one.test)
        if (question is not None and question.positive) or _is_cuda(one.test):
            yield one


def _is_cuda(test: cst.BaseExpression) -> bool:
    """Whether a test asks for a type of device that is CUDA alone: ``kind == "cuda"``, ``kind in {"cuda"}``."""
    if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1:
        return False
    operator, types = test.comparisons[0].operator, test.comparisons[0].comparator
    if isinstance(operator, cst.Equal):
        return string_value(types) == "cuda"
    if not isinstance(operator, cst.In) or not isinstance(types, (cst.List, cst.Set, cst.Tuple)):
        return False
    return [string_value(one.value) for one in types.elements] == ["cuda"]


def _calls(ctx: FileContext) -> Iterator[cst.Call]:
    """What imports a kernel, copies between cards, or asks for a card: ``get_device_name()``."""
    for call in ctx.tree.of_type(cst.Call):
        called = origin(ctx, call.func) or ""
        if (
            called.startswith(_BETWEEN_CARDS)
            or (called in _OF_CARDS and not _is_shown(ctx, call))
            or _is_kernel(call, called)
        ):
            if not does_without(ctx, call):
                yield call


def _is_kernel(call: cst.Call, called: str) -> bool:
    """Whether a call is ``importlib.import_module("fused_adam_cuda")``."""
    name = string_value(call.args[0].value) if called == "importlib.import_module" and call.args else None
    return name is not None and KERNELS.match(name) is not None


def _is_shown(ctx: FileContext, call: cst.Call) -> bool:
    """Whether a call is in a statement that is one, such as ``print(...)``, which may go under a test."""
    around = ctx.tree.ancestors(call)
    return isinstance(next((one for one in around if isinstance(one, _STATEMENTS)), None), cst.Expr)


def _trainers(ctx: FileContext) -> Iterator[cst.Call]:
    """What Lightning is told to run on GPUs alone."""
    for use in framework_uses(ctx):
        if use.argument.form in (CARDS, LIGHTNING) and not does_without(ctx, use.call):
            fix = framework_fix(ctx, use)
            if fix is None or not fix.is_safe:
                yield use.call
