"""What collections hold that are written down as they are."""

from __future__ import annotations

import ast


def displayed(value: ast.expr) -> list[ast.expr]:
    """The elements of a list, tuple, set or dictionary that is written down, or what a comprehension makes each of."""
    if isinstance(value, (ast.List, ast.Tuple, ast.Set)):
        return value.elts
    if isinstance(value, ast.Dict):
        return value.values
    if isinstance(value, ast.DictComp):
        return [value.value]
    return [value.elt] if isinstance(value, (ast.ListComp, ast.SetComp, ast.GeneratorExp)) else []


def named_entries(call: ast.Call) -> ast.Dict:
    """The arguments with names, as a dictionary of them: of ``dict(a=x)``."""
    named = [one for one in call.keywords if one.arg is not None]
    display = ast.Dict([ast.Constant(one.arg) for one in named], [one.value for one in named])
    return ast.copy_location(display, call)
