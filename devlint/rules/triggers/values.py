"""What an expression may be, by all that the file gives to the names in it."""

from __future__ import annotations

import _ast as ast

from devlint.core.lazy_regex import regex
from devlint.rules.triggers.strings import joined
from devlint.rules.triggers.syntax_nodes import arguments, dotted_name, last_name, text_of
from devlint.torch_api.device_naming import CARD_CALLS, CARD_LIST, CARD_NAME, CURRENT, looks_like_device

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from devlint.rules.triggers.syntax_tree import SyntaxTree

_INDEXED = regex(r"[a-z]+:\d+\Z")
_MADE_OF = regex(r"[a-z]+:\Z")


def may_be_device(tree: SyntaxTree, node: ast.AST) -> bool:
    """Whether an expression may be a device, or the name of one."""
    return _device(tree, node, tree.names(_device))


def may_have_index(tree: SyntaxTree, node: ast.AST) -> bool:
    """Whether a device, or its name, may name a card: ``cuda:0``, ``x.device``."""
    return _indexed(tree, node, tree.names(_indexed, _options))


def may_be_number(tree: SyntaxTree, node: ast.AST) -> bool:
    """Whether an expression may be the number of a card: ``1``, ``local_rank``, ``gpus[0]``, ``rank % 2``."""
    return _number(tree, node, tree.names(_number, counted))


def counted(tree: SyntaxTree) -> Iterator[str]:
    """The names that loops over ``range(...)`` give numbers."""
    for loop in tree.loops:
        if isinstance(loop.iter, ast.Call) and dotted_name(loop.iter.func) == "range":
            yield last_name(loop.target)


def _device(tree: SyntaxTree, node: ast.AST, names: Container[str]) -> bool:
    if isinstance(node, ast.IfExp):
        return _device(tree, node.body, names) and _device(tree, node.orelse, names)
    if isinstance(node, ast.BoolOp):
        return _device(tree, node.values[-1], names)
    if isinstance(node, ast.Call):
        called = tree.called(node.func)
        return any("device" in one.rpartition(".")[2] or one in CURRENT for one in called)
    if isinstance(node, ast.Constant):
        return (text_of(node) or "").partition(":")[0] in ("cuda", "cpu")
    if isinstance(node, (ast.JoinedStr, ast.BinOp)):
        return True
    return looks_like_device(last_name(node)) or (isinstance(node, ast.Name) and node.id in names)


def _indexed(tree: SyntaxTree, node: ast.AST, names: Container[str]) -> bool:
    if isinstance(node, ast.IfExp):
        return _indexed(tree, node.body, names) or _indexed(tree, node.orelse, names)
    if isinstance(node, ast.JoinedStr):
        return bool(node.values) and _MADE_OF.match(text_of(node.values[0]) or "") is not None
    if isinstance(node, ast.Call):
        given = arguments(node)
        return len(given) == 2 or any(_indexed(tree, one, names) for one in given)
    if isinstance(node, ast.Attribute):
        return node.attr == "device" or node.attr in names
    return (isinstance(node, ast.Name) and node.id in names) or _INDEXED.match(text_of(node) or "") is not None


def _number(tree: SyntaxTree, node: ast.AST, names: Container[str]) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int) and not isinstance(node.value, bool)
    if isinstance(node, ast.Subscript):
        return CARD_LIST.match(last_name(node.value)) is not None
    if isinstance(node, ast.Call):
        return last_name(node.func) in CARD_CALLS
    if isinstance(node, ast.BinOp):  # of what, is left open: sums may be of sums
        return text_of(node.left) is None and text_of(node.right) is None
    return CARD_NAME.match(last_name(node)) is not None or (isinstance(node, ast.Name) and node.id in names)


def _options(tree: SyntaxTree) -> Iterator[str]:
    """The attributes that hold the options of the command line."""
    for call in tree.of_type(ast.Call):
        if last_name(call.func) == "add_argument":
            for given in call.args:
                yield (text_of(given) or "").lstrip("-").replace("-", "_")


def joins_index(tree: SyntaxTree, node: ast.AST) -> bool:
    """Whether a string may be put together of a device that has an index already."""
    return any(may_have_index(tree, one) for one in joined(node))
