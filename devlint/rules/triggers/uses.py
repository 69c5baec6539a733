"""What becomes of what a function of torch gives: of a checkpoint, of mixed precision, of a backend."""

from __future__ import annotations

import _ast as ast

from devlint.syntax.python_tree.nodes import arguments, last_name, nodes_below, text_of
from devlint.torch_api.checkpoint_naming import CHECKPOINT
from devlint.torch_api.device_naming import speaks_of_pinning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from devlint.rules.triggers.syntax_tree import SyntaxTree

_OPTION = "weights_only"
"""The option whose name sounds like a checkpoint."""
_GIVEN = (ast.Call, ast.keyword, ast.Assign, ast.arguments, ast.Dict)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_SCALERS = frozenset({"torch.amp.GradScaler", "torch.GradScaler"})


def is_given_or_default(tree: SyntaxTree, node: ast.AST) -> bool:
    """Whether a value is given to a call, a name or a dictionary, or a default, and not listed or compared."""
    return isinstance(tree.parent(node), _GIVEN)


def may_be_for_cuda(tree: SyntaxTree, call: ast.AST) -> bool:
    """Whether mixed precision is told nothing but CUDA, or may be a scaler that is told nothing."""
    if not isinstance(call, ast.Call):
        return False
    called = tree.called(call.func)
    return not called.isdisjoint(_SCALERS) or any(text_of(one) == "cuda" for one in arguments(call))


def may_stop_script(tree: SyntaxTree, call: ast.AST) -> bool:
    """Whether a script may stop where a call says no: ``assert call``, or ``if not call:`` before an exit.

    No script calls a method by itself, nor a function in another one.
    """
    statement = next((one for one in tree.around(call) if isinstance(one, ast.stmt)), None)
    if not isinstance(statement, (ast.Assert, ast.If)) or _is_inner(tree, call):
        return False
    return isinstance(statement, ast.Assert) or _may_stop(statement)


def _may_stop(statement: ast.If) -> bool:
    """Whether a branch of an ``if`` may end the program."""
    blocks = [block for block in (statement.body, statement.orelse) if block]
    others = (one for one in statement.orelse if isinstance(one, ast.If))
    return any(isinstance(block[-1], (ast.Raise, ast.Expr)) for block in blocks) or any(map(_may_stop, others))


def _is_inner(tree: SyntaxTree, node: ast.AST) -> bool:
    """Whether a node is in a function of a class or of another function."""
    scope = next((one for one in tree.around(node) if isinstance(one, _SCOPES)), None)
    return isinstance(scope, _SCOPES[:2]) and tree.parent(scope) is not tree.module


def may_be_checkpoint(tree: SyntaxTree, call: ast.AST) -> bool:
    """Whether what ``torch.load`` gives is moved or copied into a module, or called like a checkpoint."""
    if not isinstance(call, ast.Call) or len(call.args) > 1 or any(isinstance(one, ast.Starred) for one in call.args):
        return False
    parent = tree.parent(call)
    if isinstance(parent, ast.Attribute) and parent.attr == "to":
        return True
    if isinstance(parent, ast.Assign) and "load_state_dict" in tree.attributes:
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


def may_pin(tree: SyntaxTree, node: ast.AST) -> bool:
    """Whether memory may be pinned under no test for that, and in no function that is called after it."""
    if isinstance(node, ast.keyword) and not (isinstance(node.value, ast.Constant) and node.value.value is True):
        return False
    child = node
    for parent in tree.around(node):
        if isinstance(parent, (ast.If, ast.IfExp)) and child is not parent.test:
            if any(speaks_of_pinning(last_name(one)) for one in nodes_below(parent.test)):
                return False
        if isinstance(parent, ast.FunctionDef) and speaks_of_pinning(parent.name):
            return False
        child = parent
    return True


def may_have_map(tree: SyntaxTree, call: ast.AST) -> bool:
    """Whether ``torch.load`` may be given a dictionary of cards."""
    if not isinstance(call, ast.Call) or not any(text.startswith("cuda") for _, text in tree.strings):
        return False
    given = [one.value for one in call.keywords if one.arg == "map_location"] or call.args[1:2]
    return any(isinstance(one, (ast.Dict, ast.Name)) for one in given)
