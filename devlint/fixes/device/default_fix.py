"""Options and fields that are CUDA by default, also where the program chooses its visible GPUs below."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from devlint.analysis.apis.forked_processes import forks_processes, is_sent_by_importers, sends_its_code
from devlint.analysis.apis.visible_devices import visible_devices_set_after, visible_devices_writes
from devlint.analysis.cuda.literal_roles import LiteralRole, LiteralUse
from devlint.analysis.cuda.ways_without_cuda import ANOTHER_WAY, goes_another_way
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.control_flow import block_path, scope_body, statements
from devlint.analysis.names.program_options import ProgramOption, program_option
from devlint.analysis.names.resolution import uses_of
from devlint.analysis.names.scopes import scopes
from devlint.core.diagnostic import Edit, Fix
from devlint.fixes.conditional_device import BEFORE_CHOICE, conditional_device
from devlint.fixes.device.shared_default import shared_default
from devlint.fixes.lazy_defaults import default_factory_edits
from devlint.fixes.torch_import import torch_name
from devlint.syntax import edits, line_edits
from devlint.syntax.call_arguments import keyword_argument
from devlint.syntax.file_context import FileContext

_PARSERS = frozenset({"parse_args", "parse_known_args"})


def default_fix(ctx: FileContext, use: LiteralUse) -> Fix | None:
    """The fix that falls back to the CPU: in the default, in a factory, or below what chooses the visible GPUs."""
    choice = conditional_device(ctx, use.literal)
    if choice is None:
        return None
    later: Sequence[Edit | None] | None = None
    if choice.caveat and use.role is LiteralRole.FIELD:
        later = default_factory_edits(ctx, use.owner, use.literal)
    elif choice.caveat is None:
        later = shared_default(ctx, use)
    elif choice.caveat == BEFORE_CHOICE:
        later = _late_option_edits(ctx, use.owner)
    caveat = choice.caveat if later is None else None
    return edits.as_fix("Fall back to the CPU where there is no CUDA", later or choice.edits, caveat)


def _late_option_edits(ctx: FileContext, owner: cst.CSTNode) -> list[Edit] | None:
    """The edits that make an option the CPU's below the last choice of GPUs, where it is CUDA and there is none.

    None where the function does not parse and choose one after the other, or uses the option between them.
    """
    option = program_option(owner) if isinstance(owner, cst.Call) else None
    parsed = _parsed(ctx, option) if option is not None and ctx.target.kind == "cuda" else None
    if option is None or parsed is None or forks_processes(ctx) or sends_its_code(ctx) or is_sent_by_importers(ctx):
        return None
    name, line = parsed
    scope = scopes(ctx).scope_of(line)
    body = scope_body(scope)
    writes = visible_devices_writes(ctx)
    last = _last_that_holds(ctx, body, writes, scope.node)
    torch = torch_name(ctx, last) if last is not None else None
    if last is None or torch is None or torch[1] or visible_devices_set_after(ctx, last, True):
        return None
    read = f"{name}.{option.destination}"
    if not _is_only_compared(ctx, [one for one in uses_of(ctx, scope, name) if _is_before(ctx, one, last)], line, read):
        return None
    return _lines(ctx, option, last, read, torch[0])


def _lines(ctx: FileContext, option: ProgramOption, last: cst.CSTNode, read: str, torch: str) -> list[Edit] | None:
    """The test below the last choice."""
    default = option.default.value if option.default is not None else None
    step = line_edits.step_after(ctx, line_edits.indentation(ctx, last) or "")
    if not isinstance(default, cst.SimpleString):
        return None
    cpu = f"{default.quote}cpu{default.quote}"
    lines = [f"if {read} == {default.value} and not {ctx.target.available(torch)}:", f"{step}{read} = {cpu}"]
    edit = line_edits.insert_line_after(ctx, last, lines)
    return [edit] if edit is not None else None


def _parsed(ctx: FileContext, option: ProgramOption) -> tuple[str, cst.CSTNode] | None:
    """The name of what the parser of an option gives in the same function, and that statement."""
    kind = keyword_argument(option.call, "type")
    is_text = kind is None or dotted_name(kind.value) == "str"
    default = option.default.value if option.default is not None else None
    if not is_text or not option.of_parser or option.destination is None or not isinstance(default, cst.SimpleString):
        return None
    scope = scopes(ctx).scope_of(option.call)
    for name, found in scope.bindings.items():
        line = found[0].node if len(found) == 1 else None
        call = line.value if isinstance(line, cst.Assign) and len(line.targets) == 1 else None
        if isinstance(call, cst.Call) and isinstance(call.func, cst.Attribute) and call.func.attr.value in _PARSERS:
            target = line.targets[0].target if isinstance(line, cst.Assign) else None
            first = target.elements[0].value if isinstance(target, cst.Tuple) else target
            if isinstance(first, cst.Name) and first.value == name and line is not None:
                return name, line
    return None


def _last_that_holds(
    ctx: FileContext, body: Sequence[cst.CSTNode], nodes: list[cst.CSTNode], top: cst.CSTNode
) -> cst.CSTNode | None:
    """The last statement of a body that holds one of some nodes; None where one is elsewhere."""
    found = [block_path(ctx, one, top) for one in nodes]
    places = [path[0][1] for path in found if path and statements(path[0][0]) is body]
    return body[max(places)] if places and len(places) == len(nodes) else None


def _is_before(ctx: FileContext, one: cst.CSTNode, last: cst.CSTNode) -> bool:
    return ctx.span(one).start < ctx.span(last).end


def _is_only_compared(ctx: FileContext, uses: list[cst.Name], line: cst.CSTNode, read: str) -> bool:
    """Whether nothing gets the options, and the device among them is only compared."""
    for one in uses:
        if ctx.tree.is_around(line, one):
            continue
        parent = ctx.tree.parent(one)
        if not isinstance(parent, cst.Attribute):
            return False
        if dotted_name(parent) == read and not isinstance(ctx.tree.parent(parent), cst.Comparison):
            return False
    return True


def unless_another_way(ctx: FileContext, use: LiteralUse, fix: Fix | None) -> Fix | None:
    """A fix, which is unsafe where the program asks for CUDA by default and then does something else without it."""
    if fix is None or not fix.is_safe or not goes_another_way(ctx, use):
        return fix
    return fix.made_unsafe(ANOTHER_WAY)
