"""What says CUDA where torch has a name for any accelerator, wherever it stands and whatever guards it."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.apis.streams import is_beside_graph
from devlint.analysis.cuda.cuda_places import cuda_places
from devlint.analysis.guards.availability_flow import AVAILABLE
from devlint.analysis.guards.cuda_only_code import imports_cuda_alone
from devlint.analysis.guards.test_marks import is_in_skipped_test
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.control_flow import statements
from devlint.analysis.names.resolution import origin
from devlint.analysis.names.string_literals import string_value
from devlint.analysis.transfers.cuda_method_calls import cuda_move
from devlint.core.record import Record
from devlint.syntax.comparisons import compared_values
from devlint.syntax.file_context import FileContext, fact
from devlint.torch_api.cuda_functions import STREAM_MAKERS
from devlint.torch_api.cuda_members import ASKED_OF_MODULES, cuda_member
from devlint.torch_api.cuda_naming import IS_CUDA, is_for_cuda
from devlint.torch_api.device_naming import MAKERS, holds_device

_TYPE = "`x.device.type`"
_MOVE = "`x.to(device)`"
_OWNERS = (cst.FunctionDef, cst.ClassDef)
_BACKEND = "`torch.distributed.get_default_backend_for_device(device)`"
_GENERATION = "get_device_capability"
"""A number of CUDA's own; torch.accelerator has a function of that name which gives something else."""
_DEVICE = "the device that the program has chosen"


class NamedForCuda(Record, eq=False):
    """An expression that means CUDA, and what there is for any accelerator."""

    node: cst.BaseExpression
    instead: str
    """In words, names of code in backquotes."""


@fact
def cuda_names(ctx: FileContext) -> list[NamedForCuda]:
    """The expressions that mean CUDA though any accelerator could be meant; none in what is for CUDA alone."""
    if imports_cuda_alone(ctx):
        return []
    found = ((place, _instead(ctx, place)) for place in cuda_places(ctx))
    return [NamedForCuda(place, text) for place, text in found if text is not None and not _is_for_cuda(ctx, place)]


def _is_for_cuda(ctx: FileContext, node: cst.BaseExpression) -> bool:
    """Whether what holds ``node`` is called after CUDA, is a test that asks for it, or says that CUDA is needed."""
    around = list(ctx.tree.ancestors(node))
    if any(isinstance(one, _OWNERS) and is_for_cuda(one.name.value) for one in around):
        return True
    if (origin(ctx, node) or "").startswith("torch.cuda.") and is_beside_graph(ctx, node):
        return True
    if any(isinstance(one, (cst.If, cst.IfExp)) and _is_about_own(ctx, one, node) for one in around):
        return True
    if any(isinstance(one, cst.BooleanOperation) and _says_that_cuda_is_missing(ctx, one) for one in around):
        return True
    refusal = next((one for one in around if isinstance(one, cst.Assert)), None)
    said = refusal.msg if refusal is not None else None
    return (said is not None and "CUDA" in ctx.text_of(said)) or is_in_skipped_test(ctx, node)


def _is_about_own(ctx: FileContext, choice: cst.If | cst.IfExp, node: cst.CSTNode) -> bool:
    """Whether a test is only over what CUDA alone has: ``if on_cuda: torch.cuda.set_sync_debug_mode(1)``."""
    if node is not choice.test and not ctx.tree.is_around(choice.test, node):
        return False
    if isinstance(choice, cst.IfExp):
        arg = ctx.tree.parent(choice)
        call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) and arg.keyword is not None else None
        is_driver = isinstance(call, cst.Call) and (origin(ctx, call.func) or "").startswith("torch.linalg.")
        return is_driver and isinstance(arg, cst.Arg) and arg.keyword is not None and arg.keyword.value == "driver"
    lines = [one for one in statements(choice.body) if isinstance(one, cst.SimpleStatementLine)]
    smalls = [small for line in lines for small in line.body]
    is_simple = choice.orelse is None and len(lines) == len(statements(choice.body))
    return is_simple and all(_is_own(ctx, one) for one in smalls)


def _is_own(ctx: FileContext, statement: cst.BaseSmallStatement) -> bool:
    """Whether a statement calls a function of torch.cuda, or sets something of its backends, that no other has."""
    if isinstance(statement, cst.Assign):
        named = [origin(ctx, one.target) or "" for one in statement.targets]
        return all(one.startswith(("torch.backends.cuda.", "torch.backends.cudnn.")) for one in named)
    call = statement.value if isinstance(statement, cst.Expr) else None
    member = cuda_member(origin(ctx, call.func)) if isinstance(call, cst.Call) else None
    return member is not None and member.counterpart is None and member.name not in ASKED_OF_MODULES


def _says_that_cuda_is_missing(ctx: FileContext, test: cst.BooleanOperation) -> bool:
    """Whether a test is for CUDA asked for in vain: ``device == "cuda" and not torch.cuda.is_available()``."""
    denied = (one for one in (test.left, test.right) if isinstance(one, cst.UnaryOperation))
    return isinstance(test.operator, cst.And) and any(
        isinstance(one.operator, cst.Not)
        and isinstance(one.expression, cst.Call)
        and origin(ctx, one.expression.func) == AVAILABLE
        for one in denied
    )


