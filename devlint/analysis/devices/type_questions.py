"""Expressions that ask whether a device is CUDA: ``device.type == "cuda"``, ``x.is_cuda`` and the like."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.torch_device_values import torch_device_proof
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.control_flow import statements
from devlint.analysis.names.resolution import targets_named
from devlint.analysis.names.string_literals import string_value
from devlint.core.record import Record
from devlint.syntax.file_context import FileContext
from devlint.torch_api.cuda_naming import IS_CUDA
from devlint.torch_api.device_naming import looks_like_device

_CUDA = "cuda"
_CUDA_WORDS = frozenset({_CUDA, "hip", "rocm"})


class TypeQuestion(Record, eq=False):
    """A test for CUDA by the type of one device."""

    node: cst.BaseExpression
    positive: bool
    """Whether it is CUDA where the test is true."""
    of_any: tuple[str, str]
    """The same question for any accelerator, and its opposite: ``device.type != "cpu"``, ``device.type == "cpu"``."""
    kind: str
    """The type that is asked for, without torch's own name for a device: ``device.type``."""
    is_string: bool = False
    """Whether ``kind`` may be the string of a device, with the number of a card."""


def type_question(ctx: FileContext, node: cst.BaseExpression) -> TypeQuestion | None:
    """What a test asks of a device; None where it asks something else."""
    if isinstance(node, cst.Comparison) and len(node.comparisons) == 1:
        return _comparison(ctx, node, node.comparisons[0])
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value == "startswith":
        asks = len(node.args) == 1 and string_value(node.args[0].value) == _CUDA
        found = _device_text(ctx, node.func.value) if asks else None
        if found is None:
            return None
        cpu = f'{ctx.text_of(node.func.value)}.startswith("cpu")'
        return TypeQuestion(node, True, (f"not {cpu}", cpu), *found)
    if isinstance(node, cst.Attribute) and node.attr.value == IS_CUDA:
        return _tensor(ctx, node)
    return None


def _comparison(ctx: FileContext, node: cst.Comparison, target: cst.ComparisonTarget) -> TypeQuestion | None:
    left, operator, right = node.left, target.operator, target.comparator
    positive = isinstance(operator, (cst.Equal, cst.In))
    if isinstance(operator, (cst.Equal, cst.NotEqual)):
        device = right if string_value(left) == _CUDA else left if string_value(right) == _CUDA else None
        found = _device_text(ctx, device) if device is not None else None
        if device is None or found is None or torch_device_proof(ctx, device) is not None:
            return None
        text = ctx.text_of(device)
        return TypeQuestion(node, positive, (f'{text} != "cpu"', f'{text} == "cpu"'), *found)
    if isinstance(operator, (cst.In, cst.NotIn)) and names_cuda_twice(right):
        found, text = _device_text(ctx, left), ctx.text_of(left)
        return TypeQuestion(node, positive, (f'{text} != "cpu"', f'{text} == "cpu"'), *found) if found else None
    if isinstance(operator, (cst.In, cst.NotIn)) and string_value(left) == _CUDA:
        found = _device_text(ctx, right)
        text = ctx.text_of(right)
        return TypeQuestion(node, positive, (f'"cpu" not in {text}', f'"cpu" in {text}'), *found) if found else None
    return None


def names_cuda_twice(node: cst.BaseExpression) -> bool:
    """Whether an expression is ``("cuda", "hip")``: to torch, AMD's cards are CUDA's."""
    if not isinstance(node, (cst.Tuple, cst.List, cst.Set)):
        return False
    words = {string_value(one.value) for one in node.elements}
    return _CUDA in words and words <= _CUDA_WORDS


def _device_text(ctx: FileContext, node: cst.BaseExpression) -> tuple[str, bool] | None:
    """The type of the device that an expression is the type or the text of, and whether that is a text."""
    if isinstance(node, cst.Call) and dotted_name(node.func) == "str" and len(node.args) == 1:
        inner = node.args[0].value
        return (f"{ctx.text_of(inner)}", True) if _is_device(inner) else None
    if isinstance(node, cst.Attribute) and node.attr.value == "type":
        return (ctx.text_of(node), False) if _is_device(node.value) else None
    name = (dotted_name(node) or "").rpartition(".")[2].lower()
    if name.endswith("device_type"):
        return ctx.text_of(node), False
    return (ctx.text_of(node), True) if _is_device(node) else None


def _is_device(node: cst.BaseExpression) -> bool:
    """Whether an expression is called like a device: ``x.device``, ``self.device``, ``next(…).device``, ``device``."""
    name = node.attr.value if isinstance(node, cst.Attribute) else node.value if isinstance(node, cst.Name) else ""
    return looks_like_device(name)


def _tensor(ctx: FileContext, node: cst.Attribute) -> TypeQuestion | None:
    """``x.is_cuda`` of something that nobody gives the attribute to."""
    owner = dotted_name(node.value)
    if owner in ("self", "cls", "torch") or (owner and targets_named(ctx, f"{owner}.{IS_CUDA}")):
        return None
    if isinstance(ctx.tree.parent(node), cst.Call):
        return None
    kind = f"{ctx.text_of(node.value)}.device.type"
    return TypeQuestion(node, True, (f'{kind} != "cpu"', f'{kind} == "cpu"'), kind)


def is_refusal(ctx: FileContext, question: TypeQuestion) -> bool:
    """Whether a test does nothing but end a function or program for devices that are not CUDA."""
    owner = ctx.tree.parent(question.node)
    if (
        question.positive
        or not isinstance(owner, cst.If)
        or owner.orelse is not None
        or isinstance(question.node, cst.Attribute)
    ):
        return False
    block = statements(owner.body)
    line = block[0] if len(block) == 1 else None
    return isinstance(line, cst.SimpleStatementLine) and isinstance(line.body[0], cst.Raise)
