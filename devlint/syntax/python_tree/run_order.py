"""What of a module has run when one of its lines is reached, by the names that its code mentions."""

from __future__ import annotations

import _ast as ast
from collections.abc import Iterable

from devlint.syntax.python_tree.nodes import FIELDS, nodes_below

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)
_BY_TEXT = frozenset({"eval", "exec", "globals", "locals", "vars"})
"""What finds a definition by a text."""


def may_have_run(tree: ast.Module, line: int, at: ast.expr | ast.stmt) -> bool:
    """Whether a line of a module may have run when a node below it is reached.

    A function has not where nothing that runs above the node mentions it, the class around it, or what leads to them.
    """
    definitions = [one for one in _outside_of_functions(tree) if isinstance(one, _DEFINITIONS)]
    holder = next((one for one in definitions if _is_around(one, line) and is_of_function(one, line)), None)
    if holder is None or holder.decorator_list or _is_around(holder, at.lineno):
        return True
    own = next((one for one in definitions if _is_around(one, at.lineno)), None)
    reached: set[ast.AST] = set()
    outside = _outside_of_functions(tree)
    waiting = [_names(outside if own is not None else _above(outside, at))]
    while waiting:
        names = waiting.pop()
        if not _BY_TEXT.isdisjoint(names):
            return True
        for found in definitions:
            if found.name in names and found not in reached:
                reached.add(found)
                nodes = nodes_below(found)
                waiting.append(_names(_above(nodes, at) if found is own else nodes))
    return holder in reached


def is_of_function(holder: ast.AST, line: int) -> bool:
    """Whether a line is in the body of a function, and not beside its head."""
    functions = (one for one in nodes_below(holder) if isinstance(one, _FUNCTIONS))
    return any(_is_around(one, line) and one.lineno < one.body[0].lineno <= line for one in functions)


def _is_around(definition: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, line: int) -> bool:
    return definition.lineno <= line <= (definition.end_lineno or line)


def _outside_of_functions(tree: ast.Module) -> list[ast.AST]:
    """The nodes of a module, without those that run only when a function is called."""
    found: list[ast.AST] = [tree]
    for node in found:  # which grows meanwhile
        for name in FIELDS[node.__class__]:
            value = getattr(node, name, None)
            if name != "body" or not isinstance(node, _FUNCTIONS):
                found += [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, ast.AST)]
    return found


def _above(nodes: Iterable[ast.AST], at: ast.expr | ast.stmt) -> list[ast.AST]:
    return [one for one in nodes if getattr(one, "lineno", 0) <= at.lineno]


def _names(nodes: Iterable[ast.AST]) -> set[str]:
    """What nodes mention, also of something else."""
    return {
        one.id if isinstance(one, ast.Name) else one.attr for one in nodes if isinstance(one, (ast.Name, ast.Attribute))
    }
