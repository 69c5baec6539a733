"""Whether the device of a tensor may be compared with one that has no index: the look of DEV602."""

from __future__ import annotations

import ast
from collections.abc import Container

from devlint.rules.prefilter.looks.syntax_tree import SyntaxTree, text_of
from devlint.rules.prefilter.looks.tensors import may_be_tensor
from devlint.torch_api.device_naming import DEVICE_TYPES


def may_compare_bare_device(tree: SyntaxTree) -> bool:
    """Whether ``==`` or ``!=`` stands between the device of what may be a tensor and ``torch.device("cuda")``."""
    return any(_may_be_found(tree, one) for one in tree.of_type(ast.Compare))


def _may_be_found(tree: SyntaxTree, test: ast.Compare) -> bool:
    if len(test.ops) != 1 or not isinstance(test.ops[0], (ast.Eq, ast.NotEq)):
        return False
    sides = (test.left, test.comparators[0])
    return any(_may_be_bare(tree, other) and _may_be_of_tensor(tree, own) for own, other in (sides, sides[::-1]))


def _may_be_bare(tree: SyntaxTree, node: ast.expr) -> bool:
    return _bare(tree, node, tree.names(_bare))


def _may_be_of_tensor(tree: SyntaxTree, node: ast.expr) -> bool:
    return _of_tensor(tree, node, tree.names(_of_tensor))


def _bare(tree: SyntaxTree, node: ast.expr, names: Container[str]) -> bool:
    """Whether an expression may be a torch.device that was made of the name of a kind."""
    if isinstance(node, ast.Call):
        is_made = "torch.device" in tree.called(node.func) and not node.keywords
        return is_made and len(node.args) == 1 and _kind(tree, node.args[0], tree.names(_kind))
    if isinstance(node, ast.IfExp):
        return _bare(tree, node.body, names) and _bare(tree, node.orelse, names)
    return isinstance(node, ast.Name) and node.id in names


def _kind(tree: SyntaxTree, node: ast.expr, names: Container[str]) -> bool:
    if isinstance(node, ast.IfExp):
        return _kind(tree, node.body, names) and _kind(tree, node.orelse, names)
    return text_of(node) in DEVICE_TYPES or (isinstance(node, ast.Name) and node.id in names)


def _of_tensor(tree: SyntaxTree, node: ast.expr, names: Container[str]) -> bool:
    """Whether an expression may be the device of what may be a tensor."""
    if isinstance(node, ast.Attribute):
        return node.attr == "device" and may_be_tensor(tree, node.value)
    return isinstance(node, ast.Name) and node.id in names
