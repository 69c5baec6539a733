"""What may be asked of torch.accelerator: the looks of DEV701 to DEV704 and of DEV706."""

from __future__ import annotations

import ast

from devlint.rules.prefilter.looks.devices import cards, cuda_devices, is_made
from devlint.rules.prefilter.looks.guards import is_in
from devlint.rules.prefilter.looks.syntax_tree import SyntaxTree, dotted_name, last_name
from devlint.torch_api.accelerator_api import FAILS_WITHOUT_DEVICE
from devlint.torch_api.accelerator_naming import ASKS_FOR_ACCELERATOR, member_of
from devlint.torch_api.module_members import is_never_of_accelerator

_MODULE = "torch.accelerator"
_NEEDS_DEVICE = (ast.Attribute, ast.FormattedValue, ast.Call, ast.keyword, ast.Assign)
"""What stands around ``current_accelerator()`` where it may be used as a device, now or later."""


def may_drop_device_index(tree: SyntaxTree) -> bool:
    """Whether a statement may be nothing but ``device_index(i)``."""
    return any(isinstance(tree.parent(one), ast.Expr) for one in _calls(tree, "device_index"))


def may_be_unchecked(tree: SyntaxTree) -> bool:
    """Whether ``current_accelerator()`` may be used as a device."""
    return any(_may_be_needed(tree, one) for one in _calls(tree, "current_accelerator"))


def may_raise_on_cpu(tree: SyntaxTree) -> bool:
    """Whether a function that needs an accelerator is called, and no other that is called so stands around it."""
    harmful = _calls(tree, *FAILS_WITHOUT_DEVICE)
    harmful += [one for one in _calls(tree, "device_index") if isinstance(tree.parent(one), ast.withitem)]
    return not all(_is_asked(tree, one) for one in harmful)


def may_be_unknown(tree: SyntaxTree) -> bool:
    """Whether ``torch.accelerator`` is asked for a name that no release of it has."""
    asked = (tree.parent(one) for one in tree.named(frozenset({_MODULE})))
    if any(isinstance(one, ast.Attribute) and is_never_of_accelerator(one.attr) for one in asked):
        return True
    imports = [one for one in tree.of_type(ast.ImportFrom) if one.module == _MODULE]
    return any(is_never_of_accelerator(alias.name) for one in imports for alias in one.names)


def may_take_cuda(tree: SyntaxTree) -> bool:
    """Whether CUDA may become the device in a file that asks torch.accelerator."""
    return bool(_calls(tree, "is_available")) and any(
        _may_be_device(tree, one) for one in (*tree.fact(cuda_devices), *tree.fact(cards))
    )


def _calls(tree: SyntaxTree, *members: str) -> list[ast.Call]:
    """The calls of these functions of torch.accelerator."""
    return [one for name in members for one in tree.fact(_calls_by_member).get(name, ())]


def _calls_by_member(tree: SyntaxTree) -> dict[str, list[ast.Call]]:
    found: dict[str, list[ast.Call]] = {}
    for call in tree.of_type(ast.Call):
        for member in filter(None, map(member_of, tree.called(call.func))):
            found.setdefault(member, []).append(call)
    return found


def _may_be_needed(tree: SyntaxTree, call: ast.Call) -> bool:
    """Whether a device is looked into, put into a call or a string, kept, or returned by what says so."""
    parent = tree.parent(call)
    if isinstance(parent, ast.Return):
        functions = (one for one in tree.around(parent) if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)))
        return any(one.returns is not None and last_name(one.returns).endswith("device") for one in functions)
    return isinstance(parent, _NEEDS_DEVICE)


def _is_asked(tree: SyntaxTree, node: ast.AST) -> bool:
    """Whether ``if is_tpu_available():`` or the like is around."""
    child = node
    for parent in tree.around(node):
        if isinstance(parent, ast.If) and isinstance(parent.test, ast.Call) and child is not parent.test:
            name = dotted_name(parent.test.func).rpartition(".")[2]
            if is_in(child, parent.body) and ASKS_FOR_ACCELERATOR.search(name):
                return True
        child = parent
    return False


def _may_be_device(tree: SyntaxTree, node: ast.expr) -> bool:
    """Whether a CUDA device is made, chosen, returned, or kept under a name."""
    return is_made(tree, node) or isinstance(tree.parent(node), (ast.IfExp, ast.Return, ast.Assign))
