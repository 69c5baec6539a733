"""What needs CUDA, and what it becomes where any accelerator is to do: literals, calls of ``torch.cuda``, moves."""

from __future__ import annotations

import re

import libcst as cst

from devlint.analysis.cuda.literal_roles import LiteralRole, literal_uses
from devlint.analysis.devices.cuda_literals import CudaLiteral, LiteralKind, cuda_literal
from devlint.analysis.guards.availability_flow import AVAILABLE
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import is_torch, origin
from devlint.analysis.names.string_literals import string_value
from devlint.core.diagnostic import Edit
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.core.target import CURRENT
from devlint.syntax import edits
from devlint.syntax.edits import replace_expression
from devlint.syntax.file_context import FileContext, fact
from devlint.torch_api.cuda_members import OnCpu, cuda_member
from devlint.torch_api.cuda_naming import polarity
from devlint.torch_api.device_naming import NOT_FOR_CUDA
from devlint.torch_api.libraries import CUDA_ONLY

_CUDA_WORDS = regex(r"cuda|nvidia|nvcc|hip|rocm", re.IGNORECASE)
_MADE_FOR_CUDA = regex(r"cuda|nccl", re.IGNORECASE)
_OTHERS = NOT_FOR_CUDA | {"cpu"}


class Dependent(Record, eq=False):
    """A node that works on CUDA only."""

    node: cst.CSTNode
    literal: CudaLiteral | None = None
    """A literal whose place is known to hold a device; None for all else."""
    in_slot: bool = False
    """Whether a torch.device may stand in the place of a string."""


@fact
def cuda_dependents(ctx: FileContext) -> list[Dependent]:
    """Every node of a file that works on CUDA only, and would fail on another accelerator."""
    uses = literal_uses(ctx, *LiteralRole)
    inside = {id(one) for use in uses for one in ctx.tree.below(use.node)}
    found = [Dependent(use.node, use.literal, use.role is LiteralRole.SLOT) for use in uses]
    strings = (*ctx.tree.of_type(cst.SimpleString), *ctx.tree.of_type(cst.FormattedString))
    for text in (*strings, *ctx.tree.of_type(cst.Integer)):
        if id(text) not in inside and (_is_cuda_word(ctx, text) or _is_other_device(ctx, text)):
            found.append(Dependent(text, cuda_literal(ctx, text) if _is_choice_of_device(ctx, text) else None))
    for attribute in (*ctx.tree.of_type(cst.Attribute), *ctx.tree.of_type(cst.Name)):
        if _is_cuda_member(ctx, attribute):
            found.append(Dependent(attribute))
    for call in ctx.tree.of_type(cst.Call):
        name = call.func.attr.value if isinstance(call.func, cst.Attribute) else dotted_name(call.func) or ""
        if _MADE_FOR_CUDA.search(name) and not (origin(ctx, call.func) or "").startswith("torch.") and not _asks(name):
            found.append(Dependent(call))
    for line in (*ctx.tree.of_type(cst.Import), *ctx.tree.of_type(cst.ImportFrom)):
        if any(f" {name}" in ctx.text_of(line) for name in CUDA_ONLY):
            found.append(Dependent(line))
    return found


@fact
def cuda_settings(ctx: FileContext) -> list[cst.CSTNode]:
    """What only means something for CUDA, but does no harm without it: settings of its backends, seeds, counters."""
    found: list[cst.CSTNode] = []
    for node in (*ctx.tree.of_type(cst.Attribute), *ctx.tree.of_type(cst.Name)):
        named = origin(ctx, node) or ""
        if named.startswith(("torch.backends.cud", "torch.cuda.", "torch.version.")) and named != AVAILABLE:
            found.append(node)
    return found


def _is_choice_of_device(ctx: FileContext, text: cst.BaseExpression) -> bool:
    """Whether a string is one of two devices to choose from: ``"cuda" if test else "cpu"``."""
    choice = ctx.tree.parent(text)
    if not isinstance(choice, cst.IfExp) or text not in (choice.body, choice.orelse):
        return False
    other: cst.BaseExpression = choice.orelse if text is choice.body else choice.body
    while isinstance(other, cst.IfExp):
        other = other.orelse
    return string_value(other) in _OTHERS


def _is_other_device(ctx: FileContext, node: cst.BaseExpression) -> bool:
    """Whether a string or number stands for a GPU by the side of ``"cpu"``: ``"0" if test else "cpu"``."""
    return _is_choice_of_device(ctx, node) and string_value(node) not in _OTHERS


def _is_cuda_word(ctx: FileContext, text: cst.BaseExpression) -> bool:
    """Whether a string is CUDA's name, or that of its backend or types, and not only compared with something."""
    if isinstance(text, cst.FormattedString):
        first = text.parts[0] if text.parts else None
        return isinstance(first, cst.FormattedStringText) and first.value.startswith("cuda:")
    value = string_value(text) or ""
    if isinstance(ctx.tree.parent(text), (cst.Comparison, cst.ComparisonTarget, cst.Expr)):
        return False
    return value == "nccl" or value.startswith(("cuda:", "torch.cuda.")) or value == "cuda"


