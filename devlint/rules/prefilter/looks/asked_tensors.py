"""Whether a tensor that is asked where it is may say where another one goes: the look of DEV603."""

from __future__ import annotations

import ast

from devlint.rules.prefilter.looks.cuda_devices import may_be_moved
from devlint.rules.prefilter.looks.syntax_tree import SyntaxTree
from devlint.torch_api.cuda_naming import IS_CUDA


def may_follow_tensor(tree: SyntaxTree) -> bool:
    """Whether ``x.get_device()`` is called, or ``x.is_cuda`` may govern a choice or a move."""
    if any(isinstance(one.func, ast.Attribute) and one.func.attr == "get_device" for one in tree.of_type(ast.Call)):
        return True
    if not any(one.attr == IS_CUDA for one in tree.of_type(ast.Attribute)):
        return False
    choices: list[ast.If | ast.IfExp] = [*tree.of_type(ast.IfExp), *tree.of_type(ast.If)]
    return any(one.orelse and _asks(one.test) for one in choices) or may_be_moved(tree)


def _asks(test: ast.expr) -> bool:
    """Whether a test is ``x.is_cuda``, or that turned round."""
    while isinstance(test, ast.UnaryOp):
        test = test.operand
    return isinstance(test, ast.Attribute) and test.attr == IS_CUDA
