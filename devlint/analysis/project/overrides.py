"""Classes of a project that define a method, such as a ``to`` of their own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from devlint.analysis.project.classes import calls_base_init, inherits
from devlint.analysis.project.project import Index, Project
from devlint.analysis.project.searches import Search, search
from devlint.core.record import Record
from devlint.syntax.python_tree.nodes import dotted_text


class MethodOwner(Record):
    """A class that defines a method."""

    path: str
    name: str


def classes_with_method(project: Project, method: str) -> list[MethodOwner] | None:
    """The classes of other files with a method of their own; None where nobody knows."""
    return search(project, OVERRIDES, method)


def _owners(index: Index, paths: Iterable[str], method: str) -> Iterator[MethodOwner]:
    indented = re.compile(rb"^[ \t]+(?:async[ \t]+)?def[ \t]+%s\b" % re.escape(method.encode()), re.MULTILINE)
    for path, module in index.matching(paths, indented):
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and any(getattr(one, "name", "") == method for one in node.body):
                yield MethodOwner(path, node.name)


def may_skip_init(project: Project, name: str) -> bool:
    """Whether a class of another file may inherit from the class ``name`` of this one and not run its ``__init__``."""
    return may_inherit(project, search(project, HEIRS, name), name)


def may_inherit(project: Project, owners: list[MethodOwner] | None, name: str) -> bool:
    """Whether one of some classes of other files, or nobody knows which, may inherit from ``name`` of this file."""
    return owners is None or any(inherits(project, one.name, one.path, name) for one in owners)


def _heirs(index: Index, paths: Iterable[str], name: str) -> Iterator[MethodOwner]:
    """The classes with a base of this name whose own ``__init__`` does not call that of a base first."""
    inherited = re.compile(rb"^[ \t]*class[^\n]+\b%s\b" % re.escape(name.encode()), re.MULTILINE)
    for path, module in index.matching(paths, inherited):
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and any(name in dotted_text(one).split(".") for one in node.bases):
                inits = [one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"]
                if inits and not any(calls_base_init(one) for one in inits[0].body):
                    yield MethodOwner(path, node.name)


HEIRS = Search("heirs", lambda name: (name.encode(),), _heirs)
OVERRIDES = Search("overrides", lambda name: (f"def {name}(".encode(),), _owners)
