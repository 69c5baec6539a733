"""What other files of the project give, which may be on CUDA whatever a flag of this one says."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator

from devlint.analysis.apis.unasked_moves import asked_around, is_placement
from devlint.analysis.project.module import Definition
from devlint.analysis.project.project import Index, Project
from devlint.syntax.python_tree.nodes import dotted_text, nodes_below

_MOST_DEFINITIONS = 40


def may_be_brought_on_cuda(project: Project, origins: Iterable[str], flags: Collection[str]) -> bool:
    """Whether what is imported, or what it names of the project in however many steps, puts something on CUDA.

    What asks for one of the ``flags``, or for another flag, counts for nothing.
    """
    found = (project.imported(one) for one in origins)
    waiting = [one for one in found if one is not None and not isinstance(one.node, ast.Module)]
    seen: set[int] = set()
    while waiting and len(seen) < _MOST_DEFINITIONS:
        one = waiting.pop()
        if id(one.node) in seen:
            continue
        seen.add(id(one.node))
        asked, named = _asked_and_named(project.index, one)
        if any(around.isdisjoint(flags) for around in asked):
            return True
        waiting += named
    return False


def _asked_and_named(index: Index, one: Definition) -> tuple[frozenset[frozenset[str]], list[Definition]]:
    """What a definition asks around what it puts on CUDA, and what of the project it names."""

    def look() -> tuple[frozenset[frozenset[str]], list[Definition]]:
        return asked_around(one.node, is_placement), list(_named(index, one))

    answer: tuple[frozenset[frozenset[str]], list[Definition]] = index.disk.kept(
        ("brought", one.module.path, one.name), look
    )
    return answer


def _named(index: Index, one: Definition) -> Iterator[Definition]:
    """The definitions that the text of one names."""
    names = {dotted_text(node) for node in nodes_below(one.node) if isinstance(node, (ast.Name, ast.Attribute))}
    for name in sorted(filter(None, names)):
        found = index.resolve(one.module, name)
        if found is not None and not isinstance(found.node, ast.Module):
            yield found
