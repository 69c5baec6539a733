"""Classes of a project that define a method, such as a ``to`` of their own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from devlint.analysis.project.project import Index, Project
from devlint.analysis.project.searches import Search, search
from devlint.core.record import Record


class MethodOwner(Record):
    """A class that defines a method."""

    path: str
    name: str


def classes_with_method(project: Project, method: str) -> list[MethodOwner] | None:
    """The classes of other files with a method of their own; None where nobody knows."""
    return search(project, OVERRIDES, method)


def _owners(index: Index, paths: Iterable[str], method: str) -> Iterator[MethodOwner]:
    indented = re.compile(rb"^[ \t]+(?:async[ \t]+)?def[ \t]+%s\b" % re.escape(method.encode()), re.MULTILINE)
    for path in paths:
        data = index.disk.read(path)
        module = index.module(path) if data is not None and indented.search(data) else None
        for node in module.tree.body if module is not None else ():
            if isinstance(node, ast.ClassDef) and any(getattr(one, "name", "") == method for one in node.body):
                yield MethodOwner(path, node.name)


OVERRIDES = Search("overrides", lambda name: (f"def {name}(".encode(),), _owners)
