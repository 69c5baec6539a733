"""Whether a tensor may be made on the CPU and then moved: the look of DEV401."""

from __future__ import annotations

import ast

from devlint.rules.prefilter.looks.syntax_tree import SyntaxTree
from devlint.rules.prefilter.looks.values import may_be_device
from devlint.torch_api.tensor_functions import FACTORIES, MOVE_OPTIONS, TAKE_DATA, TIES

_FACTORIES = frozenset(f"torch.{name}" for name in FACTORIES)
_TAKE_DATA = frozenset(f"torch.{name}" for name in TAKE_DATA)
_TIES = frozenset({None, *TIES})
"""What may tie a new tensor to a device; None for ``**options``."""


def may_move_new_tensor(tree: SyntaxTree) -> bool:
    """Whether ``to`` of what a factory of torch has just made may name a device, and may be left to the factory."""
    return any(
        isinstance(call.func, ast.Attribute)
        and call.func.attr == "to"
        and isinstance(call.func.value, ast.Call)
        and _may_be_found(tree, call, call.func.value)
        for call in tree.of_type(ast.Call)
    )


def _may_be_found(tree: SyntaxTree, move: ast.Call, made: ast.Call) -> bool:
    """Whether a factory was told nothing of a device, and the move tells it."""
    called = tree.called(made.func)
    if called.isdisjoint(_FACTORIES) or any(one.arg in _TIES for one in made.keywords):
        return False
    named = [one.value for one in move.keywords if one.arg == "device"]
    devices = named or move.args[:1]
    if not devices or not may_be_device(tree, devices[0]):
        return False
    converts = len(move.args) > len(devices) - len(named) or any(
        one.arg != "device" and one.arg not in MOVE_OPTIONS for one in move.keywords
    )
    return not (converts and called & _TAKE_DATA)
