"""A CUDA literal rewritten, where it stands, as a choice between CUDA and the CPU."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.apis.asked_at_import import asks_at_import
from devlint.analysis.apis.forked_processes import forks_below, forks_processes, is_sent_by_importers, sends_its_code
from devlint.analysis.apis.placed_before_fork import is_placed_at_once, is_placed_before_fork
from devlint.analysis.apis.visible_devices import is_option_of_card_chooser, visible_devices_set_after
from devlint.analysis.choosers.card_choosers import may_ask_at_import
from devlint.analysis.cuda.probes import handled_otherwise
from devlint.analysis.devices.card_numbers import is_number
from devlint.analysis.devices.cuda_literals import CudaLiteral, LiteralKind, cuda_literal
from devlint.analysis.guards.cuda_flags import is_cuda_answer, names_answer
from devlint.analysis.guards.guards import is_guarded
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.control_flow import index_in, statements
from devlint.analysis.names.program_options import defines_option
from devlint.analysis.names.resolution import bindings
from devlint.analysis.names.scopes import Scope, scopes
from devlint.analysis.names.scripts import is_script
from devlint.analysis.names.string_literals import string_value
from devlint.analysis.names.torchscript import is_compiled
from devlint.analysis.project.ask import project_around
from devlint.core.diagnostic import Edit
from devlint.core.record import Record
from devlint.fixes.project_imports import project_imports
from devlint.fixes.torch_import import torch_name
from devlint.syntax import edits
from devlint.syntax.edits import fit_quotes, replace_expression
from devlint.syntax.file_context import FileContext

AT_IMPORT = "asks for CUDA when the module is imported"
BEFORE_CHOICE = "asks for CUDA before the program sets its visible GPUs"
FORKED = "asks for CUDA before the program forks processes, which then cannot use it"
SENT = "asks for CUDA before the program sends its code to processes that may see other GPUs"
ANY_ACCELERATOR = "a number alone means a card of any accelerator, and this is CUDA's"

_BRACKETS_ENOUGH = (
    cst.Arg,
    cst.Assign,
    cst.AnnAssign,
    cst.AugAssign,
    cst.Return,
    cst.Element,
    cst.DictElement,
    cst.Param,
    cst.NamedExpr,
)


class ConditionalDevice(Record):
    """The edits that make a literal a choice, and why that may be unsafe."""

    edits: tuple[Edit, ...]
    caveat: str | None = None


def conditional_device(ctx: FileContext, literal: CudaLiteral) -> ConditionalDevice | None:
    """The choice in the place of ``literal``; None where it cannot be written."""
    choice = conditional_expression(ctx, literal)
    torch = torch_name(ctx, literal.node)
    if choice is None or torch is None:
        return None
    text, imports = choice
    if ctx.target.kind != "cuda" or literal.kind in (LiteralKind.NUMBER, LiteralKind.LOADER):
        own = _replace(ctx, literal.node, text)
    else:
        own = _suffix(ctx, literal, torch[0])
    if own is None:
        return None
    caveat = availability_caveat(ctx, literal.node) or accelerator_caveat(ctx, literal)
    return ConditionalDevice((*own, *imports), caveat)


def conditional_value(ctx: FileContext, node: cst.BaseExpression, otherwise: str) -> ConditionalDevice | None:
    """The choice between an expression, where there is CUDA, and another one; None where torch has no name."""
    torch = torch_name(ctx, node)
    if torch is None:
        return None
    test = _asked_above(ctx, node) or ctx.target.available(torch[0])
    own = _append(ctx, node, f" if {test} else {otherwise}")
    return ConditionalDevice((*own, *torch[1]), availability_caveat(ctx, node))


def stays_cuda(ctx: FileContext, name: str, at: cst.CSTNode) -> str | None:
    """Why a name of the module stays CUDA after safe fixes, so that its use gains nothing; None where it does not."""
    scope, found = bindings(ctx, name, at)
    value = found[0].value if scope is scopes(ctx).module and len(found) == 1 else None
    literal = cuda_literal(ctx, value) if value is not None else None
    choice = conditional_device(ctx, literal) if literal is not None else None
    return f"`{name}` itself {choice.caveat} then" if choice is not None and choice.caveat is not None else None


def conditional_expression(ctx: FileContext, literal: CudaLiteral) -> tuple[str, tuple[Edit, ...]] | None:
    """The choice as an expression of its own, with the imports it needs; TorchScript compiles none."""
    if is_compiled(ctx, literal.node):
        return None
    torch = torch_name(ctx, literal.node)
    text = conditional_text(ctx, literal, torch[0]) if torch is not None else None
    if torch is None or text is None:
        return None
    imports = imports_of_choice(ctx, torch[1])
    return None if imports is None else (text, imports)


def imports_of_choice(ctx: FileContext, of_torch: tuple[Edit, ...]) -> tuple[Edit, ...] | None:
    """The imports that a choice needs: torch's, or the project's own; None if one cannot be written."""
    if ctx.target.kind != "project":
        return of_torch
    return project_imports(ctx, [ctx.target.device_import]) if ctx.target.device_import else ()


def conditional_text(ctx: FileContext, literal: CudaLiteral, torch: str) -> str | None:
    """The choice as an expression of its own, of the type that ``literal`` has; a number becomes a string."""
    if ctx.target.kind == "project":
        return ctx.target.device if literal.is_first else None
    if ctx.target.kind == "accelerator" and literal.index is not None:
        card = ctx.target.card(torch, literal.index, literal.kind is LiteralKind.STRING or _is_text(ctx, literal))
        if card is not None and _is_text(ctx, literal):
            card = f"{torch}.device({card})"
        other = f'{torch}.device("cpu")' if literal.kind is LiteralKind.DEVICE else '"cpu"'
        return f"{card} if {ctx.target.available(torch)} else {other}" if card is not None else None
    if literal.is_constant and literal.kind is LiteralKind.DEVICE:
        return ctx.target.device_expression(torch, index=literal.index)
    if literal.is_constant:
        return ctx.target.string_expression(torch, index=literal.index)
    if literal.kind is LiteralKind.DEVICE:
        return f'{ctx.text_of(literal.node)} if {ctx.target.available(torch)} else {torch}.device("cpu")'
    card = (
        ctx.text_of(literal.node) if literal.kind is LiteralKind.STRING else f'{torch}.device("cuda", {literal.index})'
    )
    return f'{card} if {ctx.target.available(torch)} else "cpu"'


def _is_text(ctx: FileContext, literal: CudaLiteral) -> bool:
    """Whether a card's number stands in the text of a device and may be a text itself: ``os.environ["LOCAL_RANK"]``."""
    call = literal.node
    if literal.kind is not LiteralKind.DEVICE or literal.is_constant or not isinstance(call, cst.Call):
        return False
    numbers = (one for one in ctx.tree.below(call) if isinstance(one, cst.BaseExpression))
    number = next((one for one in numbers if ctx.text_of(one) == literal.index), None)
    return len(call.args) == 1 and isinstance(number, (cst.Subscript, cst.Call)) and not is_number(ctx, number)


