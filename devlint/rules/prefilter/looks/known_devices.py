"""Whether a program may have a name for its device at some place."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devlint.rules.prefilter.looks.guards import is_answer, is_guarded
from devlint.rules.prefilter.looks.syntax_tree import SyntaxTree, dotted_name, last_name
from devlint.torch_api.cuda_naming import IS_CUDA
from devlint.torch_api.device_naming import HAVE_DEVICE, holds_options, looks_like_device

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_APART = (*_FUNCTIONS, ast.ClassDef)
_NAMES = ("id", "name", "asname", "rest")
"""The fields of nodes that bind names."""


def may_know_device(tree: SyntaxTree, node: ast.AST) -> bool:
    """Whether a function around ``node``, the module, the instance or an object of options may have a device there."""
    if tree.fact(_is_everywhere) or _may_ask_module(tree, node):
        return True
    functions = (one for one in tree.around(node) if isinstance(one, _FUNCTIONS))
    return any(_has_device(tree, ast.walk(one)) for one in functions)


def _may_ask_module(tree: SyntaxTree, node: ast.AST) -> bool:
    """Whether a method may go by its tensors, or by those of its instance: not where torch says that there is CUDA."""
    in_class = any(isinstance(one, ast.ClassDef) for one in tree.around(node))
    return in_class and not is_guarded(tree, node, is_answer)


def _is_everywhere(tree: SyntaxTree) -> bool:
    """Whether the file has a device that any of its functions may use."""
    attributes = tree.of_type(ast.Attribute)
    return _has_device(tree, _at_top(tree)) or _has_instances(tree) or any(_is_of_object(one) for one in attributes)


def _at_top(tree: SyntaxTree) -> Iterator[ast.AST]:
    """The nodes that are in no function and no class, and the names that functions set for the module."""
    waiting: list[ast.AST] = [*tree.of_type(ast.Module)]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [one for one in ast.iter_child_nodes(node) if not isinstance(one, _APART)]
    for declared in tree.of_type(ast.Global):
        yield from (ast.Name(name) for name in declared.names)


def _has_device(tree: SyntaxTree, nodes: Iterator[ast.AST]) -> bool:
    """Whether a node is a name like that of a device, makes one, or brings names that nobody knows."""
    own = ("*", tree.device)
    for node in nodes:
        if isinstance(node, ast.Call):
            if last_name(node.func) == "device":
                return True
        else:
            names = [node.arg] if isinstance(node, ast.arg) else [getattr(node, one, None) for one in _NAMES]
            if any(isinstance(one, str) and (one in own or looks_like_device(one)) for one in names):
                return True
    return False


def _has_instances(tree: SyntaxTree) -> bool:
    """Whether a class of the file may have ``self.device``."""
    functions: list[ast.FunctionDef | ast.AsyncFunctionDef] = [*tree.of_type(ast.FunctionDef)]
    functions += tree.of_type(ast.AsyncFunctionDef)
    named = [one for one in functions if one.name == "device" and one.decorator_list]
    bases = (base for one in tree.of_type(ast.ClassDef) for base in one.bases)
    return bool(named) or any(name.endswith(HAVE_DEVICE) for base in bases for name in tree.called(base))


def _is_of_object(attribute: ast.Attribute) -> bool:
    """Whether an attribute is an option, is set to what may be a device, or asks a tensor."""
    if attribute.attr == IS_CUDA or (attribute.attr == "device" and isinstance(attribute.ctx, ast.Store)):
        return True
    return looks_like_device(attribute.attr) and holds_options(dotted_name(attribute).partition(".")[0])
