"""Reads of names that only a script's main part binds, found on Python's own tree: who imports the file has none.

Like ``unbound_reads`` it guards the engine, and shares no code with the resolver.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devlint.syntax.python_tree.ast_names import bound_names, free_names, functions_in
from devlint.syntax.python_tree.python_ast import syntax_tree


def new_reads_of_main_part(before: str, after: str) -> list[str]:
    """The names of the main part that a changed text reads in functions that could be imported without it before."""
    if "__main__" not in after:
        return []
    old, new = _reads(before), _reads(after)
    return sorted({name for path, names in new.items() if not old.get(path) for name in names})


def _reads(text: str) -> dict[str, set[str]]:
    """By function or class outside of the main part, the names it reads that only the main part binds."""
    tree = syntax_tree(text)
    if tree is None:
        return {}
    main = [one for one in tree.body if isinstance(one, ast.If) and _is_main_part(one)]
    others = [one for one in tree.body if one not in main]
    names = bound_names(statement for one in main for statement in one.body)[0] - _bound_anyway(others)
    found: dict[str, set[str]] = {}
    for path, function in functions_in(others, ""):
        found.setdefault(path.partition(".")[0], set()).update(free_names(function)[0] & names)
    return found


def _bound_anyway(statements: list[ast.stmt]) -> set[str]:
    """The names that the rest of a module binds, or one of its functions for the module."""
    found = bound_names(statements)[0]
    return found.union(*(one.names for part in statements for one in ast.walk(part) if isinstance(one, ast.Global)))


def _is_main_part(node: ast.If) -> bool:
    """Whether a statement is ``if __name__ == "__main__":``, with or without another test beside it."""
    return any(isinstance(side, ast.Constant) and side.value == "__main__" for side in _compared(node.test))


def _compared(test: ast.expr) -> Iterator[ast.expr]:
    for one in ast.walk(test):
        if isinstance(one, ast.Compare) and any(
            ast.unparse(side) == "__name__" for side in (one.left, *one.comparators)
        ):
            yield from (one.left, *one.comparators)
