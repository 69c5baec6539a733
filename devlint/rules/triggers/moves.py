"""What moves tensors: whether a move may be torch's own, be of a tensor, and name a device."""

from __future__ import annotations

import _ast as ast

from devlint.rules.triggers.devices import DeviceString
from devlint.rules.triggers.tensors import may_be_tensor
from devlint.rules.triggers.values import may_be_device
from devlint.syntax.python_tree.nodes import arguments, dotted_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from devlint.rules.triggers.syntax_tree import SyntaxTree


def is_no_own_cuda(tree: SyntaxTree, call: ast.AST) -> bool:
    """Whether ``x.cuda()`` is not for a ``cuda`` method of the project's own: not in one, and not of ``super()``."""
    receiver = _receiver(call)
    if isinstance(receiver, ast.Call) and dotted_text(receiver.func) == "super":
        return False
    return not any(isinstance(one, ast.FunctionDef) and one.name == "cuda" for one in tree.around(call))


def goes_to_cuda(tree: SyntaxTree, call: ast.AST) -> bool:
    """Whether a call is given a device that names CUDA."""
    return isinstance(call, ast.Call) and not tree.fact(_cuda_devices).isdisjoint(arguments(call))


def moves_tensor(tree: SyntaxTree, call: ast.AST) -> bool:
    """Whether ``x.cuda()`` or ``x.to(device)`` may be of a tensor."""
    receiver = _receiver(call)
    if receiver is None or not isinstance(call, ast.Call) or not may_be_tensor(tree, receiver):
        return False
    return _method(call) != "to" or any(may_be_device(tree, one) for one in _devices(call))


def _cuda_devices(tree: SyntaxTree) -> frozenset[ast.AST]:
    return frozenset(DeviceString().find(tree))


def _devices(move: ast.Call) -> list[ast.expr]:
    """The argument that is a move's device, if it has one."""
    return [one.value for one in move.keywords if one.arg == "device"] or move.args[:1]


def _receiver(call: ast.AST) -> ast.expr | None:
    """``x`` of ``x.method(...)``."""
    return call.func.value if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else None


def _method(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""
