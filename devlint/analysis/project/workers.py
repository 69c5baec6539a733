"""Functions that run in processes of their own, with the number of the process: ``mp.spawn(main_worker, …)``."""

from __future__ import annotations

import ast

from devlint.analysis.project.calls import CALLS
from devlint.analysis.project.module import ProjectModule
from devlint.analysis.project.project import Project
from devlint.analysis.project.searches import search
from devlint.syntax.python_tree.nodes import last_name, nodes_below

TYPE_CHECKING = False
if TYPE_CHECKING:
    from devlint.analysis.project.attributes import AttributeAssignment


def worker_of(module: ProjectModule, statement: ast.AST) -> str:
    """The function of a module that ``args.gpu = gpu`` is in, if ``gpu`` is its first parameter.

    And the module does nothing with the function but call it, or give it to ``spawn``. Empty where that is not so.
    """
    value = statement.value if isinstance(statement, ast.Assign) else None
    if not isinstance(value, ast.Name):
        return ""
    functions = [one for one in module.tree.body if isinstance(one, ast.FunctionDef) and not one.decorator_list]
    around = next((one for one in functions if statement in one.body), None)
    first = around.args.args[0].arg if around is not None and around.args.args else None
    if around is None or first != value.id or _binds(around, first):
        return ""
    return around.name if _only_runs(module, around.name) else ""


def _binds(function: ast.FunctionDef, name: str) -> bool:
    """Whether a function gives a parameter another value."""
    names = (one for one in nodes_below(function) if isinstance(one, ast.Name) and one.id == name)
    return any(not isinstance(one.ctx, ast.Load) for one in names)


def _only_runs(module: ProjectModule, name: str) -> bool:
    """Whether a function is nothing but called with something, or started by ``spawn``."""
    known = set()
    for call in nodes_below(module.tree):
        if isinstance(call, ast.Call) and call.args and not isinstance(call.args[0], ast.Starred):
            known |= {id(call.func), id(call.args[0]) if last_name(call.func) == "spawn" else 0}
    uses = [one for one in nodes_below(module.tree) if isinstance(one, ast.Name) and one.id == name]
    return all(id(one) in known for one in uses)


def keeps_number(project: Project, setter: AttributeAssignment, option: str) -> bool:
    """Whether ``args.gpu = gpu`` keeps the number of a process, or what the option itself says."""
    calls = search(project, CALLS, setter.worker) if setter.worker else None
    if calls is None or any(one.has_stars for one in calls if one.path != setter.path):
        return False
    given = [(*one.positional, "")[0] for one in calls if not one.has_stars]  # here, spawn hides what it gives
    return all(one.isdecimal() or one == "None" or one.endswith(f".{option}") for one in given)
