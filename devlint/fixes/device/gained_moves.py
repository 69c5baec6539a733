"""Whether a move that keeps its test for CUDA gains anything by a device."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from devlint.analysis.apis.asked_at_import import is_weightless
from devlint.analysis.cuda.values_without_cuda import value_without_cuda
from devlint.analysis.devices.type_questions import type_question
from devlint.analysis.guards.condition_text import condition_text
from devlint.analysis.guards.cuda_flags import is_condition_of
from devlint.analysis.guards.cuda_mentions import cuda_mentions
from devlint.analysis.guards.guards import guard_of, guards_of
from devlint.analysis.guards.questions import Guard, parts_of
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import class_of
from devlint.analysis.names.resolution import is_torch, making_call, origin
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.string_literals import string_value
from devlint.analysis.transfers.guarded_transfers import guarded_move
from devlint.analysis.transfers.left_in_place import may_be_on_cuda
from devlint.analysis.transfers.moves_for_cuda import runs_with_cuda_only
from devlint.analysis.transfers.only_moves import is_needless
from devlint.fixes.device.choice import DeviceChoice
from devlint.fixes.device.guarding_devices import asks_for_word, device_beside_cpu
from devlint.fixes.device.left_failures import types_left
from devlint.fixes.device.unregistered_parameters import becomes_parameter
from devlint.syntax.comparisons import joined_parts
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import looks_like_device

Resolve = Callable[[cst.CSTNode], DeviceChoice | None]
"""What gives the device for a place."""


def gains_nothing(ctx: FileContext, at: cst.CSTNode, guard: Guard, choice: DeviceChoice) -> bool:
    """Whether a move that keeps its test fails without CUDA, or does not run there, whatever device it names.

    So it is where torch has said that there is CUDA, and where the device follows a test around the move, or such a
    test asks for the type of a device, whichever that is.
    """
    if ctx.target.kind != "cuda":
        return False
    if runs_with_cuda_only(ctx, guard):
        return True
    return any(
        _asks_for_type(ctx, part) or _is_decided_by(ctx, choice, part)
        for one in guards_of(ctx, at)
        for part in parts_of(one)
    )


def stays_off(ctx: FileContext, at: cst.CSTNode, guard: Guard, choice: DeviceChoice) -> str | None:
    """Why a move is better left as it is: its test stays, and holds without CUDA only where somebody asks for CUDA.

    So must all be that the function around it, or for a device of the instance the class, does with CUDA, which
    otherwise would be torn apart. In the body of a file, which mostly has many parts, it is all under the test.
    """
    if ctx.target.kind != "cuda" or not isinstance(guard.owner, cst.If):
        return None
    follows = choice.condition is not None and is_condition_of(ctx, choice.condition, guard)
    if follows and not choice.edits and not is_needless(ctx, guard.owner):
        return None  # the program has a device that follows the test, which is around more than moves
    asked = ctx.one_line_of(guard.test)
    why = f"`{asked}` stays, and without CUDA it is {not guard.holds} unless somebody asks for it"
    if not follows and is_needless(ctx, guard.owner) and _keeps_off(ctx, at):
        return why  # the device asks something else
    own = _around(ctx, at, choice) or guard.owner
    known, key = ctx.fact(_known), (id(own), choice.expression, choice.condition)
    if key not in known:
        kind: type[cst.CSTNode] = cst.Attribute if "." in choice.expression else cst.Name
        named = (one for one in ctx.tree.of_type(kind) if dotted_name(one) == choice.expression)
        is_used = any(isinstance(ctx.tree.parent(one), cst.Arg) and _is_in(ctx, one, own, choice) for one in named)
        beside = (one for one in cuda_mentions(ctx) if _is_in(ctx, one, own, choice))
        known[key] = not is_used and all(_is_off(ctx, one, choice) for one in beside)
    return why if known[key] else None


def _known(ctx: FileContext) -> dict[tuple[int, str, str | None], bool]:
    """Whether all that is around a place stays, by what that is, and by the device."""
    return {}


def stays_unasked(ctx: FileContext, at: cst.CSTNode, choice: DeviceChoice) -> str | None:
    """Why a move that needs a new device is better left as it is: it is under ``if mode == "gpu":``, which is off.

    Or under ``if device is not None:``, and so must all be that the function around it does with CUDA.
    """
    asked = _unasked(ctx, at) if ctx.target.kind == "cuda" and choice.edits else None
    if asked is None:
        return None
    own, known = scopes(ctx).function_of(at), ctx.fact(_known_unasked)
    if id(own) not in known:
        beside = (one for one in cuda_mentions(ctx) if scopes(ctx).function_of(one) is own)
        known[id(own)] = all(_is_call(ctx, one) and _unasked(ctx, one) is not None for one in beside)
    text = ctx.one_line_of(asked)
    return f"`{text}` stays, and it is False unless somebody asks for it" if known[id(own)] else None


def moves_nothing(ctx: FileContext, call: cst.Call, choice: DeviceChoice) -> str | None:
    """Why a new device is for nothing: the file only moves layers and losses, which have no tensors.

    Or why any is, where an instance gets a parameter by it on the CPU, and none on CUDA.
    """
    if ctx.target.kind != "cuda" or not choice.edits or not ctx.fact(_moves_no_tensors):
        return becomes_parameter(ctx, call)
    return "what the file moves has no tensors, and needs no device"


def _moves_no_tensors(ctx: FileContext) -> bool:
    return all(_is_moved_layer(ctx, ctx.tree.parent(one)) for one in cuda_mentions(ctx))


def _is_moved_layer(ctx: FileContext, call: cst.CSTNode | None) -> bool:
    """Whether a call moves a layer or loss of torch's without tensors: ``nn.ReLU().cuda()``."""
    moved = call.func.value if isinstance(call, cst.Call) and isinstance(call.func, cst.Attribute) else None
    made = making_call(ctx, moved) if moved is not None else None
    is_torch_layer = made is not None and (origin(ctx, made.func) or "").startswith("torch.nn.")
    return is_torch_layer and moved is not None and is_weightless(ctx, moved)


