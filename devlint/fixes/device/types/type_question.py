"""What a test for CUDA by a device's type becomes where any accelerator is meant, with all that it governs."""

from __future__ import annotations

import re

import libcst as cst

from devlint.analysis.apis.accelerator_members import accelerator_member
from devlint.analysis.devices.type_questions import TypeQuestion
from devlint.analysis.devices.vendor_chains import names_other_accelerator
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.control_flow import statements
from devlint.analysis.names.resolution import origin
from devlint.analysis.names.string_literals import string_value
from devlint.core.diagnostic import Edit, Fix
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.fixes.apis.cuda_dependents import cuda_dependents, on_accelerator
from devlint.fixes.torch_import import torch_name
from devlint.syntax import edits
from devlint.syntax.edits import fit_quotes, replace_expression
from devlint.syntax.file_context import FileContext
from devlint.torch_api.cuda_members import OnCpu, cuda_member

CAVEAT = "other accelerators than CUDA now go this way, too"
_SPEAKS = regex(r"cuda|cudnn|nccl|nvtx|nvidia|hip\b|rocm|triton|flash_?attn|kernel(?!_size)|warp", re.IGNORECASE)
_OTHERS = regex(r"(?:^|_)(?:xla|tpu|ipu|lazy_tensor)(?:_|$)", re.IGNORECASE)
_PINS = regex(r"pin(?:ned|_memory)?\Z|_pin(?:_memory)?\Z")
_PRECISIONS = frozenset(f"torch.{one}" for one in "float16 half bfloat16 float32 float".split())
_NOTHING = frozenset({"nullcontext", "contextlib.nullcontext", "dummy_context", "suppress", "contextlib.suppress"})


class Decision(Record, eq=False):
    """What a test decides, as far as the file shows."""

    is_for_any: bool
    """Whether the file shows that any accelerator is meant, and not CUDA alone."""
    changes: tuple[Edit | None, ...] = ()
    """What has to change with the test."""


def decision(ctx: FileContext, question: TypeQuestion) -> Decision | None:
    """What a question decides; None where it asks for CUDA with reason, or nobody can tell."""
    if ctx.fact(_has_other_devices):
        return None
    top, positive = _whole_test(ctx, question)
    owner = ctx.tree.parent(top)
    if isinstance(owner, cst.If) and owner.test is top:
        other = owner.orelse
        if isinstance(other, cst.If) or isinstance(ctx.tree.parent(owner), cst.If):
            return None
        blocks = (owner.body, other.body if other is not None else None)
        return _of_branches(ctx, question, *(blocks if positive else reversed(blocks)))
    if isinstance(owner, cst.IfExp) and owner.test is top:
        values = (owner.body, owner.orelse)
        return _of_branches(ctx, question, *(values if positive else reversed(values)))
    if not positive:
        return None
    if isinstance(owner, cst.Arg) and owner.keyword is not None:
        call = ctx.tree.parent(owner)
        name = owner.keyword.value
        others = [one for one in call.args if one is not owner] if isinstance(call, cst.Call) else []
        told = any(_says_cuda(one) for other in others for one in ctx.tree.below(other))
        return Decision(True) if not told and (_PINS.search(name) or name == "enabled") else None
    targets = owner.targets if isinstance(owner, cst.Assign) else ()
    name = (dotted_name(targets[0].target) or "").rpartition(".")[2] if len(targets) == 1 else ""
    return Decision(True) if _PINS.search(name) else None


def _has_other_devices(ctx: FileContext) -> bool:
    """Whether a file also has devices that are neither the CPU nor torch's accelerator, such as those of XLA."""
    return any(_OTHERS.search(one.value) for one in ctx.tree.of_type(cst.Name))


def _whole_test(ctx: FileContext, question: TypeQuestion) -> tuple[cst.CSTNode, bool]:
    """The largest test that says no less than the question, and whether it holds where there is CUDA."""
    top: cst.CSTNode = question.node
    positive = question.positive
    while True:
        parent = ctx.tree.parent(top)
        if isinstance(parent, cst.UnaryOperation) and isinstance(parent.operator, cst.Not):
            positive = not positive
        elif not isinstance(parent, cst.BooleanOperation) or isinstance(parent.operator, cst.And) is not positive:
            return top, positive
        top = parent


def _of_branches(
    ctx: FileContext, question: TypeQuestion, wanted: cst.CSTNode | None, rest: cst.CSTNode | None
) -> Decision | None:
    """What two branches show: that of CUDA must work on any accelerator, the other one must be for no other."""
    if wanted is None or any(names_other_accelerator(ctx, one) for one in (wanted, rest) if one is not None):
        return None
    changed = _changes(ctx, wanted)
    if changed is None or (_is_one_text(question) and _names_card(ctx, wanted)):
        return None
    attributes = [one for one in ctx.tree.below(wanted) if isinstance(one, cst.Attribute)]
    generic = any(accelerator_member(ctx, one) or one.attr.value == "cpu" for one in attributes)
    if not question.is_string and question.kind in _text(ctx, wanted):
        generic = generic or isinstance(wanted, cst.BaseSuite)
        generic = generic or (isinstance(rest, cst.Call) and dotted_name(rest.func) in _NOTHING)
    if changed or generic:
        return Decision(True, tuple(changed))
    if rest is None:
        owner = question.kind.removesuffix(".type")
        return Decision(False) if owner != question.kind and owner in _text(ctx, wanted) else None
    return Decision(False) if _is_dtype(ctx, wanted) and _is_dtype(ctx, rest) else None


