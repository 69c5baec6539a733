"""One question to torch.accelerator in the place of a chain that asks for one accelerator after the other."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.vendor_actions import ActionChain
from devlint.analysis.devices.vendor_chains import VendorChain
from devlint.analysis.names.control_flow import statements
from devlint.analysis.names.resolution import torch_device_of
from devlint.core.diagnostic import Edit, Fix, Span
from devlint.core.target import CURRENT
from devlint.fixes.conditional_device import replace_by_choice
from devlint.fixes.torch_import import torch_name
from devlint.syntax import edits
from devlint.syntax.edits import fit_quotes, replace_expression
from devlint.syntax.file_context import FileContext
from devlint.syntax.line_edits import indentation, replace_statements

CAVEAT = "torch chooses among the accelerators, and may know of more of them"


def chain_fix(ctx: FileContext, chain: VendorChain) -> Fix | None:
    """The accelerator that torch itself names, in the place of the whole chain."""
    torch = torch_name(ctx, chain.first)
    if torch is None or ctx.target.kind != "accelerator" or not chain.is_known:
        return None
    device = ctx.target.device_expression(torch[0], index=chain.card)
    text = ctx.target.string_expression(torch[0], index=chain.card)
    made: list[Edit | None] = [*torch[1]]
    if chain.kept is not None:
        made += _first_branch(ctx, chain, torch[0])
    elif chain.target is not None:
        begin = f"{chain.target} = " if chain.target else "return "
        made.append(replace_statements(ctx, chain.first, chain.last, begin + (device if chain.as_device else text)))
    else:
        call = torch_device_of(ctx, chain.first)
        whole, new = (chain.first, device if chain.as_device else text) if call is None else (call, device)
        assert isinstance(whole, cst.BaseExpression)
        made.append(replace_by_choice(ctx, whole, new))
    return edits.as_fix("Use the accelerator that torch names", made, CAVEAT)


def _first_branch(ctx: FileContext, chain: VendorChain, torch: str) -> list[Edit | None]:
    """The edits that leave the first branch, for any accelerator, and the ``else``."""
    first, kept = chain.first, chain.kept
    assert isinstance(first, cst.If) and kept is not None
    line = statements(first.body)[-1]
    small = line.body[0] if isinstance(line, cst.SimpleStatementLine) else None
    value = small.value if isinstance(small, (cst.Assign, cst.Return)) else None
    if value is None or not isinstance(first.orelse, cst.If):
        return [None]
    text = chain_value(ctx, chain, torch)
    test = replace_expression(ctx, first.test, ctx.target.available(torch))
    between = Span(ctx.span(first.orelse).start, ctx.span(kept).start)
    return [test, replace_expression(ctx, value, text) if text is not None else None, Edit(between, "")]


def chain_value(ctx: FileContext, chain: VendorChain, torch: str) -> str | None:
    """The device of a chain where there is an accelerator."""
    if chain.card is not None:
        return ctx.target.card(torch, chain.card, as_string=not chain.as_device)
    return f"{torch}.{CURRENT}" if chain.as_device else f"{torch}.{CURRENT}.type"


def action_fix(ctx: FileContext, chain: ActionChain) -> Fix | None:
    """The functions of torch.accelerator under one test, in the place of all branches; an ``else`` stays."""
    whole = chain.statement
    indent, inner = indentation(ctx, whole), indentation(ctx, statements(whole.body)[0])
    torch = torch_name(ctx, whole)
    if indent is None or inner is None or torch != ("torch", ()) or ctx.target.kind != "accelerator":
        return None
    test = fit_quotes(ctx, whole.test, f'{chain.asked} != "cpu"') if chain.asked else ctx.target.available("torch")
    lines = [f"if {test}:", *(inner + one for one in chain.body)]
    if chain.orelse is not None:
        rest = ctx.source.text[ctx.span(chain.orelse).start : ctx.span(whole).end]
        lines.append(indent + rest.rstrip("\r\n"))
    made = [replace_statements(ctx, whole, whole, ctx.source.newline.join(lines))] if test is not None else [None]
    return edits.as_fix("Do it for whatever accelerator there is", made, CAVEAT)