def _is_cuda_member(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a name is a member of torch.cuda that does not work without CUDA."""
    parent = ctx.tree.parent(node)
    if isinstance(parent, (cst.Attribute, cst.ImportAlias, cst.AsName)):
        return False
    called = origin(ctx, node) or ""
    if not called.startswith("torch.cuda."):
        return False
    member = cuda_member(called)
    return member is None or member.on_cpu is not OnCpu.HARMLESS


def is_asked_for(ctx: FileContext, dependent: Dependent) -> bool:
    """Whether something of CUDA's own is used where an option asks for it: ``if cfg.cudagraphs: CudaGraphModule(…)``.

    Which device the program takes decides nothing there, before and after.
    """
    if not isinstance(dependent.node, cst.Call) or (dotted_name(dependent.node.func) or "cuda").endswith("cuda"):
        return False
    for child, parent in ctx.tree.path_up(dependent.node):
        if isinstance(parent, (cst.If, cst.IfExp)) and child is parent.body:
            option = (dotted_name(parent.test) or "").rpartition(".")[2]
            if _CUDA_WORDS.search(option) and polarity(option) is None:
                return True
    return False


def _asks(name: str) -> bool:
    """Whether a function only asks for CUDA."""
    return name.lower().startswith(("is_", "has_", "use_", "with_", "check_")) or "available" in name


def on_accelerator(ctx: FileContext, dependent: Dependent, torch: str) -> tuple[Edit, ...] | None:
    """The edits that make a dependent work on whichever accelerator there is; None where nothing can be written."""
    node = dependent.node
    if dependent.literal is not None:
        whole = _whole_choice(ctx, dependent.node, torch)
        if whole is not None:
            return whole
        text = literal_text(ctx, dependent.literal, torch, dependent.in_slot)
        edit = replace_expression(ctx, dependent.literal.node, text) if text is not None else None
        return None if edit is None else (edit,)
    parent = ctx.tree.parent(node)
    member = cuda_member(origin(ctx, node))
    if member is None or not isinstance(parent, cst.Call) or parent.func is not node or not member.same_result:
        return None
    named = any(arg.keyword is not None or arg.star for arg in parent.args)
    newer = member.counterpart_since > ctx.target.torch_min_version
    if member.counterpart is None or named or newer or member.on_cpu is not OnCpu.RAISES:
        return None
    edit = replace_expression(ctx, parent.func, f"{torch}.{member.counterpart}")
    return None if edit is None else (edit,)


def literal_text(ctx: FileContext, literal: CudaLiteral, torch: str, in_slot: bool = False) -> str | None:
    """A CUDA literal as the accelerator there is, a string in a slot as a device; None for a loader or a number."""
    if literal.kind not in (LiteralKind.DEVICE, LiteralKind.STRING):
        return None
    if literal.index is not None:
        return ctx.target.card(torch, literal.index, literal.kind is LiteralKind.STRING)
    current = f"{torch}.{CURRENT}"
    return current if in_slot or literal.kind is LiteralKind.DEVICE else f"{current}.type"


def _whole_choice(ctx: FileContext, literal: cst.CSTNode, torch: str) -> tuple[Edit, ...] | None:
    """``torch.device("cuda" if test else "cpu")`` written anew, but for the test, where ``"cuda"`` is the literal."""
    choice = ctx.tree.parent(literal)
    arg = ctx.tree.parent(choice) if isinstance(choice, cst.IfExp) else None
    call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) else None
    if not isinstance(call, cst.Call) or not isinstance(choice, cst.IfExp) or len(call.args) != 1:
        return None
    if not is_torch(ctx, call.func, "device") or string_value(choice.body) != "cuda":
        return None
    if string_value(choice.orelse) != "cpu" or choice.body is not literal or "#" in ctx.text_of(call) or choice.lpar:
        return None
    stands_alone = isinstance(ctx.tree.parent(call), (cst.Assign, cst.AnnAssign, cst.Return, cst.Arg))
    if not stands_alone and not isinstance(ctx.tree.parent(call), cst.IfExp):
        return None
    new, other = f"{torch}.{CURRENT}", f'{torch}.device("cpu")'
    if "\n" in ctx.text_of(call):  # the parentheses hold the lines together
        pairs = ((call.func, ""), (choice.body, new), (choice.orelse, other))
        return tuple(edits.replace(ctx, node, text) for node, text in pairs)
    opening, closing = ("", "") if stands_alone else ("(", ")")
    return (
        edits.replace_from_to(ctx, call.func, choice.body, opening + new),
        edits.replace_to_end(ctx, choice.orelse, call, other + closing),
    )


def speaks_of_cuda(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether a name or a text below ``node`` has to do with CUDA, beside the question whether there is one."""
    for one in ctx.tree.below(node):
        if isinstance(one, (cst.SimpleString, cst.FormattedStringText, cst.Name)):
            if _CUDA_WORDS.search(one.value) and not _is_question(ctx, one):
                return True
    return False


def _is_question(ctx: FileContext, name: cst.CSTNode) -> bool:
    """Whether a name is the ``cuda`` of ``torch.cuda.is_available``."""
    whole = ctx.tree.parent(name)
    return isinstance(whole, cst.Attribute) and (origin(ctx, whole) or "").startswith("torch.cuda")