def _known_unasked(ctx: FileContext) -> dict[int, bool]:
    """Whether all that a function moves is under tests that are off, by the function."""
    return {}


def _is_call(ctx: FileContext, mention: cst.CSTNode) -> bool:
    """Whether a mention of CUDA is a call of ``cuda``."""
    return isinstance(mention, cst.Attribute) and isinstance(ctx.tree.parent(mention), cst.Call)


def _unasked(ctx: FileContext, at: cst.CSTNode) -> cst.BaseExpression | None:
    """The test of an ``if`` around a place that asks for a word for CUDA, or for a device, and is off by default."""
    for child, parent in ctx.tree.path_up(at):
        if not isinstance(parent, cst.If) or child is not parent.body or not isinstance(parent.test, cst.Comparison):
            continue
        asks = asks_for_word(parent.test) or _asks_for_any(parent.test)
        if asks and value_without_cuda(ctx, parent.test) is False:
            return parent.test
    return None


def _asks_for_any(test: cst.Comparison) -> bool:
    """Whether a test is ``args.device is not None``."""
    name, sole = dotted_name(test.left) or "", test.comparisons[0]
    asks = isinstance(sole.operator, cst.IsNot) and dotted_name(sole.comparator) == "None"
    return asks and len(test.comparisons) == 1 and looks_like_device(name.rpartition(".")[2])


def stays_beside_other(ctx: FileContext, at: cst.CSTNode) -> str | None:
    """Why a tensor's place is better left as it is: a test for CUDA around it stays, with a branch for all else."""
    guard = guard_of(ctx, at) if ctx.target.kind == "cuda" else None
    owner = guard.owner if guard is not None else None
    if guard is None or not isinstance(owner, cst.If) or not isinstance(owner.orelse, cst.Else):
        return None
    if not ctx.tree.is_around(owner, at) or value_without_cuda(ctx, guard.test) is guard.holds:
        return None
    return f"`{ctx.one_line_of(guard.test)}` stays, and has another branch for where there is no CUDA"


def _around(ctx: FileContext, at: cst.CSTNode, choice: DeviceChoice) -> cst.CSTNode | None:
    """The function around a place, or the class where an instance has the device."""
    return class_of(ctx, at) if "." in choice.expression else scopes(ctx).function_of(at)


def _is_in(ctx: FileContext, one: cst.CSTNode, own: cst.CSTNode, choice: DeviceChoice) -> bool:
    """Whether a place is in a function, a class or an ``if`` that another is in."""
    return ctx.tree.is_around(own, one) if isinstance(own, cst.If) else _around(ctx, one, choice) is own


def why_left(ctx: FileContext, at: cst.CSTNode, guard: Guard, choice: DeviceChoice) -> str | None:
    """Why a move that keeps its test is better left as it is, by itself; None where it is not."""
    asked = device_beside_cpu(guard) if choice.edits and ctx.target.kind == "cuda" else None
    second = f"`{asked}` is asked here, and `{choice.expression}` would be a second device beside it"
    return second if asked is not None else stays_off(ctx, at, guard, choice) or in_other_words(ctx, guard)


