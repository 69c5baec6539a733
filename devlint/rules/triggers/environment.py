"""The leaf that is a value put into the environment, and what may be no string."""

from __future__ import annotations

import _ast as ast

from devlint.core.regex_fragments import CALL, CLOSED, DOT, GAP, OPENED, any_of, brackets
from devlint.rules.triggers.syntax_nodes import last_name, text_of
from devlint.rules.triggers.trigger import Leaf
from devlint.rules.triggers.values import counted
from devlint.torch_api.environment_variables import COUNTING, SETTERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from devlint.rules.triggers.syntax_tree import SyntaxTree


class EnvironmentValue(Leaf):
    """A value that may be no string, put into ``os.environ`` or into what a program is started with."""

    words = (b"env",)

    def patterns(self) -> Iterator[str | tuple[str, ...]]:
        value = (
            rf"{OPENED}(?:[\d\-+~.\[]|{any_of(COUNTING)}{CALL}"
            rf"|\w++(?![\w.(\[\"'])|[\w.]++{GAP}(?:{brackets()})?+{GAP}=(?!=))"
        )
        given = rf"{CALL}(?:[^,()]|{brackets()})*+,{value}"
        handed = rf"env(?<!\wenv){GAP}={OPENED}"
        yield rf"environ{CLOSED}{brackets()}{CLOSED}=(?!=){value}"
        yield rf"{handed}\w", rf"\]{CLOSED}=(?!=){value}"
        yield rf"environ{DOT}(?:setdefault|__setitem__){given}"
        yield "putenv", rf"putenv(?:{given}|{GAP}as\b)"
        yield rf"environ{GAP}as\b"
        yield rf"environ{DOT}update{CALL}"
        yield rf"patch{DOT}dict"
        yield rf"{handed}(?:\{{|\w++{CALL})"

    def find(self, tree: SyntaxTree) -> Iterator[ast.expr]:
        values = (one for one in _written(tree) if text_of(one) is None)
        return (one for one in values if _may_be_no_string(tree, one, tree.names(_number, counted)))


def _written(tree: SyntaxTree) -> Iterator[ast.expr]:
    """The values that variables of the environment may get."""
    for assign in tree.of_type(ast.Assign):
        for target in assign.targets:
            if isinstance(target, ast.Subscript) and _may_be_environment(tree, target.value):
                yield assign.value
    for call in tree.of_type(ast.Call):
        yield from _given(tree, call)
    for display in tree.of_type(ast.Dict):
        if _goes_into_environment(tree, display):
            yield from display.values


def _given(tree: SyntaxTree, call: ast.Call) -> Iterator[ast.expr]:
    """The values that a call puts there: its second argument, or those by keyword."""
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    is_method = owner is not None and _is_environment(tree, owner)
    if (is_method and last_name(call.func) in SETTERS) or "os.putenv" in tree.called(call.func):
        yield from call.args[1:2]
    elif is_method or _is_patch(call) or _is_handed(tree.parent(call)):
        yield from (one.value for one in call.keywords if one.arg is not None)


def _is_environment(tree: SyntaxTree, node: ast.AST) -> bool:
    return "os.environ" in tree.called(node)


def _may_be_environment(tree: SyntaxTree, node: ast.AST) -> bool:
    """Whether an expression is ``os.environ``, or a name that stands in ``env=``."""
    return last_name(node) in tree.fact(_handed_on) if isinstance(node, ast.Name) else _is_environment(tree, node)


def _handed_on(tree: SyntaxTree) -> frozenset[str]:
    """The names of what programs are started with, and of the environment itself."""
    given = (one.value for one in tree.of_type(ast.keyword) if one.arg == "env")
    own = (one for one in tree.of_type(ast.Name) if _is_environment(tree, one))
    return frozenset(last_name(one) for one in (*given, *own))


def _goes_into_environment(tree: SyntaxTree, display: ast.Dict) -> bool:
    """Whether a display is ``env=``, or given to a method of the environment or to ``patch.dict``."""
    parent = tree.parent(display)
    call = tree.parent(parent) if isinstance(parent, ast.keyword) else parent
    if not isinstance(call, ast.Call) or _is_handed(parent):
        return _is_handed(parent)
    return isinstance(call.func, ast.Attribute) and (_is_patch(call) or _is_environment(tree, call.func.value))


def _is_handed(node: ast.AST | None) -> bool:
    """Whether a node is the argument that a program is started with."""
    return isinstance(node, ast.keyword) and node.arg == "env"


def _is_patch(call: ast.Call) -> bool:
    """Whether a call may be of ``patch.dict``."""
    return isinstance(call.func, ast.Attribute) and call.func.attr == "dict"


def _may_be_no_string(tree: SyntaxTree, node: ast.AST, names: Container[str]) -> bool:
    is_constant = isinstance(node, ast.Constant) and not isinstance(node.value, (str, bytes))
    return is_constant or isinstance(node, (ast.List, ast.Tuple)) or _number(tree, node, names)


def _number(tree: SyntaxTree, node: ast.AST, names: Container[str]) -> bool:
    if isinstance(node, ast.UnaryOp):
        return _number(tree, node.operand, names)
    if isinstance(node, ast.BinOp):
        return _number(tree, node.left, names) and _number(tree, node.right, names)
    if isinstance(node, ast.Call):
        return last_name(node.func) in COUNTING
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (int, float)) and not isinstance(node.value, bool)
    return isinstance(node, ast.Name) and node.id in names
