"""Whether a checkpoint may be loaded to wherever it was saved: the look of DEV404."""

from __future__ import annotations

import ast

from devlint.rules.prefilter.looks.guards import is_guarded
from devlint.rules.prefilter.looks.syntax_tree import SyntaxTree, last_name
from devlint.torch_api.checkpoint_naming import CHECKPOINT
from devlint.torch_api.device_naming import LOADS

_OPTION = "weights_only"
"""The option whose name sounds like a checkpoint."""


def may_load_anywhere(tree: SyntaxTree) -> bool:
    """Whether ``torch.load`` without a place loads what may be a checkpoint."""
    calls = (tree.parent(one) for one in tree.named(LOADS))
    return any(isinstance(one, ast.Call) and _may_load(tree, one) for one in calls)


def _may_load(tree: SyntaxTree, call: ast.Call) -> bool:
    if len(call.args) > 1 or any(isinstance(one, ast.Starred) for one in call.args) or is_guarded(tree, call):
        return False
    if any(one.arg in (None, "map_location") for one in call.keywords):
        return False
    return _may_be_checkpoint(tree, call)


def _may_be_checkpoint(tree: SyntaxTree, call: ast.Call) -> bool:
    """Whether what is loaded is moved or copied into a module, or called like a checkpoint."""
    parent = tree.parent(call)
    if isinstance(parent, ast.Attribute) and parent.attr == "to":
        return True
    if isinstance(parent, ast.Assign) and any(one.attr == "load_state_dict" for one in tree.of_type(ast.Attribute)):
        return True
    whole: ast.Call | ast.stmt = call
    for around in tree.around(call):
        if isinstance(around, ast.Call) and last_name(around.func) == "load_state_dict":
            return True
        if isinstance(around, ast.stmt):
            whole = around if isinstance(around, (ast.Assign, ast.AnnAssign)) else call
            break
    text = tree.lines(whole.lineno, whole.end_lineno or whole.lineno).lower()
    if text.count(_OPTION) == sum(one.arg == _OPTION for one in call.keywords):
        text = text.replace(_OPTION, "")
    return CHECKPOINT.search(text) is not None