def in_other_words(ctx: FileContext, guard: Guard) -> str | None:
    """Why a move under ``if flag is True:`` is left as it is: the file asks ``if flag:`` as well.

    A value that only the second takes for true would need a device of its own beside that of the flag.
    """
    test = guard.test
    sole = test.comparisons[0] if isinstance(test, cst.Comparison) and len(test.comparisons) == 1 else None
    if not isinstance(test, cst.Comparison) or sole is None or not isinstance(sole.operator, (cst.Is, cst.Equal)):
        return None
    flag = dotted_name(test.left)
    if flag is None or dotted_name(sole.comparator) != "True":
        return None
    if value_without_cuda(ctx, test.left) is guard.holds:
        return None
    owners: list[cst.If | cst.IfExp] = [*ctx.tree.of_type(cst.If), *ctx.tree.of_type(cst.IfExp)]
    is_asked = any(dotted_name(part) == flag for one in owners for part in joined_parts(one.test, cst.And))
    return f"`{flag}` may be another value that the file takes for true elsewhere" if is_asked else None


def torn(ctx: FileContext, guard: Guard, resolve: Resolve) -> str | None:
    """Why a move whose test stays is better left as it is: another one under the test stays what it is."""
    if ctx.target.kind != "cuda" or not isinstance(guard.owner, cst.If):
        return None
    known, key = ctx.fact(_known_torn), (id(guard.owner), guard.holds)
    if key not in known:
        branch = guard.owner.body if guard.holds else guard.owner.orelse
        calls = (one for one in ctx.tree.below(branch or guard.owner) if isinstance(one, cst.Call))
        stays = [one for one in calls if _stays(ctx, one, guard, resolve)]
        types = [one.owner for one in types_left(ctx) if _is_governed(ctx, one.owner, guard)]
        known[key] = next((f"`{ctx.one_line_of(one)}` beside it stays" for one in (*stays, *types)), None)
    return known[key]


def _known_torn(ctx: FileContext) -> dict[tuple[int, bool], str | None]:
    """Why what a test governs is left together, by the test."""
    return {}


def _stays(ctx: FileContext, call: cst.Call, guard: Guard, resolve: Resolve) -> bool:
    """Whether a call under a test is ``x.cuda()`` that no safe fix moves to a device."""
    if not isinstance(call.func, cst.Attribute) or call.func.attr.value != "cuda" or call.args:
        return False
    move = guarded_move(ctx, call)
    if not _is_governed(ctx, call, guard):
        return False
    choice = resolve(call) if move is not None and move.understood else None
    return choice is None or choice.caveat is not None


def _is_governed(ctx: FileContext, node: cst.CSTNode, guard: Guard) -> bool:
    """Whether a test is the next one around a place."""
    own = guard_of(ctx, node)
    return own is not None and own.owner is guard.owner and own.holds is guard.holds


def _is_off(ctx: FileContext, mention: cst.CSTNode, choice: DeviceChoice) -> bool:
    """Whether a mention of CUDA is a move under a test that stays, and that keeps it from running without CUDA."""
    call = next((one for one in ctx.tree.ancestors(mention) if isinstance(one, cst.Call)), None)
    guard = guard_of(ctx, mention)
    if call is None or guard is None or not isinstance(guard.owner, cst.If) or guarded_move(ctx, call) is None:
        return False
    if not _keeps_off(ctx, mention):
        return False
    agrees = choice.condition is not None and is_condition_of(ctx, choice.condition, guard)
    return not agrees or not is_needless(ctx, guard.owner) or may_be_on_cuda(ctx, guard)


def _keeps_off(ctx: FileContext, at: cst.CSTNode) -> bool:
    """Whether a test around a place keeps it from running without CUDA where nobody asks for CUDA."""
    around = ((one, value_without_cuda(ctx, one.test)) for one in guards_of(ctx, at))
    return any(value is not None and value is not one.holds for one, value in around)


def _asks_for_type(ctx: FileContext, guard: Guard) -> bool:
    """Whether a test is ``device == "cuda"``, ``x.device.type == "cuda"`` or the like, or asks for a whole device."""
    if guard.holds and _asks_for_device(ctx, guard.test):
        return True
    question = type_question(ctx, guard.test) if isinstance(guard.test, (cst.Comparison, cst.Call)) else None
    return question is not None and question.positive is guard.holds


def _asks_for_device(ctx: FileContext, test: cst.BaseExpression) -> bool:
    """Whether a test is ``device == torch.device("cuda")``."""
    if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1:
        return False
    sole = test.comparisons[0]
    sides = (test.left, sole.comparator) if isinstance(sole.operator, cst.Equal) else ()
    calls = (one for one in sides if isinstance(one, cst.Call) and len(one.args) == 1)
    return any(
        is_torch(ctx, one.func, "device") and (string_value(one.args[0].value) or "").partition(":")[0] == "cuda"
        for one in calls
    )


def _is_decided_by(ctx: FileContext, choice: DeviceChoice, guard: Guard) -> bool:
    """Whether a device is CUDA wherever a test holds, also where torch, which it does not ask, has none."""
    return choice.condition is not None and choice.condition == condition_text(ctx, guard.test, guard.holds)
