"""Where torch takes a device."""

from __future__ import annotations

import ast

from devlint.rules.prefilter.looks.syntax_tree import SyntaxTree, text_of
from devlint.torch_api.device_naming import LOADS, SLOTS, TAKE_DEVICE, URL_LOADS

_POSITIONAL = frozenset({"to", *URL_LOADS, *(name.rpartition(".")[2] for name in LOADS | TAKE_DEVICE)})


def may_be_slot(tree: SyntaxTree, node: ast.expr, *functions: str) -> bool:
    """Whether ``node`` may stand in the device slot of a call of torch's, or is given to one of ``functions``."""
    parent = tree.parent(node)
    if isinstance(parent, ast.withitem):
        return True
    if isinstance(parent, ast.Dict):  # f(**{"device": node})
        return any(text_of(key) == "device" and value is node for key, value in zip(parent.keys, parent.values))
    if isinstance(parent, ast.keyword):
        call = tree.parent(parent)
        return parent.arg in SLOTS or _is_one_of(tree, call, functions)
    return _is_one_of(tree, parent, (*_POSITIONAL, *functions))


def _is_one_of(tree: SyntaxTree, call: object, functions: tuple[str, ...]) -> bool:
    """Whether a call is of a function or method of one of these names, whatever it is imported as."""
    if not isinstance(call, ast.Call):
        return False
    if isinstance(call.func, ast.Attribute) and call.func.attr in functions:
        return True
    return any(one.rpartition(".")[2] in functions for one in tree.called(call.func))
