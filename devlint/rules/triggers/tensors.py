"""What may be shown to be a tensor."""

from __future__ import annotations

import _ast as ast

from devlint.core.lazy_regex import regex
from devlint.syntax.python_tree.nodes import dotted_text, last_name, nodes_below, text_of
from devlint.torch_api.moves import PARTS
from devlint.torch_api.tensor_functions import FACTORIES, FUNCTIONAL, KEPT, MADE, ONLY_TENSORS, PARAMETERS
from devlint.torch_api.tensor_makers import NEW_METHODS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from devlint.rules.triggers.syntax_tree import SyntaxTree


_MAKERS = MADE | {f"torch.{name}" for name in FACTORIES}
_TYPE = regex(r"Tensor|Parameter|Variable")


def may_be_tensor(tree: SyntaxTree, node: ast.AST) -> bool:
    """Whether an expression may be shown to be a tensor."""
    return _tensor(tree, node, tree.names(_tensor, _treated))


def _tensor(tree: SyntaxTree, node: ast.AST, names: Container[str]) -> bool:
    if isinstance(node, ast.Subscript):
        return _tensor(tree, node.value, names)
    if isinstance(node, ast.BinOp):
        return _tensor(tree, node.left, names) or _tensor(tree, node.right, names)
    if isinstance(node, ast.UnaryOp):
        return _tensor(tree, node.operand, names)
    if isinstance(node, ast.IfExp):
        return _tensor(tree, node.body, names) and _tensor(tree, node.orelse, names)
    if isinstance(node, ast.Call):
        return _gives_tensor(tree, node, names)
    if isinstance(node, ast.Attribute):
        is_part = node.attr in PARTS and _tensor(tree, node.value, names)
        return is_part or node.attr in PARAMETERS or node.attr in names
    return isinstance(node, ast.Name) and node.id in names


def _gives_tensor(tree: SyntaxTree, call: ast.Call, names: Container[str]) -> bool:
    if any(one in _MAKERS or one.startswith(FUNCTIONAL) for one in tree.called(call.func)):
        return True
    if isinstance(call.func, ast.Attribute):
        return call.func.attr in NEW_METHODS or (call.func.attr in KEPT and _tensor(tree, call.func.value, names))
    return dotted_text(call.func) == "next"


def _treated(tree: SyntaxTree) -> Iterator[str]:
    """The names that are treated as tensors, annotated as such, or go through parameters in a loop."""
    for function in tree.of_type(ast.Attribute):
        if function.attr in ONLY_TENSORS:
            yield last_name(function.value)
    for parameter, _ in tree.parameters:
        if parameter.annotation is not None and _says_tensor(tree, parameter.annotation):
            yield parameter.arg
    for loop in tree.loops:
        if any(last_name(one) in ("parameters", "buffers") for one in nodes_below(loop.iter)):
            yield last_name(loop.target)


def _says_tensor(tree: SyntaxTree, annotation: ast.expr) -> bool:
    """Whether an annotation names a type of tensors: ``torch.Tensor``, ``Optional[Tensor]``, ``"Tensor"``."""
    if isinstance(annotation, ast.Subscript):
        return any(_says_tensor(tree, one) for one in nodes_below(annotation.slice) if isinstance(one, ast.expr))
    written = text_of(annotation)
    return any(_TYPE.search(one) for one in ([written] if written else tree.called(annotation)))
