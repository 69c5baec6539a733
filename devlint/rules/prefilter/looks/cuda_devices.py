"""What becomes of the devices that a program names as CUDA: the looks of DEV101 to DEV105."""

from __future__ import annotations

import ast
from collections.abc import Container

from devlint.rules.prefilter.looks.devices import assigned_by, cards, cuda_devices, is_made, is_used, made_devices
from devlint.rules.prefilter.looks.guards import is_guarded
from devlint.rules.prefilter.looks.known_devices import may_know_device
from devlint.rules.prefilter.looks.slots import may_be_slot
from devlint.rules.prefilter.looks.syntax_tree import SyntaxTree, arguments, dotted_name, last_name
from devlint.torch_api.device_naming import FIELD_CALLS, OPTION_CALLS, holds_device

_DECLARE = FIELD_CALLS | OPTION_CALLS | {"set_defaults"}


def may_call_cuda(tree: SyntaxTree) -> bool:
    """Whether ``x.cuda()`` may run on every machine, and is not by a ``cuda`` of the project's own."""
    return any(_moves(tree, one) and not is_guarded(tree, one) for one in tree.of_type(ast.Call))


def may_be_argument(tree: SyntaxTree) -> bool:
    """Whether a CUDA device may be given to torch, with no test for CUDA or where the program has a name for one."""
    given = (one for one in tree.fact(cuda_devices) if may_be_slot(tree, one))
    return any(not is_guarded(tree, one) or may_know_device(tree, one) for one in given)


def may_be_unguarded(tree: SyntaxTree) -> bool:
    """Whether something that holds a device may be given CUDA, or torch.device of it be used, with no test for CUDA."""
    return any(
        (assigned_by(tree, one) or (is_made(tree, one) and is_used(tree, one))) and not is_guarded(tree, one)
        for one in tree.fact(cuda_devices)
    )


def may_be_default(tree: SyntaxTree) -> bool:
    """Whether CUDA, or a card, may be the default of a parameter, a field or an option."""
    made = {one for one in tree.fact(made_devices) if _is_default(tree, one)}
    if made and not made.isdisjoint(tree.fact(cards)):
        return True
    return any(_is_default(tree, one) for one in tree.fact(cuda_devices))


def may_be_moved(tree: SyntaxTree) -> bool:
    """Whether something is moved to CUDA, and not by a ``cuda`` of the project's own."""
    devices = {*tree.fact(cuda_devices)}
    return any(_moves(tree, one, devices) for one in tree.of_type(ast.Call))


def _moves(tree: SyntaxTree, call: ast.Call, devices: Container[ast.expr] = ()) -> bool:
    if devices and last_name(call.func) == "to":
        return any(one in devices for one in arguments(call))
    if last_name(call.func) != "cuda" or not isinstance(call.func, ast.Attribute):
        return False
    receiver = call.func.value
    if isinstance(receiver, ast.Call) and dotted_name(receiver.func) == "super":
        return False
    return not any(isinstance(one, ast.FunctionDef) and one.name == "cuda" for one in tree.around(call))


def _is_default(tree: SyntaxTree, node: ast.expr) -> bool:
    """Whether ``node`` is the default of a parameter, of an option or of a field."""
    parent = tree.parent(node)
    if isinstance(parent, ast.arguments):
        return is_made(tree, node) or holds_device(tree.fact(_parameters)[node].arg)
    call = tree.parent(parent) if isinstance(parent, ast.keyword) else parent
    if isinstance(call, ast.Call):
        return last_name(call.func) in _DECLARE
    return isinstance(assigned_by(tree, node), ast.AnnAssign)


def _parameters(tree: SyntaxTree) -> dict[ast.expr, ast.arg]:
    """The parameters by their defaults."""
    return {default: parameter for parameter, default in tree.parameters if default is not None}
