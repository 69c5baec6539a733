"""Where a file names CUDA as the place for something."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.resolution import is_torch
from devlint.analysis.names.scripts import executed_nodes
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext, fact

_NAME = regex(r"[\"'](?:cuda(?::\S*)?|torch\.cuda(?:\.\w+)*)[\"']")
"""A string that names a device or a kind of tensor, and no message: ``"cuda:0"``, ``"torch.cuda.HalfTensor"``."""
_MIXED_PRECISION = frozenset({"autocast", "GradScaler"})


@fact
def cuda_mentions(ctx: FileContext) -> list[cst.CSTNode]:
    """Moves, tensor types, strings that name CUDA, mixed precision, and the current card where it is a device.

    For any accelerator the current card is one wherever it stands.
    """
    found: list[cst.CSTNode] = []
    for one in ctx.tree.of_type(cst.Attribute):
        parent = ctx.tree.parent(one)
        moves = isinstance(parent, cst.Call) and parent.func is one
        names_type = isinstance(parent, cst.Attribute) and parent.attr.value.endswith("Tensor")
        names_type = names_type and not _is_asked_for(ctx, one)
        if one.attr.value == "cuda" and (moves or names_type):
            found.append(one)
    found += [one for one in ctx.tree.of_type(cst.Call) if _last_name(one.func) in _MIXED_PRECISION]
    found += [one for one in ctx.tree.of_type(cst.FormattedString) if _names_card(one)]
    cards = (one for one in ctx.tree.of_type(cst.Call) if _last_name(one.func) == "current_device")
    found += [
        one
        for one in cards
        if is_torch(ctx, one.func, "cuda.current_device") and (ctx.target.kind == "accelerator" or _is_device(ctx, one))
    ]
    texts = (one for one in ctx.tree.of_type(cst.SimpleString) if _NAME.fullmatch(one.value))
    return found + [one for one in texts if not _is_only_told_apart(ctx, one)]


def _is_only_told_apart(ctx: FileContext, text: cst.SimpleString) -> bool:
    """Whether a kind of tensor or device is only compared, or a key: ``if x.type() == "torch.cuda.HalfTensor"``."""
    parent = ctx.tree.parent(text)
    if isinstance(parent, cst.DictElement):
        return parent.key is text
    return isinstance(parent, (cst.Comparison, cst.ComparisonTarget))


def _is_asked_for(ctx: FileContext, kind: cst.Attribute) -> bool:
    """Whether a kind of tensor is only asked for: ``isinstance(x, torch.cuda.FloatTensor)``, or ``type(x) ==`` that."""
    inside = (cst.Attribute, cst.Element, cst.List, cst.Tuple, cst.Arg)
    test = next((one for one in ctx.tree.ancestors(kind) if not isinstance(one, inside)), None)
    if isinstance(test, (cst.Comparison, cst.ComparisonTarget)):
        return True
    return isinstance(test, cst.Call) and _last_name(test.func) == "isinstance"


def _is_device(ctx: FileContext, card: cst.Call) -> bool:
    """Whether the current card is given as ``device=`` or to ``x.to(…)``."""
    arg = ctx.tree.parent(card)
    call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) else None
    if not isinstance(arg, cst.Arg) or not isinstance(call, cst.Call):
        return False
    if arg.keyword is not None:
        return arg.keyword.value == "device"
    return _last_name(call.func) == "to" and call.args[0] is arg


def _names_card(node: cst.FormattedString) -> bool:
    """Whether a string is ``f"cuda:{i}"``."""
    text = node.parts[0] if node.parts else None
    return isinstance(text, cst.FormattedStringText) and text.value.startswith("cuda:")


def _last_name(node: cst.CSTNode) -> str | None:
    name = node.attr if isinstance(node, cst.Attribute) else node
    return name.value if isinstance(name, cst.Name) else None


def uses_cuda_at_once(ctx: FileContext, statement: cst.CSTNode) -> bool:
    """Whether running a statement, without the functions it defines, uses CUDA."""
    uses = cuda_mention_ids(ctx)
    return any(id(node) in uses for node in executed_nodes(statement))


@fact
def cuda_mention_ids(ctx: FileContext) -> frozenset[int]:
    """The identities of all places where the file names CUDA."""
    return frozenset(id(node) for node in cuda_mentions(ctx))
