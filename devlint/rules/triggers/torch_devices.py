"""What may be shown to be a torch.device, and to be one without an index."""

from __future__ import annotations

import _ast as ast

from devlint.rules.triggers.tensors import may_be_tensor
from devlint.syntax.python_tree.nodes import last_name, text_of
from devlint.torch_api.device_naming import DEVICE_TYPES, HAVE_TORCH_DEVICE, MAKERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from devlint.rules.triggers.syntax_tree import SyntaxTree

_HAVE_DEVICE = frozenset({*HAVE_TORCH_DEVICE, "Accelerator", "from_pretrained"})
"""Classes whose instances have a torch.device, and what makes such an instance."""


def may_be_torch_device(tree: SyntaxTree, node: ast.AST) -> bool:
    """Whether an expression may be shown to be a torch.device."""
    return _device(tree, node, tree.names(_device, _annotated))


def asks_tensor_for_bare_device(tree: SyntaxTree, test: ast.AST) -> bool:
    """Whether the device of what may be a tensor may be compared with one that was made of the name of a kind."""
    if not isinstance(test, ast.Compare):
        return False
    sides = (test.left, test.comparators[0])
    return any(
        _bare(tree, other, tree.names(_bare)) and _of_tensor(tree, own, tree.names(_of_tensor))
        for own, other in (sides, sides[::-1])
    )


def _device(tree: SyntaxTree, node: ast.AST, names: Container[str]) -> bool:
    """Whether an expression may be shown to be a torch.device."""
    if isinstance(node, ast.Call):
        return not tree.called(node.func).isdisjoint(MAKERS) or (
            isinstance(node.func, ast.Name) and node.func.id in names
        )
    if isinstance(node, ast.IfExp):
        return _device(tree, node.body, names) and _device(tree, node.orelse, names)
    if isinstance(node, ast.BoolOp):
        return all(_device(tree, one, names) for one in node.values)
    if isinstance(node, ast.Attribute) and node.attr == "device":
        return node.attr in names or may_be_tensor(tree, node.value) or _may_have_device(tree)
    return last_name(node) in names


def _annotated(tree: SyntaxTree) -> Iterator[str]:
    """The parameters and functions that are annotated as torch.device."""
    for parameter, default in tree.parameters:
        if parameter.annotation is not None and "torch.device" in tree.called(parameter.annotation):
            if not isinstance(default, ast.Constant):
                yield parameter.arg
    for function in tree.of_type(ast.FunctionDef):
        if function.returns is not None and "torch.device" in tree.called(function.returns):
            yield function.name


def _may_have_device(tree: SyntaxTree) -> bool:
    """Whether a class of the file has a base that brings a device, or an object that does is made."""
    made = [one.func for one in tree.of_type(ast.Call)]
    bases = [base for one in tree.of_type(ast.ClassDef) for base in one.bases]
    return any(name.rpartition(".")[2] in _HAVE_DEVICE for one in (*made, *bases) for name in tree.called(one))


def _bare(tree: SyntaxTree, node: ast.AST, names: Container[str]) -> bool:
    """Whether an expression may be a torch.device that was made of the name of a kind."""
    if isinstance(node, ast.Call):
        is_made = "torch.device" in tree.called(node.func) and not node.keywords
        return is_made and len(node.args) == 1 and _kind(tree, node.args[0], tree.names(_kind))
    if isinstance(node, ast.IfExp):
        return _bare(tree, node.body, names) and _bare(tree, node.orelse, names)
    return isinstance(node, ast.Name) and node.id in names


def _kind(tree: SyntaxTree, node: ast.AST, names: Container[str]) -> bool:
    if isinstance(node, ast.IfExp):
        return _kind(tree, node.body, names) and _kind(tree, node.orelse, names)
    return text_of(node) in DEVICE_TYPES or (isinstance(node, ast.Name) and node.id in names)


def _of_tensor(tree: SyntaxTree, node: ast.AST, names: Container[str]) -> bool:
    """Whether an expression may be the device of what may be a tensor."""
    if isinstance(node, ast.Attribute):
        return node.attr == "device" and may_be_tensor(tree, node.value)
    return isinstance(node, ast.Name) and node.id in names
