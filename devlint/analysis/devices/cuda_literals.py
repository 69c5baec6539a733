"""Expressions that name a CUDA device or an index: ``"cuda"``, ``f"cuda:{i}"``, ``torch.device("cuda", i)``, ``1``."""

from __future__ import annotations

from enum import Enum

import libcst as cst

from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.resolution import bindings, is_none, is_torch, origin
from devlint.analysis.names.string_literals import string_value
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import CARD_CALLS, CARD_LIST, CARD_NAME

_NAME = regex(r"cuda(?::(\d+))?\Z")
_TEMPLATE = regex(r"cuda:(?:%[dsi]|\{0?(?::d)?\})\Z")
_CURRENT = regex(r"(?:\w+\.)*current_device(?:_index)?\(\)\Z")
_GET_DEVICE = regex(r"(\w+(?:\.\w+|\[\w+\])*?)(?:\.data)?\.get_device\(\)\Z")


class LiteralKind(Enum):
    """How a program writes a CUDA device."""

    STRING = "cuda:0"
    DEVICE = "torch.device"
    NUMBER = "0"
    LOADER = "lambda storage, location: storage.cuda(0)"


class CudaLiteral(Record, eq=False):
    """An expression that names CUDA and no other kind of device."""

    node: cst.BaseExpression
    kind: LiteralKind
    index: str | None = None
    """The index, as source text, where there is one: ``0``, ``local_rank``."""
    is_number: bool = False
    """Whether it is an index alone, which torch takes for a card of the current accelerator, CUDA or another."""

    @property
    def is_constant(self) -> bool:
        """Whether it is the same device in every run."""
        return self.index is None or self.index.isdigit()

    @property
    def is_current(self) -> bool:
        """Whether it names the current device."""
        return self.index is not None and _CURRENT.match(self.index) is not None

    @property
    def queried_tensor(self) -> str | None:
        """The tensor whose device it is: ``x`` of ``x.get_device()``."""
        found = _GET_DEVICE.match(self.index or "")
        return found.group(1) if found else None

    @property
    def is_first(self) -> bool:
        """Whether it has no index, or 0."""
        return self.index in (None, "0")


def cuda_literal(ctx: FileContext, node: cst.CSTNode) -> CudaLiteral | None:
    """``node`` as a CUDA device; None if it may be another device, or something else."""
    if isinstance(node, (cst.SimpleString, cst.ConcatenatedString)):
        found = _NAME.match(string_value(node) or "")
        return CudaLiteral(node, LiteralKind.STRING, found.group(1)) if found else None
    if isinstance(node, cst.FormattedString) and (plain := _plain_text(node)) is not None:
        found = _NAME.match(plain)
        return CudaLiteral(node, LiteralKind.STRING, found.group(1)) if found else None
    if isinstance(node, (cst.FormattedString, cst.BinaryOperation, cst.Call)):
        index = formatted_index(node)
        if index is not None:
            return CudaLiteral(node, LiteralKind.STRING, ctx.text_of(index))
    if isinstance(node, cst.Lambda):
        return _loader(ctx, node)
    return _torch_device(ctx, node) if isinstance(node, cst.Call) else None


def _plain_text(node: cst.FormattedString) -> str | None:
    """The text of an f-string that formats nothing: ``f"cuda"``, but no raw one or one over several lines."""
    if node.start.lower() not in ('f"', "f'"):
        return None
    texts = [one.value for one in node.parts if isinstance(one, cst.FormattedStringText)]
    return "".join(texts) if len(texts) == len(node.parts) else None


def _loader(ctx: FileContext, node: cst.Lambda) -> CudaLiteral | None:
    """``lambda storage, location: storage.cuda(i)``, as torch.load takes it; without an index it is only a move."""
    call, names = node.body, [one.name.value for one in node.params.params]
    if len(names) != 2 or not isinstance(call, cst.Call) or dotted_name(call.func) != f"{names[0]}.cuda":
        return None
    if len(call.args) != 1 or call.args[0].star or not is_device_index(ctx, call.args[0].value):
        return None
    return CudaLiteral(node, LiteralKind.LOADER, ctx.text_of(call.args[0].value))


