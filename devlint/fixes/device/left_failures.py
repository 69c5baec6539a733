"""What stays after all safe fixes, and fails without CUDA: tensor types of CUDA, and assertions of it."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.cuda.device_alternatives import has_alternative
from devlint.analysis.devices.type_questions import type_question
from devlint.analysis.guards.cuda_only_code import does_without
from devlint.analysis.guards.guards import runs_guarded
from devlint.analysis.legacy_types.type_uses import TypeRole, TypeUse, type_uses
from devlint.analysis.names.control_flow import tests_around
from devlint.analysis.names.scopes import scopes
from devlint.fixes.device.tensor_type_device import fix_of_use, modern_form
from devlint.fixes.tensor_alias import alias_fixes
from devlint.syntax.file_context import FileContext, fact

Tests = frozenset[tuple[str, bool]]


@fact
def types_left(ctx: FileContext) -> list[TypeUse]:
    """The CUDA types that make or cast a tensor, and which no safe fix changes."""
    fixes = ((use, fix_of_use(ctx, use, modern_form(use))) for use in type_uses(ctx, TypeRole.CALLED, TypeRole.CAST))
    return [use for use, fix in fixes if fix is None or not fix.is_safe]


def fails_beside(ctx: FileContext, at: cst.CSTNode) -> bool:
    """Whether the function around a place uses a CUDA type, or asserts CUDA, in any case or under the same tests.

    Without CUDA the function fails then, whatever device it has.
    """
    if ctx.target.kind != "cuda":
        return False
    left = ctx.fact(_left).get(id(scopes(ctx).function_of(at)), ())
    return bool(left) and any(tests <= tests_around(ctx, at) for tests in left)


@fact
def _left(ctx: FileContext) -> dict[int, list[Tests]]:
    """By the ids of functions, the tests around each CUDA type that stays, each name for one, and each assertion."""
    fixed = {id(alias.place) for alias, fix in alias_fixes(ctx) if fix is not None and fix.is_safe}
    names = (one for one in type_uses(ctx, TypeRole.ALIAS) if id(one.node) not in fixed)
    found: dict[int, list[Tests]] = {}
    for use in (*types_left(ctx), *names):
        function = scopes(ctx).function_of(use.node)
        is_certain = use.choice.test is None and not has_alternative(ctx, use.node)
        tests = tests_around(ctx, use.node)
        fails = (tests and runs_guarded(ctx, use.node)) or not does_without(ctx, use.node)
        is_run = function is not None or use.role is not TypeRole.ALIAS  # a name of the module may be for importers
        if is_run and is_certain and fails:
            found.setdefault(id(function), []).append(tests)
    for one in ctx.tree.of_type(cst.Assert):
        question = type_question(ctx, one.test)
        function = scopes(ctx).function_of(one) if question is not None and question.positive else None
        if function is not None:
            found.setdefault(id(function), []).append(tests_around(ctx, one))
    return found
