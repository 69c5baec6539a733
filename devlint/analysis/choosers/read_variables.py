"""Environment variables that the files of a project read by their names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from devlint.analysis.project.mentions import Holder
from devlint.analysis.project.project import Index, Project
from devlint.analysis.project.searches import Search, search
from devlint.syntax.python_tree.nodes import last_name, nodes_below, text_of

READERS = frozenset("get getenv getenvb get_env getenv_bool __getitem__ __contains__".split())
"""Functions that read a variable."""


def is_read_elsewhere(project: Project, variable: str) -> bool:
    """Whether another file of the project reads a variable by this very name, so that it means what it is called."""
    return bool(search(project, READ, variable))


def _reading(index: Index, paths: Iterable[str], name: str) -> Iterator[Holder]:
    for path, module in index.matching(paths, re.compile(re.escape(name).encode())):
        if any(_reads(one, name) for one in nodes_below(module.tree)):
            yield Holder(path)


def _reads(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Call):
        return last_name(node.func) in READERS and any(text_of(one) == name for one in node.args[:1])
    if isinstance(node, ast.Subscript):
        return isinstance(node.ctx, ast.Load) and text_of(node.slice) == name
    return isinstance(node, ast.Compare) and text_of(node.left) == name


READ = Search("variables read", lambda name: (name.encode(),), _reading)