def _is_one_text(question: TypeQuestion) -> bool:
    """Whether a device is asked to be ``"cuda"``, so that ``"cuda:1"`` goes the other way."""
    equality = isinstance(question.node, cst.Comparison) and question.node.comparisons[0].operator
    return question.is_string and isinstance(equality, (cst.Equal, cst.NotEqual))


def _names_card(ctx: FileContext, branch: cst.CSTNode) -> bool:
    """Whether a branch chooses a card of CUDA by its number."""
    inside = {id(one) for one in ctx.tree.below(branch)}
    literals = (one.literal for one in cuda_dependents(ctx) if id(one.node) in inside)
    return any(one is not None and one.index is not None for one in literals)


def _is_dtype(ctx: FileContext, branch: cst.CSTNode) -> bool:
    """Whether a branch only chooses a precision: ``torch.float16``, ``dtype = torch.bfloat16``."""
    lines = list(statements(branch)) if isinstance(branch, cst.BaseSuite) else []
    line = lines[0] if len(lines) == 1 else None
    small = line.body[0] if isinstance(line, cst.SimpleStatementLine) else None
    value = small.value if isinstance(small, cst.Assign) else branch
    return (origin(ctx, value) or "") in _PRECISIONS


def _changes(ctx: FileContext, branch: cst.CSTNode) -> list[Edit | None] | None:
    """What makes a branch work on any accelerator; None where it is for CUDA."""
    torch = torch_name(ctx, branch)
    if torch is None:
        return None
    made: list[Edit | None] = []
    known: set[int] = set()
    dependents = {id(one.node): one for one in cuda_dependents(ctx)}
    for node in ctx.tree.below(branch):
        if id(node) in known:
            continue
        edit: tuple[Edit | None, ...] | None = ()
        if id(node) in dependents:
            edit = on_accelerator(ctx, dependents[id(node)], torch[0])
            edit = None if ctx.target.kind != "accelerator" else edit
        elif isinstance(node, (cst.Attribute, cst.Name)) and (origin(ctx, node) or "").startswith("torch.cuda."):
            edit = _harmless(ctx, node, torch[0])
        elif _says_cuda(node):
            return None
        if edit is None:
            return None
        if edit:
            known |= {id(one) for one in ctx.tree.below(node)}
            made += edit
    return [*made, *torch[1]] if made else made


def _says_cuda(node: cst.CSTNode) -> bool:
    """Whether a name or a text has to do with CUDA alone."""
    text = node.value if isinstance(node, (cst.Name, cst.SimpleString, cst.FormattedStringText)) else ""
    return _SPEAKS.search(text) is not None


def _harmless(ctx: FileContext, node: cst.CSTNode, torch: str) -> tuple[Edit | None, ...] | None:
    """The counterpart of a function that does nothing without CUDA: it would do nothing on the others, too."""
    call, member = ctx.tree.parent(node), cuda_member(origin(ctx, node))
    if (
        member is None
        or member.on_cpu is not OnCpu.HARMLESS
        or not (member.counterpart or "").startswith("accelerator.")
    ):
        return None
    if not isinstance(call, cst.Call) or call.func is not node or ctx.target.kind != "accelerator":
        return None
    if member.counterpart_since > ctx.target.torch_min_version or any(one.keyword or one.star for one in call.args):
        return None
    return (replace_expression(ctx, call.func, f"{torch}.{member.counterpart}"),)


def question_fix(ctx: FileContext, question: TypeQuestion, decided: Decision) -> Fix | None:
    """The question asked of any accelerator, with what it governs; or the type itself in the place of a choice."""
    if not decided.is_for_any:
        return None
    parent = ctx.tree.parent(question.node)
    negated = isinstance(parent, cst.UnaryOperation) and isinstance(parent.operator, cst.Not)
    text = fit_quotes(ctx, question.node, question.of_any[0 if question.positive else 1])
    if text is None or (negated and text.startswith("not ")):
        return None
    made = [replace_expression(ctx, question.node, text), *decided.changes]
    return edits.as_fix("Ask for any accelerator", made, CAVEAT)


def choice_of_type(ctx: FileContext, question: TypeQuestion) -> cst.IfExp | None:
    """The choice that only spells out the type that it asks for: ``"cuda" if device.type == "cuda" else "cpu"``."""
    choice = ctx.tree.parent(question.node)
    if not isinstance(choice, cst.IfExp) or choice.test is not question.node:
        return None
    words = (string_value(choice.body), string_value(choice.orelse))
    return choice if words == (("cuda", "cpu") if question.positive else ("cpu", "cuda")) else None


def type_fix(ctx: FileContext, choice: cst.IfExp, question: TypeQuestion) -> Fix | None:
    """``device.type`` in the place of the choice; a string is asked for its type by ``torch.device``."""
    text, added = question.kind, tuple[Edit, ...]()
    if question.is_string:
        torch = torch_name(ctx, choice)
        if torch is None:
            return None
        text, added = f"{torch[0]}.device({text}).type", torch[1]
    made = [replace_expression(ctx, choice, text), *added]
    return edits.as_fix("Take the type that the device has", made, CAVEAT)


def _text(ctx: FileContext, node: cst.CSTNode) -> str:
    span = ctx.span(node)
    return ctx.source.text[span.start : span.end]
