"""What a flag decides about: whether the program means it, too, where it places something without asking."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.apis.asked_at_import import is_weightless
from devlint.analysis.apis.option_kinds import default_of
from devlint.analysis.apis.unasked_moves import importers_move_unasked, is_off_by_default
from devlint.analysis.cuda.constant_flags import is_never_true
from devlint.analysis.guards.cuda_flags import Condition, as_condition, is_availability, only_asks_for_cuda
from devlint.analysis.guards.cuda_mentions import cuda_mentions
from devlint.analysis.guards.guards import guards_of
from devlint.analysis.guards.switched_flags import is_switched_by_cuda
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import class_of, method_of, self_name
from devlint.analysis.names.program_options import program_options
from devlint.analysis.names.resolution import targets_named
from devlint.analysis.names.scopes import scopes
from devlint.analysis.project.ask import project_around
from devlint.analysis.transfers.joined_names import may_be_joined
from devlint.analysis.transfers.left_in_place import may_be_on_cuda
from devlint.analysis.transfers.moves_for_cuda import is_skipped_without_cuda
from devlint.analysis.transfers.placements import placements
from devlint.core.lazy_regex import regex
from devlint.fixes.device.anchors.placement import Anchor
from devlint.syntax.file_context import FileContext, fact
from devlint.torch_api.cuda_naming import polarity
from devlint.torch_api.device_naming import holds_options

_UNPLACING = regex(
    r"\bcuda\.(?:manual_seed|seed|set_device|is_available|device_count|empty_cache|synchronize|get_device_)\w*|"
    r"\bCUDA_\w+|\buse_cuda\b"
)
"""What names CUDA and puts nothing there: seeds, questions, the choice of a card."""
_OFF = (False, None, "")


def leaves_moves_alone(ctx: FileContext, condition: Condition, anchor: Anchor) -> bool:
    """Whether a flag does not decide about what is moved without it: it governs nothing, or not all is in its sight."""
    return _splits_devices(ctx, condition, anchor) or governs_nothing(ctx, condition, anchor.statement)


def leaves_others_on_cuda(ctx: FileContext, condition: Condition, at: cst.CSTNode) -> bool:
    """Whether what a program places without asking a flag is on CUDA, and works there, where the flag is off.

    It is off for good (``use_cuda = False``), or what it governs has nothing to do with the others, or may be on CUDA
    without it; or it is an option that is off by default: what is moved without asking is on CUDA then.
    """
    if not condition.names or only_asks_for_cuda(ctx, condition, at):
        return False
    if any(is_off_by_default(project_around(ctx), one) for one in _options(ctx, condition)):
        if importers_move_unasked(project_around(ctx)):
            return True
    everywhere, on_cpu = _governed(ctx).get(condition.text, ()), _on_cpu_without(ctx).get(condition.text, ())
    governed = [one for one in everywhere if _sees_same(ctx, condition, one, at)]
    others = [one for one in _unasked(ctx) if _sees_same(ctx, condition, one, at)]
    is_unasked = any(one is at for one in _unasked(ctx))
    if _has_tensors(ctx, at) and (is_unasked or any(_has_tensors(ctx, one) for one in others)):
        if _is_off_unless_asked(ctx, condition, at):
            return True
    if others and everywhere and not on_cpu:
        return True
    if not governed or not others or is_switched_by_cuda(ctx, condition.text, governed[0]):
        return False
    failing = [one for one in governed if one in on_cpu]
    return is_never_true(ctx, condition.text, governed[0]) or not any(
        may_be_joined(ctx, one, failing) for one in others
    )


def meets_governed(ctx: FileContext, condition: Condition, at: cst.CSTNode) -> bool:
    """Whether what is placed at ``at`` may meet what a flag governs, which fails where the flag is off."""
    failing = _on_cpu_without(ctx).get(condition.text, ())
    return bool(failing) and may_be_joined(ctx, at, failing)


def _options(ctx: FileContext, condition: Condition) -> set[str]:
    """The options that an instance keeps as its flags: ``gpu`` of ``self.gpu = args.gpu``."""
    assigns = (ctx.tree.parent(one) for name in condition.names if "." in name for one in targets_named(ctx, name))
    kept = (dotted_name(one.value) or "" for one in assigns if isinstance(one, cst.Assign))
    return {one.rpartition(".")[2] for one in kept if holds_options(one.rpartition(".")[0].rpartition(".")[2])}


def _has_tensors(ctx: FileContext, placed: cst.CSTNode) -> bool:
    """Whether what is placed is anywhere: a loss without weights, ``nn.MSELoss().cuda()``, is nowhere."""
    moved = placed.func.value if isinstance(placed, cst.Call) and isinstance(placed.func, cst.Attribute) else None
    return moved is None or not is_weightless(ctx, moved)


def _is_off_unless_asked(ctx: FileContext, condition: Condition, at: cst.CSTNode) -> bool:
    """Whether an option that a condition asks, itself or by the name that is given its value, is off by default."""
    texts = {*condition.names}
    for name in condition.names:
        scope = scopes(ctx).binder(name, at) if "." not in name else None
        values = (one.value for one in scope.bindings[name]) if scope is not None else ()
        texts |= {dotted_name(part) or "" for one in values if one is not None for part in (one, *ctx.tree.below(one))}
    asked = {one.rpartition(".")[2] for one in texts if "." in one and polarity(one.rpartition(".")[2])}
    found = [one for one in program_options(ctx) if one.destination in asked]
    return bool(found) and all(default_of(one.keywords) in _OFF for one in found)


def _sees_same(ctx: FileContext, condition: Condition, one: cst.CSTNode, other: cst.CSTNode) -> bool:
    """Whether the names of a condition stand for the same variables at two places, or for the same instance."""
    table, methods = scopes(ctx), (method_of(ctx, one), method_of(ctx, other))
    for root in {name.partition(".")[0] for name in condition.names}:
        if all(method is not None and self_name(method) == root for method in methods):
            if class_of(ctx, one) is not class_of(ctx, other):
                return False
        elif table.binder(root, one) is not table.binder(root, other):
            return False
    return True


@fact
def _governed(ctx: FileContext) -> dict[str, list[cst.CSTNode]]:
    """The places of CUDA below each flag."""
    found: dict[str, list[cst.CSTNode]] = {}
    for node in cuda_mentions(ctx):
        for condition in _conditions_of(ctx, node):
            found.setdefault(condition.text, []).append(_placed(ctx, node))
    return found


@fact
def _on_cpu_without(ctx: FileContext) -> dict[str, list[cst.CSTNode]]:
    """Those of the places of CUDA below each flag where nobody else has put on CUDA what is put there."""
    found: dict[str, list[cst.CSTNode]] = {}
    for node in cuda_mentions(ctx):
        for guard in guards_of(ctx, node):
            condition = as_condition(ctx, guard.test, guard.holds)
            if condition is not None and condition.names and not may_be_on_cuda(ctx, guard):
                found.setdefault(condition.text, []).append(_placed(ctx, node))
    return found


@fact
def _unasked(ctx: FileContext) -> list[cst.CSTNode]:
    """The places where something is put on CUDA that no flag guards, but for tests that are skipped without CUDA."""
    found = [*placements(ctx), *(_placed(ctx, one) for one in cuda_mentions(ctx) if isinstance(one, cst.Attribute))]
    return [one for one in found if not any(_conditions_of(ctx, one)) and not is_skipped_without_cuda(ctx, one)]


def _placed(ctx: FileContext, node: cst.CSTNode) -> cst.CSTNode:
    """The call that places something where a file names CUDA, if it is ``x.cuda()``."""
    parent = ctx.tree.parent(node)
    return parent if isinstance(parent, cst.Call) and parent.func is node else node


def _conditions_of(ctx: FileContext, node: cst.CSTNode) -> Iterator[Condition]:
    for guard in guards_of(ctx, node):
        condition = as_condition(ctx, guard.test, guard.holds)
        if condition is not None and condition.names:
            yield condition


def _splits_devices(ctx: FileContext, condition: Condition, anchor: Anchor) -> bool:
    """Whether the program also moves something where the flag, which guards no move, is out of scope.

    Without the flag all moves went to one device, and must go on doing so.
    """
    function = anchor.scope.node
    if not isinstance(function, cst.FunctionDef) or is_availability(ctx, condition, anchor.statement):
        return False
    inside = {id(one) for one in ctx.tree.below(function)}
    guards = {id(node): list(guards_of(ctx, node)) for node in cuda_mentions(ctx)}
    if any(as_condition(ctx, one.test, one.holds) == condition for found in guards.values() for one in found):
        return False
    return any(not found and node not in inside for node, found in guards.items())


def governs_nothing(ctx: FileContext, condition: Condition, at: cst.CSTNode) -> bool:
    """Whether a flag decides about nothing on CUDA: what is moved without it goes there whatever the flag says."""
    if is_availability(ctx, condition, at):
        return False
    tests = [one.test for node in cuda_mentions(ctx) for one in guards_of(ctx, node)]
    choices: list[cst.If | cst.IfExp] = [*ctx.tree.of_type(cst.If), *ctx.tree.of_type(cst.IfExp)]
    tests += [one.test for one in choices if "cuda" in _UNPLACING.sub("", ctx.text_of(one.body))]
    return not any(dotted_name(node) in condition.names for test in tests for node in ctx.tree.below(test))
