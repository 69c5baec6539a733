"""The resolver's answer: an expression for the device, and what must be written for it."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from devlint.analysis.apis.forked_processes import forks_processes
from devlint.analysis.apis.placed_before_fork import asks_before_fork, is_placed_at_once
from devlint.analysis.apis.visible_devices import is_for_importers, visible_devices_set_after
from devlint.analysis.devices.device_conditions import condition_at
from devlint.analysis.names.control_flow import is_main_guard
from devlint.analysis.names.scripts import is_script
from devlint.core.diagnostic import Edit
from devlint.core.record import Record
from devlint.fixes.conditional_device import FORKED, runs_at_import
from devlint.fixes.device.anchors.placement import Anchor, top_of_script
from devlint.fixes.device.anchors.variable_naming import NAMES, free_name, same_definition
from devlint.fixes.device.shared.shared_function import shared_call_below
from devlint.fixes.torch_import import torch_name
from devlint.syntax.edits import fit_quotes
from devlint.syntax.file_context import FileContext


class DeviceChoice(Record):
    """An expression that stands for the device at one place of a program."""

    expression: str
    """A name, an attribute or a whole conditional expression (``needs_parentheses``)."""
    edits: tuple[Edit, ...] = ()
    """What else must be written for it: a definition, an import. Equal edits of several fixes merge."""
    is_string: bool | None = False
    """Whether it is a string and not a torch.device; None where nobody knows."""
    condition: str | None = None
    """The test that decides whether it is a GPU, as source text, where that is known."""
    caveat: str | None = None
    """Why a fix with it may change the program; None if it may not."""

    @property
    def needs_parentheses(self) -> bool:
        """Whether it needs parentheses before an attribute of it can be read."""
        return " " in self.expression


def device_of_tensor(ctx: FileContext, tensor: cst.BaseExpression) -> DeviceChoice:
    """The device of a tensor, which is a GPU where ``tensor.is_cuda``."""
    text = ctx.text_of(tensor)
    return DeviceChoice(f"{text}.device", condition=f"{text}.is_cuda")


def define_device(
    ctx: FileContext,
    anchor: Anchor,
    at: cst.CSTNode,
    expression: str,
    imports: tuple[Edit, ...] = (),
    condition: str | None = None,
    names: Sequence[str] = NAMES,
) -> DeviceChoice | None:
    """``device = expression`` at ``anchor``, or a name that already has this value there, if it still would."""
    name = same_definition(ctx, anchor, expression, at)
    if name is not None:
        is_old = condition is not None and condition_at(ctx, name, condition, at) is None
        return DeviceChoice(name, (), False, condition) if not is_old else None
    name = free_name(ctx, anchor, at, names)
    edit = anchor.insert(ctx, [f"{name} = {expression}"]) if name is not None else None
    if name is None or edit is None:
        return None
    if any(one.span == edit.span for one in imports):
        edit, imports = Edit(edit.span, imports[0].text + edit.text), ()
    return DeviceChoice(name, (*imports, edit), False, condition)


def called_or_inline(ctx: FileContext, at: cst.CSTNode, index: str | None, shared: bool) -> DeviceChoice | None:
    """``get_device()`` in a statement of a module whose functions get theirs from it, or the whole expression."""
    inline, torch = inline_device(ctx, at, index), torch_name(ctx, at)
    if inline is None or inline.caveat is not None or index is not None or torch is None or torch[1]:
        return inline
    call = shared_call_below(ctx, at, ctx.target.device_expression(torch[0]), shared)
    return DeviceChoice(*call, condition=inline.condition) if call is not None else inline


def has_no_definition(ctx: FileContext, at: cst.CSTNode) -> bool:
    """Whether a statement of a script itself, not in its main part, can have no definition of a device above it."""
    if not is_script(ctx) or top_of_script(ctx) is not None:
        return False
    holders = (cst.FunctionDef, cst.ClassDef, cst.Lambda)
    return not any(isinstance(one, holders) or is_main_guard(one) for one in ctx.tree.ancestors(at))


def inline_device(ctx: FileContext, at: cst.CSTNode, index: str | None) -> DeviceChoice | None:
    """The whole expression where a statement cannot be put: class bodies, one-line functions, library constants."""
    torch = torch_name(ctx, at)
    if torch is None or visible_devices_set_after(ctx, at):
        return None
    expression = fit_quotes(ctx, at, ctx.target.string_expression(torch[0], None, index))
    if expression is None:
        return None
    caveat = "it asks for CUDA whenever the module is imported" if is_for_importers(ctx, at) else None
    if runs_at_import(ctx, at):
        caveat = FORKED if forks_processes(ctx) and not is_placed_at_once(ctx, at) else caveat
    elif not is_placed_at_once(ctx, at) and asks_before_fork(ctx, at, False, None):
        caveat = FORKED
    return DeviceChoice(expression, torch[1], True, ctx.target.available(torch[0]), caveat)
