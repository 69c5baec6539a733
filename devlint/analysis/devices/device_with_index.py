"""Device strings put together from a device and an index: ``f"{device}:{i}"``."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.device_strings import is_indexed
from devlint.analysis.devices.torch_device_values import is_tensor_device
from devlint.analysis.names.bindings import How, dotted_name
from devlint.analysis.names.program_options import program_options
from devlint.analysis.names.reaching_definitions import reaching_definitions
from devlint.analysis.names.resolution import is_torch
from devlint.analysis.names.string_literals import string_value
from devlint.analysis.slots.device_arguments import slot_owner
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import looks_like_device

_COLON = regex(r":\d*\Z")
_TEMPLATE = regex(r"(?:\{0?\}|%s):(?:\{1?\}|%[ds]|\d+)\Z")
_TYPE_PREFIX = regex(r"[a-z]+:\Z")
_DEPTH = 5


def device_before_index(ctx: FileContext, node: cst.CSTNode) -> cst.BaseExpression | None:
    """``device`` of ``f"{device}:{i}"``, ``device + ":0"``, and of what ``%`` and ``format`` make so."""
    if isinstance(node, cst.FormattedString):
        return _formatted(node)
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Add):
        left = node.left
        if isinstance(left, cst.BinaryOperation) and isinstance(left.operator, cst.Add):
            return left.left if string_value(left.right) == ":" else None
        word = string_value(node.right)
        return left if word is not None and word != ":" and _COLON.match(word) else None
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Modulo):
        pieces = node.right.elements if isinstance(node.right, cst.Tuple) else ()
        first = pieces[0].value if pieces else node.right
        template = string_value(node.left) or ""
        return first if _TEMPLATE.match(template) and "%s" in template else None
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value == "format":
        plain = bool(node.args) and not any(arg.star or arg.keyword for arg in node.args)
        return node.args[0].value if plain and _TEMPLATE.match(string_value(node.func.value) or "") else None
    return None


def _formatted(node: cst.FormattedString) -> cst.BaseExpression | None:
    parts = node.parts
    if len(parts) not in (2, 3) or not isinstance(parts[0], cst.FormattedStringExpression):
        return None
    middle, last = parts[1], parts[-1]
    if not isinstance(middle, cst.FormattedStringText) or not _COLON.match(middle.value):
        return None
    ends = isinstance(last, cst.FormattedStringExpression) if middle.value == ":" else len(parts) == 2
    return parts[0].expression if ends and len(parts) == (3 if middle.value == ":" else 2) else None


def may_have_index(ctx: FileContext, node: cst.CSTNode, depth: int = _DEPTH) -> bool:
    """Whether the file shows that a device, or a device string, may already have an index."""
    if depth == 0:
        return False
    if isinstance(node, cst.IfExp):
        return any(may_have_index(ctx, one, depth - 1) for one in (node.body, node.orelse))
    if isinstance(node, cst.FormattedString):
        first = node.parts[0] if node.parts else None
        return isinstance(first, cst.FormattedStringText) and _TYPE_PREFIX.match(first.value) is not None
    if isinstance(node, cst.Call):
        if dotted_name(node.func) == "str" and len(node.args) == 1:
            return may_have_index(ctx, node.args[0].value, depth - 1)
        made = is_torch(ctx, node.func, "device")
        return made and bool(node.args) and (len(node.args) == 2 or may_have_index(ctx, node.args[0].value, depth - 1))
    if isinstance(node, cst.Name):
        assigned = [one for one in reaching_definitions(ctx, node) if one.how in (How.ASSIGN, How.PARAMETER)]
        return any(one.value is not None and may_have_index(ctx, one.value, depth - 1) for one in assigned)
    if isinstance(node, cst.Attribute):
        return is_tensor_device(ctx, node) or node.attr.value in ctx.fact(_indexed_options)
    return is_indexed(string_value(node) or "")


def _indexed_options(ctx: FileContext) -> frozenset[str]:
    """Names of the command line's options whose default has an index: ``--device cuda:0``."""
    options = ((one.destination, one.default) for one in program_options(ctx) if one.of_parser)
    return frozenset(
        name for name, default in options if name is not None and default and may_have_index(ctx, default.value)
    )


def is_meant_as_device(ctx: FileContext, node: cst.BaseExpression) -> bool:
    """Whether a string stands where torch takes a device, or gets a name like one."""
    parent = ctx.tree.parent(node)
    if isinstance(parent, cst.Arg):
        call = ctx.tree.parent(parent)
        made = isinstance(call, cst.Call) and is_torch(ctx, call.func, "device")
        moved = isinstance(call, cst.Call) and isinstance(call.func, cst.Attribute) and call.func.attr.value == "cuda"
        return made or moved or slot_owner(ctx, node) is not None
    if isinstance(parent, (cst.Assign, cst.AnnAssign)):
        target = parent.targets[0].target if isinstance(parent, cst.Assign) else parent.target
        return looks_like_device((dotted_name(target) or "").rpartition(".")[2])
    return isinstance(parent, cst.Return) and _returns_device(ctx, parent)


def _returns_device(ctx: FileContext, statement: cst.Return) -> bool:
    """Whether the function around a ``return`` is called like a device: ``def get_device``."""
    owner = next((one for one in ctx.tree.ancestors(statement) if isinstance(one, cst.FunctionDef)), None)
    return owner is not None and looks_like_device(owner.name.value)
