"""Whether a moved tensor may be thrown away: the look of DEV405."""

from __future__ import annotations

import ast

from devlint.rules.prefilter.looks.syntax_tree import SyntaxTree
from devlint.rules.prefilter.looks.tensors import may_be_tensor
from devlint.rules.prefilter.looks.values import may_be_device


def may_discard_tensor(tree: SyntaxTree) -> bool:
    """Whether a statement is nothing but a move of what may be a tensor."""
    statements = tree.of_type(ast.Expr)
    return any(isinstance(one.value, ast.Call) and _moves_tensor(tree, one.value) for one in statements)


def _moves_tensor(tree: SyntaxTree, call: ast.Call) -> bool:
    if not isinstance(call.func, ast.Attribute) or isinstance(call.func.value, ast.Call):
        return False
    if call.func.attr == "to":
        devices = [one.value for one in call.keywords if one.arg == "device"] or call.args[:1]
        return bool(devices) and may_be_device(tree, devices[0]) and may_be_tensor(tree, call.func.value)
    return call.func.attr == "cuda" and may_be_tensor(tree, call.func.value)