def formatted_index(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """``i`` of ``f"cuda:{i}"``, ``"cuda:%d" % i``, ``"cuda:" + str(i)`` and ``"cuda:{}".format(i)``."""
    if isinstance(node, cst.FormattedString):
        parts = node.parts
        if len(parts) != 2 or not isinstance(parts[0], cst.FormattedStringText) or parts[0].value != "cuda:":
            return None
        hole = parts[1]
        plain = isinstance(hole, cst.FormattedStringExpression) and not (hole.conversion or hole.equal)
        return hole.expression if plain and isinstance(hole, cst.FormattedStringExpression) else None
    if isinstance(node, cst.BinaryOperation):
        left = string_value(node.left) or ""
        if isinstance(node.operator, cst.Modulo) and _TEMPLATE.match(left) and "{" not in left:
            return _sole_element(node.right)
        if isinstance(node.operator, cst.Add) and left == "cuda:":
            return _inside_str(node.right)
        return None
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value == "format":
        template = string_value(node.func.value) or ""
        if _TEMPLATE.match(template) and "%" not in template and len(node.args) == 1:
            return node.args[0].value if _is_plain(node.args[0]) else None
    return None


def _sole_element(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """``i`` of ``(i,)``; anything else but a tuple as it is."""
    if not isinstance(node, cst.Tuple):
        return node
    only = node.elements[0] if len(node.elements) == 1 else None
    return only.value if isinstance(only, cst.Element) else None


def _inside_str(node: cst.BaseExpression) -> cst.BaseExpression:
    """``i`` of ``str(i)``."""
    if isinstance(node, cst.Call) and dotted_name(node.func) == "str" and len(node.args) == 1:
        return node.args[0].value
    return node


def _is_plain(arg: cst.Arg) -> bool:
    return not arg.star and arg.keyword is None


def _torch_device(ctx: FileContext, call: cst.Call) -> CudaLiteral | None:
    """``torch.device("cuda")``, ``torch.device("cuda", i)``, ``torch.device(0)``."""
    last = (dotted_name(call.func) or "").rpartition(".")[2]
    if not 1 <= len(call.args) <= 2 or not last or not is_torch(ctx, call.func, "device"):
        return None
    given: dict[str, cst.BaseExpression] = {}
    for position, arg in enumerate(call.args):
        if arg.star:
            return None
        given[arg.keyword.value if arg.keyword else ("type", "index")[position]] = arg.value
    kind = given.get("type", given.get("device"))
    if kind is None:
        return None
    named = cuda_literal(ctx, kind)
    if named is not None and named.kind is LiteralKind.STRING:
        index = given.get("index")
        if index is None or named.index is not None:
            return CudaLiteral(call, LiteralKind.DEVICE, named.index)
        return CudaLiteral(call, LiteralKind.DEVICE, None if is_none(index) else ctx.text_of(index))
    if isinstance(kind, cst.Call) and (origin(ctx, kind.func) or "").startswith("torch.accelerator."):
        return None  # a card of whichever accelerator there is
    return (
        CudaLiteral(call, LiteralKind.DEVICE, ctx.text_of(kind), is_number=True)
        if len(given) == 1 and is_device_index(ctx, kind)
        else None
    )


def index_literal(ctx: FileContext, node: cst.BaseExpression) -> CudaLiteral | None:
    """An expression that is a device index, as the device that it names in a device slot."""
    return CudaLiteral(node, LiteralKind.NUMBER, ctx.text_of(node)) if is_device_index(ctx, node) else None


def is_device_index(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether an expression is a device index: ``1``, ``local_rank``, ``args.gpu``, ``gpus[0]``, ``rank % 2``."""
    if isinstance(node, cst.Integer):
        return True
    if isinstance(node, cst.Name):
        return _name_is_index(ctx, node)
    if isinstance(node, cst.Attribute):
        return CARD_NAME.match(node.attr.value) is not None
    if isinstance(node, cst.Subscript):
        name = (dotted_name(node.value) or "").rpartition(".")[2]
        return len(node.slice) == 1 and CARD_LIST.match(name) is not None
    if isinstance(node, cst.Call):
        name = node.func.attr.value if isinstance(node.func, cst.Attribute) else (dotted_name(node.func) or "")
        return name in CARD_CALLS
    if isinstance(node, cst.BinaryOperation):
        sides = (node.left, node.right)
        return not any(isinstance(one, cst.BaseString) for one in sides) and any(
            is_device_index(ctx, one) for one in sides
        )
    return False


def _name_is_index(ctx: FileContext, name: cst.Name) -> bool:
    """Whether a name is bound to numbers, or named like an index and not known to be bound to anything else."""
    _, found = bindings(ctx, name.value, name)
    values = [binding.value for binding in found if binding.value is not None]
    if any(binding.how is How.LOOP and _counts(binding.node) for binding in found):
        return True
    known = [one for one in values if not isinstance(one, cst.Name) and not is_none(one)]
    if known and all(is_device_index(ctx, one) for one in known):
        return True
    if any(_is_text(one) or isinstance(one, cst.List) or _is_device(one) for one in values):
        return False
    return CARD_NAME.match(name.value) is not None


def _is_text(node: cst.BaseExpression) -> bool:
    """Whether a value is a string, in one case at least, or put together as one."""
    if isinstance(node, cst.IfExp):
        return _is_text(node.body) or _is_text(node.orelse)
    return isinstance(node, (cst.SimpleString, cst.FormattedString)) or formatted_index(node) is not None


def _is_device(node: cst.CSTNode) -> bool:
    """Whether a value is the result of ``….device(…)``."""
    return isinstance(node, cst.Call) and (dotted_name(node.func) or "").rpartition(".")[2] == "device"


def _counts(loop: cst.CSTNode) -> bool:
    """Whether a loop runs over ``range(…)``."""
    over = loop.iter if isinstance(loop, (cst.For, cst.CompFor)) else None
    target = loop.target if isinstance(loop, (cst.For, cst.CompFor)) else None
    return isinstance(over, cst.Call) and dotted_name(over.func) == "range" and isinstance(target, cst.Name)
