"""Choices such as ``"cpu" if args.cpu else "cuda"`` that are CUDA unless the user says otherwise."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.devices.cuda_literals import cuda_literal
from devlint.analysis.guards.guards import runs_guarded
from devlint.analysis.guards.option_values import holds_by_default
from devlint.analysis.names.resolution import is_torch
from devlint.analysis.names.string_literals import string_value
from devlint.analysis.slots.device_arguments import slot_owner
from devlint.core.diagnostic import Fix
from devlint.fixes.conditional_device import availability_caveat, imports_of_choice
from devlint.fixes.torch_import import torch_name
from devlint.syntax import edits
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import holds_device

_LOOSE = (cst.IfExp, cst.Lambda, cst.NamedExpr)


def default_choices(ctx: FileContext) -> Iterator[cst.IfExp]:
    """The choices between CUDA and the CPU that options alone decide, and decide for CUDA by their defaults."""
    for choice in ctx.tree.of_type(cst.IfExp) if ctx.target.kind == "cuda" else ():
        if _takes_cuda(ctx, choice) is not None and _places(ctx, choice) and not runs_guarded(ctx, choice):
            if holds_by_default(ctx, choice.test) is _takes_cuda(ctx, choice):
                yield choice


def default_choice_fix(ctx: FileContext, choice: cst.IfExp) -> Fix | None:
    """The fix that lets the choice ask for CUDA, too; with CUDA it is the same."""
    torch = torch_name(ctx, choice)
    imports = imports_of_choice(ctx, torch[1]) if torch is not None else None
    if torch is None or imports is None or isinstance(choice.test, _LOOSE):
        return None
    text, available = ctx.text_of(choice.test), ctx.target.available(torch[0])
    if _takes_cuda(ctx, choice):
        is_or = isinstance(choice.test, cst.BooleanOperation) and isinstance(choice.test.operator, cst.Or)
        text = f"({text}) and {available}" if is_or and not choice.test.lpar else f"{text} and {available}"
    else:
        text = f"{text} or not {available}"
    changed = edits.replace_expression(ctx, choice.test, text)
    return edits.as_fix(f"Ask for `{available}`, too", [changed, *imports], availability_caveat(ctx, choice))


def _takes_cuda(ctx: FileContext, choice: cst.IfExp) -> bool | None:
    """How its test must come out for a choice to be CUDA; None where it is not one between CUDA and the CPU."""
    for one, other, held in ((choice.body, choice.orelse, True), (choice.orelse, choice.body, False)):
        literal = cuda_literal(ctx, one)
        if literal is not None and literal.is_first and _is_cpu(ctx, other):
            return held
    return None


def _is_cpu(ctx: FileContext, node: cst.BaseExpression) -> bool:
    if isinstance(node, cst.Call) and is_torch(ctx, node.func, "device") and len(node.args) == 1:
        node = node.args[0].value
    return string_value(node) == "cpu"


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