def _suffix(ctx: FileContext, literal: CudaLiteral, torch: str) -> list[Edit] | None:
    """The edits that append the choice to the literal as it is written, in the same quotes."""
    node = literal.node
    inner = node if literal.kind is LiteralKind.STRING else _only_argument(node)
    test = f" if {_asked_above(ctx, node) or ctx.target.available(torch)} else "
    if inner is not None:
        quote = "'" if ctx.text_of(inner).partition("'")[0].count('"') == 0 else '"'
        return _append(ctx, inner, f"{test}{quote}cpu{quote}")
    assert isinstance(node, cst.Call)
    called = ctx.text_of(node.func)
    if literal.is_constant and "#" not in ctx.text_of(node):
        text = ctx.target.string_expression(torch, _asked_above(ctx, node), literal.index)
        return _replace(ctx, node, f"{called}({text})")
    other = fit_quotes(ctx, node, f'{called if "#" not in called else f"{torch}.device"}("cpu")')
    return None if other is None else _append(ctx, node, f"{test}{other}")


def _asked_above(ctx: FileContext, node: cst.CSTNode) -> str | None:
    """The name that the line above gives to ``torch.cuda.is_available()``, and nothing else is given to."""
    if ctx.target.kind != "cuda":
        return None
    line = next((one for one in ctx.tree.ancestors(node) if isinstance(one, cst.SimpleStatementLine)), None)
    block = ctx.tree.parent(line) if line is not None else None
    index = index_in(ctx, block, line) if block is not None and line is not None else None
    above = statements(block)[index - 1] if block is not None and index else None
    small = above.body[-1] if isinstance(above, cst.SimpleStatementLine) else None
    if not isinstance(small, cst.Assign) or len(small.targets) != 1 or not is_cuda_answer(ctx, small.value):
        return None
    name = dotted_name(small.targets[0].target)
    return name if name is not None and names_answer(ctx, name, node) else None


