"""What other files of the project give, which may be on CUDA whatever a flag of this one says."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator

from devlint.analysis.apis.unasked_moves import asked_around, is_placement
from devlint.analysis.project.mentions import IMPORTERS
from devlint.analysis.project.module import Definition, Function
from devlint.analysis.project.project import Index, Project
from devlint.analysis.project.searches import search
from devlint.analysis.transfers.received.chosen_classes import named_members
from devlint.syntax.python_tree.nodes import dotted_text, last_name, nodes_below

_MOST_DEFINITIONS = 40


def may_be_brought_on_cuda(project: Project, origins: Iterable[str], flags: Collection[str]) -> bool:
    """Whether what is imported, or what it names of the project in however many steps, puts something on CUDA.

    What asks for one of the ``flags``, or for another flag, counts for nothing.
    """
    modules = (one.removesuffix(".__dict__") for one in origins)
    found = [one for one in map(project.imported, modules) if one is not None]
    waiting = [one for one in found if not isinstance(one.node, ast.Module)]
    waiting += [two for one in found if isinstance(one.node, ast.Module) for two in _held(project.index, one)]
    seen: set[int] = set()
    while waiting and len(seen) < _MOST_DEFINITIONS:
        one = waiting.pop()
        if id(one.node) in seen:
            continue
        seen.add(id(one.node))
        asked, named = _asked_and_named(project.index, one)
        if any(around.isdisjoint(flags) for around in asked):
            return True
        waiting += [*named, *_registered(project, one)]
    return False


def _held(index: Index, one: Definition) -> Iterator[Definition]:
    """What a module has, its own and what it imports of the project: ``nets.__dict__[name]()`` may be any of these."""
    found = (index.resolve(one.module, name) for name in named_members(index, one.module))
    yield from (each for each in found if each is not None)


def _registered(project: Project, one: Definition) -> Iterator[Definition]:
    """What other files enter into a table of which a function calls an entry: ``MODELS[name](**options)``."""
    calls = (node.func for node in nodes_below(one.node) if isinstance(node, ast.Call))
    tables = {dotted_text(func.value) for func in calls if isinstance(func, ast.Subscript)} - {""}
    functions = [node for node in one.module.tree.body if isinstance(node, Function)] if tables else []
    entering = {node.name for node in functions if any(_enters(inner, tables) for inner in nodes_below(node))}
    for holder in search(project, IMPORTERS, one.module.path) or () if entering else ():
        module = project.index.module(holder.path)
        for node in module.tree.body if module is not None else ():
            marks = node.decorator_list if isinstance(node, (ast.ClassDef, Function)) else []
            names = {last_name(mark.func if isinstance(mark, ast.Call) else mark) for mark in marks}
            if module is not None and not names.isdisjoint(entering):
                yield Definition(module, node, getattr(node, "name", ""))


def _enters(node: ast.AST, tables: Collection[str]) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else []
    return any(isinstance(one, ast.Subscript) and dotted_text(one.value) in tables for one in targets)


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
