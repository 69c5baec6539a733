"""A type of CUDA's tensors that becomes a choice where it stands: an option's default, the value of an attribute."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.analysis.devices.parsed_options import are_parsed_options
from devlint.analysis.guards.cuda_flags import as_condition, is_availability
from devlint.analysis.guards.guards import runs_guarded
from devlint.analysis.guards.option_flags import set_without_asking
from devlint.analysis.legacy_types.modern_calls import cast_argument
from devlint.analysis.legacy_types.tensor_types import string_type
from devlint.analysis.legacy_types.type_uses import TypeUse
from devlint.analysis.names.program_options import ProgramOption, program_options
from devlint.analysis.names.resolution import attributes_named, origin
from devlint.core.diagnostic import Fix
from devlint.fixes.conditional_device import availability_caveat, conditional_value
from devlint.syntax import edits
from devlint.syntax.file_context import FileContext


def tensor_type_options(ctx: FileContext) -> Iterator[ProgramOption]:
    """The options of a parser that are ``"torch.cuda.FloatTensor"`` or the like, if the file casts to them."""
    for option in program_options(ctx) if ctx.target.kind == "cuda" else ():
        kind = string_type(option.default.value) if option.default is not None else None
        if kind is not None and kind.cuda and option.of_parser and _is_cast_to(ctx, option.destination or ""):
            yield option


def tensor_type_fix(ctx: FileContext, option: ProgramOption) -> Fix | None:
    """The fix that makes the default the CPU's type of the same name where there is no CUDA."""
    default = option.default.value if option.default is not None else None
    if not isinstance(default, cst.SimpleString):
        return None
    return _choice_fix(ctx, default)


def type_attribute_fix(ctx: FileContext, use: TypeUse) -> Fix | None:
    """The same for ``self.Tensor = torch.cuda.FloatTensor`` where all that the file does with it needs that type."""
    statement, node = use.owner, use.node
    if not isinstance(statement, cst.Assign) or statement.value is not node or len(statement.targets) != 1:
        return None
    target, named = statement.targets[0].target, ctx.text_of(node)
    if not isinstance(target, cst.Attribute) or ctx.target.kind != "cuda" or use.choice.test is not None:
        return None
    others = [one for one in attributes_named(ctx, target.attr.value) if one is not target]
    uses = [one for one in others if not (origin(ctx, one) or "").startswith("torch.")]
    if ".cuda." not in named or runs_guarded(ctx, node) or not uses or not all(_needs_type(ctx, one) for one in uses):
        return None
    return _choice_fix(ctx, node)


def _choice_fix(ctx: FileContext, node: cst.BaseExpression) -> Fix | None:
    choice = conditional_value(ctx, node, ctx.text_of(node).replace(".cuda.", ".", 1))
    if choice is None:
        return None
    return edits.as_fix("Fall back to the CPU where there is no CUDA", choice.edits, choice.caveat)


def _needs_type(ctx: FileContext, use: cst.BaseExpression) -> bool:
    """Whether a type makes a tensor, or is cast to, which fails without CUDA: no test asks for it."""
    parent = ctx.tree.parent(use)
    if isinstance(parent, cst.Call):
        return parent.func is use
    call = ctx.tree.parent(parent) if isinstance(parent, cst.Arg) else None
    return isinstance(call, cst.Call) and cast_argument(call) is parent


def _is_cast_to(ctx: FileContext, name: str) -> bool:
    """Whether ``x.type(args.name)`` casts to the type without a test for CUDA."""
    for read in attributes_named(ctx, name):
        arg = ctx.tree.parent(read)
        call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) else None
        method = call.func if isinstance(call, cst.Call) else None
        if isinstance(method, cst.Attribute) and method.attr.value == "type" and are_parsed_options(ctx, read.value):
            if not runs_guarded(ctx, read):
                return True
    return False


def chosen_modules(ctx: FileContext) -> Iterator[tuple[cst.IfExp, Fix | None]]:
    """The choices by a flag that the program sets without asking torch, and the fix that asks torch as well."""
    for chosen in ctx.tree.of_type(cst.IfExp):
        if (origin(ctx, chosen.body), origin(ctx, chosen.orelse)) != ("torch.cuda", "torch"):
            continue
        asked = as_condition(ctx, chosen.test, True)
        if asked is None or not asked.names or is_availability(ctx, asked, chosen) or "is_available" in asked.text:
            continue
        if all(set_without_asking(ctx, name, chosen) for name in asked.names):
            yield chosen, _joined_fix(ctx, chosen)


def _joined_fix(ctx: FileContext, chosen: cst.IfExp) -> Fix | None:
    if ctx.target.kind != "cuda":
        return None
    joined = edits.ask_also(ctx, chosen.test, f"{ctx.text_of(chosen.body)}.is_available()")
    return edits.as_fix("Ask torch for CUDA as well", [joined], availability_caveat(ctx, chosen))
