"""Whether an index may be added to a device that has one: the look of DEV604."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devlint.core.lazy_regex import regex
from devlint.rules.prefilter.looks.slots import may_be_slot
from devlint.rules.prefilter.looks.syntax_tree import SyntaxTree, last_name, text_of
from devlint.rules.prefilter.looks.values import may_have_index
from devlint.torch_api.device_naming import looks_like_device

_COLON = regex(r":\d*\Z")
_TEMPLATE = regex(r"(?:\{0?\}|%s):")


def may_join_index(tree: SyntaxTree) -> bool:
    """Whether a device that may have an index gets another where a device is wanted."""
    return any(_is_meant_as_device(tree, node) and may_have_index(tree, device) for node, device in _joined(tree))


def _joined(tree: SyntaxTree) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What puts a name and ``:`` together, and what comes first in it."""
    for string in tree.of_type(ast.JoinedStr):
        for piece, after in zip(string.values, string.values[1:]):
            if isinstance(piece, ast.FormattedValue) and _COLON.match(text_of(after) or ""):
                yield string, piece.value
    for sum_ in tree.of_type(ast.BinOp):
        if isinstance(sum_.op, ast.Add) and isinstance(sum_.left, ast.BinOp) and text_of(sum_.left.right) == ":":
            yield sum_, sum_.left.left
        elif isinstance(sum_.op, ast.Add) and _COLON.match(text_of(sum_.right) or ""):
            yield sum_, sum_.left
        elif isinstance(sum_.op, ast.Mod) and _TEMPLATE.match(text_of(sum_.left) or ""):
            pieces = sum_.right.elts if isinstance(sum_.right, ast.Tuple) else ()
            yield sum_, pieces[0] if pieces else sum_.right
    for call in tree.of_type(ast.Call):
        if isinstance(call.func, ast.Attribute) and call.func.attr == "format" and call.args:
            if _TEMPLATE.match(text_of(call.func.value) or ""):
                yield call, call.args[0]


def _is_meant_as_device(tree: SyntaxTree, node: ast.expr) -> bool:
    """Whether a string may stand where torch takes a device, or gets a name like one."""
    parent = tree.parent(node)
    if isinstance(parent, ast.Assign):
        return looks_like_device(last_name(parent.targets[0]))
    if isinstance(parent, ast.AnnAssign):
        return looks_like_device(last_name(parent.target))
    if isinstance(parent, ast.Return):
        functions = (one for one in tree.around(parent) if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)))
        return any(looks_like_device(one.name) for one in functions)
    return may_be_slot(tree, node, "device", "cuda")
