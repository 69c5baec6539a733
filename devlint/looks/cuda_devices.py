"""What becomes of the devices that a program names as CUDA: the looks of DEV102 to DEV105."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator
from typing import Optional, Union

from devlint.device_names import FIELD_CALLS, OPTION_CALLS, holds_device
from devlint.looks.guards import is_guarded
from devlint.looks.slots import may_be_slot
from devlint.looks.syntax_tree import SyntaxTree, arguments, dotted_name, last_name, text_of

_DECLARE = FIELD_CALLS | OPTION_CALLS | {"set_defaults"}
_Assignment = Union[ast.Assign, ast.AnnAssign, ast.NamedExpr]


def may_be_argument(tree: SyntaxTree) -> bool:
    """Whether a CUDA device may be given to torch."""
    return any(may_be_slot(tree, one) for one in tree.fact(_cuda_devices))


def may_be_unguarded(tree: SyntaxTree) -> bool:
    """Whether something that holds a device may be given CUDA, or torch.device of it be used, with no test for CUDA."""
    return any(
        (_assigned_by(tree, one) or (_is_made(tree, one) and _is_used(tree, one))) and not is_guarded(tree, one)
        for one in tree.fact(_cuda_devices)
    )


def may_be_default(tree: SyntaxTree) -> bool:
    """Whether CUDA, or a card, may be the default of a parameter, a field or an option."""
    return any(_is_default(tree, one) for one in (*tree.fact(_cuda_devices), *tree.fact(_made_devices)))


def may_be_moved(tree: SyntaxTree) -> bool:
    """Whether something is moved to CUDA, and not by a ``cuda`` of the project's own."""
    devices = {*tree.fact(_cuda_devices)}
    return any(_moves(tree, one, devices) for one in tree.of_type(ast.Call))


def _moves(tree: SyntaxTree, call: ast.Call, devices: Container[ast.expr]) -> bool:
    if last_name(call.func) == "to":
        return any(one in devices for one in arguments(call))
    if last_name(call.func) != "cuda" or not isinstance(call.func, ast.Attribute):
        return False
    receiver = call.func.value
    if isinstance(receiver, ast.Call) and dotted_name(receiver.func) == "super":
        return False
    return not any(isinstance(one, ast.FunctionDef) and one.name == "cuda" for one in tree.around(call))


def _cuda_devices(tree: SyntaxTree) -> list[ast.expr]:
    """Strings that name CUDA, what they are the beginning of, and what ``device`` makes of them or of the number 0."""
    strings: list[ast.expr] = [one for one in tree.of_type(ast.Constant) if _names_cuda(one)]
    strings += [one for one in tree.of_type(ast.JoinedStr) if one.values and _names_cuda(one.values[0])]
    wholes = [whole for one in strings for whole in _wholes(tree, one)]
    begun = {*wholes, *(one for one in tree.of_type(ast.Constant) if one.value == 0)}
    return [*wholes, *(one for one in tree.fact(_made_devices) if not begun.isdisjoint(arguments(one)))]


def _made_devices(tree: SyntaxTree) -> list[ast.Call]:
    """What may be calls of ``torch.device``."""
    return [one for one in tree.of_type(ast.Call) if _is_made(tree, one)]


def _names_cuda(node: ast.expr) -> bool:
    return (text_of(node) or "").startswith("cuda")


def _wholes(tree: SyntaxTree, node: ast.expr) -> Iterator[ast.expr]:
    """A string, and what is made of it: ``"cuda:%d" % i``, ``"cuda:" + str(i)``, ``"cuda:{}".format(i)``."""
    yield node
    parent = tree.parent(node)
    whole = tree.parent(parent) if isinstance(parent, ast.Attribute) else parent
    if isinstance(whole, ast.BinOp) or (isinstance(whole, ast.Call) and whole.func is parent):
        yield whole


def _is_made(tree: SyntaxTree, node: ast.expr) -> bool:
    """Whether an expression may be ``torch.device(...)``."""
    return isinstance(node, ast.Call) and any(one.rpartition(".")[2] == "device" for one in tree.called(node.func))


def _is_used(tree: SyntaxTree, node: ast.expr) -> bool:
    """Whether a torch.device is no default of a parameter, and more than compared or looked into."""
    if isinstance(tree.parent(node), ast.arguments):
        return False
    for parent in tree.around(node):
        if isinstance(parent, (ast.Compare, ast.Attribute, ast.Expr)):
            return False
        if isinstance(parent, (ast.Call, ast.stmt, ast.Lambda)):
            break
    return True


def _assigned_by(tree: SyntaxTree, node: ast.expr) -> Optional[_Assignment]:
    """The assignment that gives ``node`` to a name, attribute or key that holds a device."""
    for parent in tree.around(node):
        if isinstance(parent, (ast.Assign, ast.AnnAssign, ast.NamedExpr)):
            targets = parent.targets if isinstance(parent, ast.Assign) else [parent.target]
            return parent if any(_holds_device(target) for target in targets) else None
        if not isinstance(parent, (ast.BoolOp, ast.Tuple)):
            return None
    return None


def _holds_device(target: ast.expr) -> bool:
    """Whether a target is called like a device, or one of several is."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return any(_holds_device(one) for one in target.elts)
    name = text_of(target.slice) if isinstance(target, ast.Subscript) else last_name(target)
    return holds_device(name or "")


def _is_default(tree: SyntaxTree, node: ast.expr) -> bool:
    """Whether ``node`` is the default of a parameter, of an option or of a field."""
    parent = tree.parent(node)
    if isinstance(parent, ast.arguments):
        return _is_made(tree, node) or holds_device(tree.fact(_parameters)[node].arg)
    call = tree.parent(parent) if isinstance(parent, ast.keyword) else parent
    if isinstance(call, ast.Call):
        return last_name(call.func) in _DECLARE
    return isinstance(_assigned_by(tree, node), ast.AnnAssign)


def _parameters(tree: SyntaxTree) -> dict[ast.expr, ast.arg]:
    """The parameters by their defaults."""
    return {default: parameter for parameter, default in tree.parameters if default is not None}
