"""Choices such as ``"cpu" if args.cpu else "cuda"`` that are CUDA unless the user says otherwise."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.devices.cuda_literals import LiteralKind, cuda_literal
from devlint.analysis.guards.guards import runs_guarded
from devlint.analysis.guards.option_values import holds_by_default
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.control_flow import statements
from devlint.analysis.names.resolution import in_torch_device, is_torch
from devlint.analysis.names.string_literals import string_value
from devlint.analysis.slots.device_arguments import slot_owner
from devlint.core.diagnostic import Fix
from devlint.core.record import Record
from devlint.fixes.conditional_device import availability_caveat, imports_of_choice
from devlint.fixes.torch_import import torch_name
from devlint.syntax import edits
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import holds_device

_LOOSE = (cst.IfExp, cst.Lambda, cst.NamedExpr)


class DefaultChoice(Record, eq=False):
    """A choice between CUDA and the CPU: ``"cuda" if args.gpu else "cpu"``, or the same as a statement."""

    node: cst.BaseExpression
    """The whole choice; of a statement, the device of the branch for CUDA."""
    test: cst.BaseExpression
    takes_cuda: bool
    """Whether it is CUDA where the test holds."""


def default_choices(ctx: FileContext) -> Iterator[DefaultChoice]:
    """The choices between CUDA and the CPU that options alone decide, and decide for CUDA by their defaults."""
    if ctx.target.kind != "cuda":
        return
    of_expressions = (_of_expression(ctx, one) for one in ctx.tree.of_type(cst.IfExp))
    of_statements = (_of_statement(ctx, one) for one in ctx.tree.of_type(cst.If))
    for choice in filter(None, (*of_expressions, *of_statements)):
        if runs_guarded(ctx, choice.test):
            continue
        if holds_by_default(ctx, choice.test, for_callers=True) is choice.takes_cuda:
            yield choice


def default_choice_fix(ctx: FileContext, choice: DefaultChoice) -> Fix | None:
    """The fix that lets the choice ask for CUDA, too; with CUDA it is the same."""
    test = choice.test
    torch = torch_name(ctx, test)
    imports = imports_of_choice(ctx, torch[1]) if torch is not None else None
    if torch is None or imports is None or isinstance(test, _LOOSE):
        return None
    available = ctx.target.available(torch[0])
    if choice.takes_cuda:
        changed = edits.ask_also(ctx, test, available)
    else:
        changed = edits.replace_expression(ctx, test, f"{ctx.text_of(test)} or not {available}")
    return edits.as_fix(f"Ask for `{available}`, too", [changed, *imports], availability_caveat(ctx, test))


def _of_expression(ctx: FileContext, choice: cst.IfExp) -> DefaultChoice | None:
    """``"cuda" if test else "cpu"``, or the other way round, where it is a device."""
    for one, other, held in ((choice.body, choice.orelse, True), (choice.orelse, choice.body, False)):
        if cuda_literal(ctx, one) is not None and _is_cpu(ctx, other):
            return DefaultChoice(choice, choice.test, held) if _places(ctx, choice) else None
    return None


def _of_statement(ctx: FileContext, choice: cst.If) -> DefaultChoice | None:
    """An ``if`` and its ``else`` that give CUDA and the CPU to the same name, and neither stops nor asks for CUDA."""
    if not isinstance(choice.orelse, cst.Else) or isinstance(ctx.tree.parent(choice), cst.If):
        return None
    one, other = (_devices_given(branch) for branch in (choice.body, choice.orelse.body))
    for name in sorted(one.keys() & other.keys()):
        for cuda, cpu, held in ((one[name], other[name], True), (other[name], one[name], False)):
            literal = cuda_literal(ctx, cuda)
            if literal is None or not _is_cpu(ctx, cpu):
                continue
            is_device = holds_device(name.rpartition(".")[2]) or literal.kind is LiteralKind.DEVICE
            stops = any(_stops_or_asks(part) for part in ctx.tree.below(choice))
            return DefaultChoice(literal.node, choice.test, held) if is_device and not stops else None
    return None


def _devices_given(branch: cst.BaseSuite) -> dict[str, cst.BaseExpression]:
    """What a branch assigns to names and attributes, each once and by itself."""
    small = [one for line in statements(branch) for one in statements(line) if isinstance(one, cst.Assign)]
    given = [(dotted_name(one.targets[0].target), one.value) for one in small if len(one.targets) == 1]
    names = [name for name, _ in given]
    return {name: value for name, value in given if name is not None and names.count(name) == 1}


def _stops_or_asks(part: cst.CSTNode) -> bool:
    is_question = isinstance(part, cst.Attribute) and part.attr.value == "is_available"
    return is_question or isinstance(part, (cst.Assert, cst.Raise, cst.Return))


def _is_cpu(ctx: FileContext, node: cst.BaseExpression) -> bool:
    return string_value(in_torch_device(ctx, node)) == "cpu"


def _places(ctx: FileContext, choice: cst.IfExp) -> bool:
    """Whether a choice is made for a device: in a slot of torch's, in ``torch.device(…)``, or under such a name."""
    parent = ctx.tree.parent(choice)
    call = ctx.tree.parent(parent) if isinstance(parent, cst.Arg) else None
    if slot_owner(ctx, choice) is not None or (isinstance(call, cst.Call) and is_torch(ctx, call.func, "device")):
        return True
    targets = [one.target for one in parent.targets] if isinstance(parent, cst.Assign) else []
    targets += [parent.target] if isinstance(parent, cst.AnnAssign) else []
    names = [one.attr if isinstance(one, cst.Attribute) else one for one in targets]
    return any(isinstance(one, cst.Name) and holds_device(one.value) for one in names)
