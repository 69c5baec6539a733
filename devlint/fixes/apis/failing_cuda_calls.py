"""Calls of ``torch.cuda`` that fail without CUDA, and the test to put before them."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from devlint.analysis.apis.visible_devices import visible_devices_set_after
from devlint.analysis.devices.named_devices import named_device
from devlint.analysis.guards.cuda_flags import is_cuda_answer, is_only_question
from devlint.analysis.guards.option_values import if_option_is_on
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.reaching_definitions import certainly_bound
from devlint.analysis.names.resolution import origin
from devlint.analysis.names.scopes import Scope, scopes
from devlint.analysis.names.string_literals import string_value
from devlint.analysis.owners.instance_device import instance_device
from devlint.core.diagnostic import Edit, Fix
from devlint.core.record import Record
from devlint.fixes.apis.replaced_calls import replaced_in_tests
from devlint.fixes.configured_calls import configured_call
from devlint.fixes.device.load_location import defined_for_placements
from devlint.fixes.device.resolver import resolve_device
from devlint.fixes.guard_statements import PRINTS, under_guard
from devlint.fixes.torch_import import torch_name
from devlint.syntax import edits
from devlint.syntax.file_context import FileContext, fact_of
from devlint.torch_api.cuda_functions import ASKS_BUILD
from devlint.torch_api.cuda_members import Member, OnCpu, cuda_member

_COUNT = "accelerator.device_count"


class CudaCall(Record, eq=False):
    """A call that fails where there is no CUDA."""

    node: cst.Call
    member: Member
    statement: cst.Expr | None
    """The statement that can be skipped without loss; None where the value of the call is used."""


class CudaTest(Record):
    """An expression that is true where a call for CUDA works."""

    text: str
    imports: tuple[Edit, ...]


def cuda_call(ctx: FileContext, node: cst.Call) -> CudaCall | None:
    """``node`` as a call of ``torch.cuda`` that fails without CUDA and has no configured replacement."""
    member = cuda_member(origin(ctx, node.func))
    if member is None or member.on_cpu in (OnCpu.HARMLESS, OnCpu.GIVEN) or configured_call(ctx, node) is not None:
        return None
    can_wait = member.on_cpu is OnCpu.RAISES and member.name not in ASKS_BUILD
    return CudaCall(node, member, _statement(ctx, node) if can_wait else None)


def _statement(ctx: FileContext, node: cst.Call) -> cst.Expr | None:
    """The expression statement that begins with ``node`` (``node.method()``), or that prints or logs it.

    None where something in the call gets a name, which may be needed later: ``set_device(card := rank())``.
    """
    if any(isinstance(one, cst.NamedExpr) for one in ctx.tree.below(node)):
        return None
    for child, parent in ctx.tree.path_up(node):
        if isinstance(parent, cst.Expr):
            return parent
        begins = isinstance(parent, (cst.Attribute, cst.Call, cst.Subscript)) and child in (
            getattr(parent, "value", None),
            getattr(parent, "func", None),
        )
        if not begins:
            break
    shown = next((one for one in ctx.tree.ancestors(node) if isinstance(one, (cst.Expr, *_STOPS))), None)
    if isinstance(shown, cst.Expr) and isinstance(shown.value, cst.Call):
        called = dotted_name(shown.value.func)
        return shown if called is not None and PRINTS.match(called) else None
    return None


_STOPS = (cst.BaseCompoundStatement, cst.Lambda, cst.BaseSmallStatement)


def cuda_test(ctx: FileContext, call: CudaCall) -> CudaTest | None:
    """The test for ``call``: the type of the program's own device, else whether CUDA is available."""
    torch = torch_name(ctx, call.node)
    if torch is None:
        return None
    if ctx.target.kind == "accelerator":
        if counterpart_edits(ctx, call) is not None:
            return CudaTest(ctx.target.available(torch[0]), torch[1])
        device = _own_device(ctx, call)
        return CudaTest(f'{device}.type == "cuda"', ()) if device is not None else None
    device = _own_device(ctx, call) if ctx.target.kind == "cuda" else None
    if device is not None:
        return CudaTest(f'{device}.type == "cuda"', ())
    return (_new_device(ctx, call) if ctx.target.kind == "cuda" else None) or availability_test_for(ctx, call)


def _new_device(ctx: FileContext, call: CudaCall) -> CudaTest | None:
    """The test by a device that other places of the file have defined anyway, where it is all that there is to ask."""
    choice = resolve_device(ctx, call.node)
    if choice is None or choice.caveat or choice.is_string is not False or choice.condition is None:
        return None
    if not choice.edits or (choice.expression, choice.edits) not in defined_for_placements(ctx):
        return None
    if not choice.expression.replace(".", "_").isidentifier() or not is_only_question(ctx, choice.condition, call.node):
        return None
    return CudaTest(f'{choice.expression}.type == "cuda"', choice.edits)


def availability_test_for(ctx: FileContext, call: CudaCall) -> CudaTest | None:
    """Whether CUDA is available: a name for the answer, or else the question to the module that the call is one of."""
    name, torch = _answer(ctx, call.node), torch_name(ctx, call.node)
    if name is not None:
        return CudaTest(name, ())
    if torch is None:
        return None
    owner = call.node.func.value if isinstance(call.node.func, cst.Attribute) else None
    if owner is not None and origin(ctx, owner) == "torch.cuda" and "\n" not in ctx.text_of(owner):
        return CudaTest(f"{ctx.text_of(owner)}.is_available()", ())
    return CudaTest(f"{torch[0]}.cuda.is_available()", torch[1])


