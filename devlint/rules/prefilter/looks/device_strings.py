"""Whether a torch.device may be compared with a string, or used as one: the look of DEV601."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator

from devlint.rules.prefilter.looks.syntax_tree import SyntaxTree, dotted_name, last_name, text_of
from devlint.rules.prefilter.looks.tensors import may_be_tensor
from devlint.torch_api.device_naming import HAVE_TORCH_DEVICE, MAKERS, STRING_METHODS

_HAVE_DEVICE = frozenset({*HAVE_TORCH_DEVICE, "Accelerator", "from_pretrained"})
"""Classes whose instances have a torch.device, and what makes such an instance."""


def may_take_device_for_string(tree: SyntaxTree) -> bool:
    """Whether what is used as a string may be shown to be a torch.device."""
    names = tree.names(_made_device, _annotated)
    asked = tree.fact(_asked_for_type)
    return any(_made_device(tree, one, names) for one in _used_as_strings(tree) if dotted_name(one) not in asked)


def _used_as_strings(tree: SyntaxTree) -> Iterator[ast.expr]:
    """What is compared with strings, looked up among them, or asked what only strings are asked."""
    for test in tree.of_type(ast.Compare):
        sides = (test.left, test.comparators[0])
        if len(test.ops) == 1 and any(_has_strings(one) for one in sides):
            yield from sides
    for call in tree.of_type(ast.Call):
        if isinstance(call.func, ast.Attribute):
            if call.func.attr in STRING_METHODS:
                yield call.func.value
            elif call.func.attr == "get" and isinstance(call.func.value, ast.Dict):
                yield from call.args[:1]
    for looked_up in tree.of_type(ast.Subscript):
        if isinstance(looked_up.value, ast.Dict) and isinstance(looked_up.slice, ast.expr):
            yield looked_up.slice
    for match in tree.of_type(getattr(ast, "Match", ast.AST)):
        yield match.subject


def _asked_for_type(tree: SyntaxTree) -> frozenset[str]:
    """The names that the file asks for their type: they may be strings."""
    asked = [one for one in tree.of_type(ast.Call) if one.args and dotted_name(one.func) == "isinstance"]
    return frozenset(dotted_name(one.args[0]) for one in asked) - {""}


def _has_strings(node: ast.expr) -> bool:
    """Whether an expression is a string, or a row of strings."""
    several = node.elts if isinstance(node, (ast.Tuple, ast.List, ast.Set)) else [node]
    return any(text_of(one) is not None for one in several)


def _made_device(tree: SyntaxTree, node: ast.expr, names: Container[str]) -> bool:
    """Whether an expression may be shown to be a torch.device."""
    if isinstance(node, ast.Call):
        return not tree.called(node.func).isdisjoint(MAKERS) or (
            isinstance(node.func, ast.Name) and node.func.id in names
        )
    if isinstance(node, ast.IfExp):
        return _made_device(tree, node.body, names) and _made_device(tree, node.orelse, names)
    if isinstance(node, ast.BoolOp):
        return all(_made_device(tree, one, names) for one in node.values)
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