def _instead(ctx: FileContext, node: cst.BaseExpression) -> str | None:
    """What there is for any accelerator; None where ``node`` is something of CUDA's own, or its use is not known."""
    if isinstance(node, (cst.SimpleString, cst.FormattedString)):
        return _instead_of_text(ctx, node)
    named = origin(ctx, node) or ""
    if named.endswith(".Backend.NCCL"):
        return _BACKEND
    if named.startswith("torch."):
        return _instead_of_member(named)
    if not isinstance(node, cst.Attribute):
        return None
    if node.attr.value == IS_CUDA:
        return None if _is_compared_with_another(ctx, node) else _TYPE
    call = ctx.tree.parent(node)
    return _MOVE if isinstance(call, cst.Call) and cuda_move(ctx, call) is not None else None


def _is_compared_with_another(ctx: FileContext, node: cst.Attribute) -> bool:
    """Whether the question is if two tensors are in one place: ``x.is_cuda == y.is_cuda``."""
    target = ctx.tree.parent(node)
    comparison = ctx.tree.parent(target) if isinstance(target, cst.ComparisonTarget) else target
    if not isinstance(comparison, cst.Comparison):
        return False
    sides = compared_values(comparison)
    return all(isinstance(one, cst.Attribute) and one.attr.value == IS_CUDA for one in sides)


def _instead_of_member(named: str) -> str | None:
    member = cuda_member(named)
    if member is not None and member.name in STREAM_MAKERS - {"Event", "Stream"} | {_GENERATION}:
        return None
    if member is not None and member.name in ASKED_OF_MODULES:
        return f"`torch.get_device_module().{member.name}`"
    return f"`torch.{member.counterpart}`" if member is not None and member.counterpart is not None else None


def _instead_of_text(ctx: FileContext, node: cst.SimpleString | cst.FormattedString) -> str | None:
    """A card is a device wherever it is named; ``"cuda"`` alone may be a word for something else."""
    text = string_value(node) if isinstance(node, cst.SimpleString) else "cuda:"
    if text is None or text.startswith("torch."):
        return _instead_of_member(text or "")
    if text == "nccl":
        return None if _has_gloo_beside(ctx, node) else _BACKEND
    return _DEVICE if text.startswith("cuda:") or _is_device(ctx, node) else None


def _has_gloo_beside(ctx: FileContext, node: cst.BaseExpression) -> bool:
    """Whether a collection names the CPU's backend, too: it lists what there is to choose from."""
    listed = ctx.tree.parent(ctx.tree.parent(node) or node)
    if not isinstance(listed, (cst.List, cst.Tuple, cst.Set)):
        return False
    return any(string_value(one.value) == "gloo" for one in listed.elements)


def _is_device(ctx: FileContext, node: cst.BaseExpression) -> bool:
    """Whether a string stands where a device or its type does: by a keyword, in a comparison, in a choice."""
    parent = ctx.tree.parent(node)
    if isinstance(parent, cst.Arg):
        call = ctx.tree.parent(parent)
        if parent.keyword is not None:
            return _names_device(parent.keyword.value)
        return isinstance(call, cst.Call) and (origin(ctx, call.func) in MAKERS or _asks_device(call.func))
    if isinstance(parent, cst.Element):  # of ("cpu", "cuda"), with which a device is compared
        listed = ctx.tree.parent(parent)
        parent = ctx.tree.parent(listed) if listed is not None else None
        if not isinstance(parent, cst.ComparisonTarget):
            return False
    if isinstance(parent, cst.ComparisonTarget):
        comparison = ctx.tree.parent(parent)
        return isinstance(comparison, cst.Comparison) and _is_compared_device(comparison.left)
    if isinstance(parent, cst.DictElement):
        return parent.value is node and _names_device(string_value(parent.key) or "")
    if isinstance(parent, cst.IfExp):
        other = parent.orelse if node is parent.body else parent.body
        return string_value(other) == "cpu" and not _is_part_of_word(ctx, parent)
    if isinstance(parent, cst.Assign):
        return all(_is_called_device(one.target) for one in parent.targets)
    return isinstance(parent, (cst.AnnAssign, cst.Param)) and _is_called_device(
        parent.target if isinstance(parent, cst.AnnAssign) else parent.name
    )


def _is_part_of_word(ctx: FileContext, choice: cst.IfExp) -> bool:
    """Whether a text has more around a choice than a card's number: ``f"{'cuda' if gpu else 'cpu'}_time"``."""
    part = ctx.tree.parent(choice)
    text = ctx.tree.parent(part) if isinstance(part, cst.FormattedStringExpression) else None
    if not isinstance(text, cst.FormattedString):
        return False
    place = next(i for i, one in enumerate(text.parts) if one is part)
    after = text.parts[place + 1] if place + 1 < len(text.parts) else None
    return place > 0 or (isinstance(after, cst.FormattedStringText) and not after.value.startswith(":"))


def _asks_device(function: cst.BaseExpression) -> bool:
    """Whether a call asks the string of a device how it begins: ``device.startswith("cuda")``."""
    return (
        isinstance(function, cst.Attribute)
        and function.attr.value == "startswith"
        and _is_called_device(function.value)
    )


def _is_compared_device(node: cst.CSTNode) -> bool:
    """Whether what is compared with ``"cuda"`` is a device: the ``type`` of anything is that of one."""
    return (isinstance(node, cst.Attribute) and node.attr.value == "type") or _is_called_device(node)


def _is_called_device(node: cst.CSTNode) -> bool:
    """Whether an expression is called like a device, like its type, or is the ``type`` of one."""
    if isinstance(node, cst.Attribute) and node.attr.value == "type":
        return _is_called_device(node.value)
    if isinstance(node, cst.Attribute):
        return _names_device(node.attr.value)
    return _names_device(dotted_name(node) or "")


def _names_device(name: str) -> bool:
    return holds_device(name) or name.lower().endswith(("device_type", "device_map"))
