"""What a call is given that is one of two: ``f(x if has_x else y)``, or a name that was given such a choice."""

from __future__ import annotations

import ast

from devlint.analysis.places.written.definitions import FunctionNode
from devlint.syntax.python_tree.nodes import nodes_below


def choices_in(call: ast.Call, function: FunctionNode) -> list[ast.IfExp]:
    """The arguments of a call, or the elements of lists that it is given, that are a choice, or were given one last."""
    given = [*call.args, *(one.value for one in call.keywords)]
    every = [each for one in given for each in (one.elts if isinstance(one, (ast.Tuple, ast.List)) else [one])]
    named = {one.id for one in every if isinstance(one, ast.Name)}
    stored = [one for one in nodes_below(function) if isinstance(one, ast.Assign) and one.lineno < call.lineno]
    last: dict[str, ast.expr] = {}
    for one in sorted(stored, key=lambda one: one.lineno):
        last.update((target.id, one.value) for target in one.targets if isinstance(target, ast.Name))
    return [
        one for one in (*every, *(last[name] for name in sorted(named & last.keys()))) if isinstance(one, ast.IfExp)
    ]
