"""Whether the files that import a file move things to CUDA without asking, and whether an option is off by default."""

from __future__ import annotations

import ast

from devlint.analysis.apis.option_kinds import is_off
from devlint.analysis.project.mentions import IMPORTERS
from devlint.analysis.project.module import ProjectModule
from devlint.analysis.project.options import options_set_nowhere
from devlint.analysis.project.project import Project
from devlint.analysis.project.searches import search

_ASKS = (ast.If, ast.IfExp, ast.BoolOp, ast.Try)


def is_off_by_default(project: Project, option: str) -> bool:
    """Whether another file defines an option that is off unless somebody asks for it: ``action="store_true"``."""
    options = options_set_nowhere(project, option)
    return bool(options) and all(map(is_off, options))


def importers_move_unasked(project: Project) -> bool:
    """Whether a file that imports this one calls ``x.cuda()`` under no test."""
    found = (project.index.module(one.path) for one in search(project, IMPORTERS, project.path) or ())
    return any(module is not None and _moves_unasked(module) for module in found)


def _moves_unasked(module: ProjectModule) -> bool:
    waiting: list[ast.AST] = [module.tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "cuda":
            return True
        if not isinstance(node, _ASKS):
            waiting += ast.iter_child_nodes(node)
    return False