def _only_argument(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """The string in ``torch.device("cuda")``."""
    if not isinstance(node, cst.Call) or len(node.args) != 1:
        return None
    value = node.args[0].value
    is_string = string_value(value) is not None or isinstance(value, (cst.FormattedString, cst.BinaryOperation))
    formats = (
        isinstance(value, cst.Call) and isinstance(value.func, cst.Attribute) and value.func.attr.value == "format"
    )
    return value if is_string or formats else None


def _append(ctx: FileContext, node: cst.BaseExpression, suffix: str) -> list[Edit]:
    """Insert ``suffix`` after ``node``, and parentheses around both where they are needed."""
    if not needs_parentheses(ctx, node):
        return [edits.insert_after(ctx, node, suffix)]
    return [edits.insert_before(ctx, node, "("), edits.insert_after(ctx, node, suffix + ")")]


def _replace(ctx: FileContext, node: cst.BaseExpression, text: str) -> list[Edit] | None:
    edit = replace_by_choice(ctx, node, text)
    return None if edit is None else [edit]


def replace_by_choice(ctx: FileContext, node: cst.BaseExpression, text: str) -> Edit | None:
    """Replace ``node`` by an expression that may be conditional, in parentheses where it needs them."""
    return replace_expression(ctx, node, f"({text})" if " " in text and needs_parentheses(ctx, node) else text)


def needs_parentheses(ctx: FileContext, node: cst.BaseExpression) -> bool:
    """Whether a conditional expression in the place of ``node`` needs parentheses."""
    parent = ctx.tree.parent(node)
    if isinstance(parent, cst.Arg) and parent.star:
        return True
    return not isinstance(parent, _BRACKETS_ENOUGH)


def availability_caveat(ctx: FileContext, at: cst.CSTNode) -> str | None:
    """Why asking for CUDA at ``at`` may be too early, or change what a ``try`` does; None where it may not."""
    if visible_devices_set_after(ctx, at) or is_option_of_card_chooser(ctx, at):
        return BEFORE_CHOICE
    if defines_option(ctx, at) and (sends_its_code(ctx) or is_sent_by_importers(ctx)):
        return SENT
    if not runs_at_import(ctx, at):
        forked = forks_below(ctx, at) and not is_placed_before_fork(ctx, at)
        return FORKED if forked else handled_otherwise(ctx, at)
    if not is_script(ctx) and not asks_at_import(ctx) and not may_ask_at_import(project_around(ctx)):
        return AT_IMPORT
    if forks_processes(ctx) and not is_placed_before_fork(ctx, at):
        return FORKED
    if sends_its_code(ctx) and not is_placed_at_once(ctx, at):
        return SENT
    return handled_otherwise(ctx, at)


def accelerator_caveat(ctx: FileContext, literal: CudaLiteral) -> str | None:
    """Why CUDA may be another device than ``literal`` on a machine with another accelerator; None where it is not."""
    settled = not literal.is_number or ctx.target.kind != "cuda" or "cuda." in (literal.index or "")
    return None if settled or is_guarded(ctx, literal.node) else ANY_ACCELERATOR


def runs_at_import(ctx: FileContext, at: cst.CSTNode) -> bool:
    """Whether ``at`` runs with the module's or a class's body, and not when something is called."""
    scope: Scope | None = scopes(ctx).scope_of(at)
    while scope is not None:
        if isinstance(scope.node, (cst.FunctionDef, cst.Lambda)):
            return False
        scope = scope.parent
    return True
