"""Classes that a program chooses at run time, by a name: from a table, a module that it imports, with ``getattr``."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from devlint.analysis.project.module import Definition, Function, ProjectModule
from devlint.analysis.project.overrides import classes_with_method, known_methods
from devlint.analysis.project.project import Index, Project
from devlint.syntax.python_tree.nodes import dotted_text, last_name

_IMPORTS = frozenset({"import_module", "__import__"})


def is_chosen_by_name(function: ast.expr, owners: Iterable[ast.expr]) -> bool:
    """Whether what is called is ``table[name]``, ``getattr(module, name)``, or of a module that is imported by name.

    ``owners`` are the values of what an attribute is taken of.
    """
    if isinstance(function, ast.Subscript):
        return True
    if isinstance(function, ast.Call):
        return last_name(function.func) == "getattr"
    values = [function.value, *owners] if isinstance(function, ast.Attribute) else []
    return any(isinstance(one, ast.Call) and last_name(one.func) in _IMPORTS for one in values)


def entries_of_table(index: Index, module: ProjectModule, function: ast.expr) -> list[tuple[ProjectModule, ast.expr]]:
    """The values of ``KINDS`` where ``KINDS[kind]`` is called and a dictionary is all that the name ever has."""
    dotted = dotted_text(function.value) if isinstance(function, ast.Subscript) else ""
    found = index.resolve(module, dotted) if dotted else None
    table = found.module.sole_value(found.name) if found is not None else None
    return [(found.module, one) for one in table.values] if found is not None and isinstance(table, ast.Dict) else []


def classes_with_cuda_alone(project: Project, own: ProjectModule) -> list[Definition]:
    """The classes of the project with a ``cuda`` and no ``to``, as far as all their methods are known."""
    found = [Definition(own, one, one.name) for one in own.tree.body if isinstance(one, ast.ClassDef)]
    for one in classes_with_method(project, "cuda") or ():
        module = project.index.module(one.path)
        definition = project.index.resolve(module, one.name) if module is not None else None
        found += [definition] if definition is not None else []
    methods = [known_methods(project.index, one.module, one.name) or frozenset() for one in found]
    return [one for one, known in zip(found, methods) if "cuda" in known and "to" not in known]


def is_context_manager(function: Function) -> bool:
    """Whether a generator is a context manager: what it yields is what ``with`` gives."""
    return any(last_name(one) == "contextmanager" for one in function.decorator_list)
