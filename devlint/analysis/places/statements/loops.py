"""What is known after a loop."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection

from devlint.analysis.places.joins import merged, same
from devlint.analysis.places.values import UNKNOWN, Many, Names, Tensor
from devlint.syntax.python_tree.nodes import nodes_below


def repeated(
    loop: ast.For | ast.AsyncFor | ast.While,
    names: Names,
    once: Callable[[Names], Names | None],
    missed: Collection[str],
) -> Names:
    """The values of names after a loop, of which ``once`` runs the body: twice, unless nothing is new to it then.

    ``missed`` are the names that have been asked for before they had a value.
    """
    names = _without_placeholders(loop, names)
    for _ in range(2):
        before = names
        names = merged(names, once(names)) or names
        if _is_settled(before, names, missed):
            break
    return names


def _is_settled(before: Names, after: Names, missed: Collection[str]) -> bool:
    """Whether all values are those that a loop began with, and it asked for none that it has only given now."""
    for name, value in after.items():
        old = before.get(name)
        if old is None and ("." in name or name in missed):
            return False
        if old is not None and old is not value and (isinstance(value, Many) or not same(old, value)):
            return False
    return True


def _without_placeholders(loop: ast.For | ast.AsyncFor | ast.While, names: Names) -> Names:
    """The values of names, those unknown that a loop gives another value where a placeholder or a number stood."""
    tensors = ((name, value) for name, value in names.items() if isinstance(value, Tensor) and value.is_on_cpu)
    held = {name for name, value in tensors if value.is_placeholder or value.rank == 0}
    below = nodes_below(loop) if held else []
    changed = [one.target for one in below if isinstance(one, ast.AugAssign)]
    for one in below:
        if isinstance(one, ast.Name) and one.id in held and isinstance(one.ctx, ast.Store) and one not in changed:
            names[one.id] = UNKNOWN
    return names
