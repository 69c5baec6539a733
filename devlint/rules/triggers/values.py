"""What an expression may be, by all that the file gives to the names in it."""

from __future__ import annotations

import _ast as ast

from devlint.syntax.python_tree.nodes import dotted_text, last_name, text_of
from devlint.torch_api.device_naming import CARD_CALLS, CARD_LIST, CARD_NAME, CURRENT, looks_like_device
from devlint.torch_api.environment_variables import COUNTING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from devlint.rules.triggers.syntax_tree import SyntaxTree


def may_be_device(tree: SyntaxTree, node: ast.AST) -> bool:
    """Whether an expression may be a device, or the name of one."""
    return _device(tree, node, tree.names(_device))


def may_be_number(tree: SyntaxTree, node: ast.AST) -> bool:
    """Whether an expression may be the number of a card: ``1``, ``local_rank``, ``gpus[0]``, ``rank % 2``."""
    return _number(tree, node, tree.names(_number, _counted))


def may_be_no_string(tree: SyntaxTree, node: ast.AST) -> bool:
    """Whether an expression may be a number, a truth value, None or a list: what no variable of the environment is."""
    return _no_string(tree, node, tree.names(_no_string, _counted))


def _counted(tree: SyntaxTree) -> Iterator[str]:
    """The names that loops over ``range(...)`` give numbers."""
    for loop in tree.loops:
        if isinstance(loop.iter, ast.Call) and dotted_text(loop.iter.func) == "range":
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


def _no_string(tree: SyntaxTree, node: ast.AST, names: Container[str]) -> bool:
    if isinstance(node, ast.Constant):
        return not isinstance(node.value, str)
    if isinstance(node, ast.UnaryOp):
        return _no_string(tree, node.operand, names)
    if isinstance(node, ast.BinOp):
        return _no_string(tree, node.left, names) and _no_string(tree, node.right, names)
    if isinstance(node, ast.Call):
        return last_name(node.func) in COUNTING
    return isinstance(node, (ast.List, ast.Tuple)) or (isinstance(node, ast.Name) and node.id in names)
