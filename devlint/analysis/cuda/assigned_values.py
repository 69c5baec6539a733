"""What a file gives its names and attributes, by how they are called, wherever that is, and who takes parameters."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from devlint.analysis.project.module import Function, ProjectModule
from devlint.syntax.python_tree.nodes import dotted_text, nodes_below, parameters_with_defaults


def last_value(module: ProjectModule, name: str) -> ast.expr | None:
    """What a name of a module is in the end, where the last statement that gives it a value is under no condition."""
    bound = module.bindings.get(name, ())
    last = bound[-1].statement if bound and name not in module.declared_global else None
    is_plain = isinstance(last, ast.Assign) and len(last.targets) == 1 and isinstance(last.targets[0], ast.Name)
    return last.value if isinstance(last, ast.Assign) and is_plain and last in module.tree.body else None


def assignments(tree: ast.Module) -> dict[str, list[ast.expr | None]]:
    """What is assigned to names anywhere in a file; None for what is no plain assignment."""
    found: dict[str, list[ast.expr | None]] = {}
    plain: set[int] = set()
    nodes = nodes_below(tree)
    for target, value in assigned_pairs(nodes):
        if isinstance(target, ast.Name):
            plain.add(id(target))
            found.setdefault(target.id, []).append(value)
    for one in nodes:
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store) and id(one) not in plain:
            found.setdefault(one.id, []).append(None)
    return found


def attributes(tree: ast.Module) -> dict[str, list[tuple[str, ast.expr]]]:
    """What is assigned to attributes anywhere in a file, with what has them."""
    found: dict[str, list[tuple[str, ast.expr]]] = {}
    for target, value in assigned_pairs(nodes_below(tree)):
        if isinstance(target, ast.Attribute):
            found.setdefault(target.attr, []).append((dotted_text(target.value), value))
    return found


def assigned_pairs(nodes: Iterable[ast.AST]) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The targets of assignments with their values; ``a &= b`` gives ``a and b``."""
    for one in nodes:
        if isinstance(one, ast.Assign):
            yield from ((target, one.value) for target in one.targets)
        elif isinstance(one, (ast.AnnAssign, ast.NamedExpr)) and one.value is not None:
            yield one.target, one.value
        elif isinstance(one, ast.AugAssign) and isinstance(one.op, ast.BitAnd):
            yield one.target, ast.BoolOp(ast.And(), [one.target, one.value])


def takers(tree: ast.Module) -> dict[str, list[tuple[Function, str]]]:
    """The functions of a file by their parameters, each with the name of the class that it is a method of."""
    found: dict[str, list[tuple[Function, str]]] = {}
    nodes = nodes_below(tree)
    classes = [one for one in nodes if isinstance(one, ast.ClassDef)]
    owners = {id(inner): one.name for one in classes for inner in one.body}
    for one in nodes:
        if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for parameter, _ in parameters_with_defaults(one.args):
                found.setdefault(parameter.arg, []).append((one, owners.get(id(one), "")))
    return found