def _answer(ctx: FileContext, at: cst.CSTNode) -> str | None:
    """A name that the program has given to ``torch.cuda.is_available()`` alone, and that is certainly bound here."""
    for scope in scopes(ctx).enclosing(at):
        name = next((one for one in _answers(ctx, scope) if certainly_bound(ctx, one, scope, at)), None)
        if name is not None:
            return name if scopes(ctx).binder(name, at) is scope else None
    return None


@fact_of
def _answers(ctx: FileContext, scope: Scope) -> list[str]:
    """The names of a function or the module that are given the answer, and nothing else."""
    once = ((name, found[0]) for name, found in scope.bindings.items() if len(found) == 1 and not scope.is_class)
    values = [(name, one.value) for name, one in once if one.how is How.ASSIGN]
    return [name for name, value in values if isinstance(value, cst.Call) and is_cuda_answer(ctx, value)]


def _own_device(ctx: FileContext, call: CudaCall) -> str | None:
    """The program's device where it certainly is a torch.device, and is CUDA wherever the call does something.

    That is the device passed to the call, one that is chosen by the question for CUDA and nothing else or, for
    ``synchronize`` without arguments, the device that any test chooses.
    """
    given = [dotted_name(arg.value) for arg in call.node.args]
    for found in filter(None, (named_device(ctx, call.node), instance_device(ctx, call.node))):
        name, value = found
        chosen = not given and call.member.name == "synchronize" and value.condition is not None
        if ctx.target.kind == "cuda" and value.condition is not None:
            chosen = chosen or is_only_question(ctx, value.condition, call.node)
        if value.is_string is False and value.caveat is None and (chosen or given == [name]):
            return name
    return None


def counterpart_edits(ctx: FileContext, call: CudaCall) -> list[Edit] | None:
    """The edits that make ``call`` one of ``torch.accelerator``; None where that is too new, or means another thing."""
    member, node = call.member, call.node
    torch = torch_name(ctx, node)
    if torch is None or member.counterpart is None or member.counterpart_since > ctx.target.torch_min_version:
        return None
    if not member.same_result and not isinstance(ctx.tree.parent(node), cst.Expr):
        return None
    if len(node.args) > 1 or any(arg.star for arg in node.args) or replaced_in_tests(ctx, member) is not None:
        return None
    changes = [edits.replace_outer(ctx, node.func, f"{torch[0]}.{member.counterpart}"), *torch[1]]
    for arg in node.args:
        kind, _, index = (string_value(arg.value) or "").partition(":")
        if kind == "cuda":
            changes.append(edits.replace_arguments(ctx, node, index))
        elif arg.keyword is not None:
            changes.append(edits.replace_argument(ctx, arg, ctx.text_of(arg.value)))
        changes += [edits.replace_outer(ctx, one.func, f"{torch[0]}.{_COUNT}") for one in _counts(ctx, arg)]
    return changes


def _counts(ctx: FileContext, arg: cst.Arg) -> list[cst.Call]:
    """Where an argument counts CUDA's cards: ``rank % torch.cuda.device_count()``."""
    if arg.keyword is not None:  # is written anew, by its place
        return []
    calls = (one for one in ctx.tree.below(arg.value) if isinstance(one, cst.Call))
    return [one for one in calls if origin(ctx, one.func) == "torch.cuda.device_count"]


def share_a_test(ctx: FileContext, one: CudaCall, other: CudaCall) -> bool:
    """Whether two calls may go under one test: the same for both, or the one for availability."""
    tests = cuda_test(ctx, one), cuda_test(ctx, other)
    return None not in tests and (tests[0] == tests[1] or ctx.target.kind != "accelerator")


def guard_fix(ctx: FileContext, calls: Sequence[CudaCall]) -> Fix | None:
    """One fix that puts the statements of ``calls``, which are neighbours, under their common test."""
    first, last = calls[0].statement, calls[-1].statement
    tests = {cuda_test(ctx, call) for call in calls}
    test = tests.pop() if len(tests) == 1 else availability_test_for(ctx, calls[0])
    around = under_guard(ctx, first, test.text, last) if test is not None and first is not None else None
    if test is None or around is None:
        return None
    changes: list[Edit] = [*test.imports, *around]
    for call in calls if ctx.target.kind == "accelerator" else ():
        changes += counterpart_edits(ctx, call) or []
    return edits.as_fix(f"Put it under `if {test.text}:`", changes)


def joined_test_fix(ctx: FileContext, call: CudaCall) -> Fix | None:
    """The fix that lets the test of an option around a call ask for CUDA, too: below it all failed where there is none.

    None where the program chooses its cards below the test, which asks for CUDA before that.
    """
    owner = if_option_is_on(ctx, call.statement) if call.statement is not None else None
    if owner is None or visible_devices_set_after(ctx, owner):
        return None
    test = availability_test_for(ctx, call)
    if test is None:
        return None
    changes = [edits.ask_also(ctx, owner.test, test.text), *test.imports]
    return edits.as_fix(f"Ask for `{test.text}`, too", changes)
