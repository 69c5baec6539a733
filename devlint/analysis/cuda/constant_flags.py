"""Flags that are constants of the program: ``use_cuda = False``, also in a class, a dictionary or another file."""

from __future__ import annotations

import ast
from collections.abc import Iterable

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import class_of, method_of, self_name
from devlint.analysis.names.reaching_definitions import reaching_values
from devlint.analysis.names.scopes import scopes
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.attributes import set_from_outside
from devlint.analysis.project.known_devices import known_device
from devlint.analysis.project.module import Definition, ProjectModule
from devlint.analysis.project.project import Project
from devlint.syntax.file_context import FileContext
from devlint.syntax.python_tree.constant_values import UNKNOWN, constant_value
from devlint.syntax.python_tree.nodes import dotted_text, last_name, nodes_below, root_name, text_of

_DEPTH = 5
"""How many names a value is followed through."""


def is_never_true(ctx: FileContext, condition: str, at: cst.CSTNode) -> bool:
    """Whether a condition in words says no by constants of the program: ``not Config.no_cuda and is_available()``.

    The default of a parameter counts as one: what is moved without asking went to CUDA with it, too.
    """
    value = _value_of(ctx, condition, at, _DEPTH)
    return value is not UNKNOWN and not value


def _value_of(ctx: FileContext, text: str, at: cst.CSTNode, depth: int) -> object:
    """The constant that an expression is at a place of the file."""
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError:
        return UNKNOWN
    return constant_value(tree, lambda node: _value_at(ctx, node, at, depth - 1))


def _value_at(ctx: FileContext, node: ast.expr, at: cst.CSTNode, depth: int) -> object:
    """The only constant that a name, an attribute or an entry can be at a place of the file."""
    dotted = dotted_text(node)
    found = reaching_values(ctx, dotted, at) if dotted and depth > 0 else []
    if found:
        return _same(_value_of(ctx, ctx.one_line_of(one), one, depth) for one in found)
    owner = root_name(node.value if isinstance(node, ast.Subscript) else node)
    method = method_of(ctx, at)
    if method is not None and owner == self_name(method):
        return _of_instance(ctx, dotted, at, depth) if dotted else UNKNOWN
    module = own_module(ctx)
    is_of_module = scopes(ctx).binder(owner, at) in (scopes(ctx).module, None)
    return _value_in(project_around(ctx), module, node, depth) if module is not None and is_of_module else UNKNOWN


def _same(values: Iterable[object]) -> object:
    """What all values are; UNKNOWN where they differ."""
    found = list(values)
    return found[0] if found and all(one is found[0] or one == found[0] for one in found) else UNKNOWN


def _of_instance(ctx: FileContext, dotted: str, at: cst.CSTNode, depth: int) -> object:
    """What the class itself says of an attribute of its instances: ``use_cuda = False`` in its body."""
    definition = class_of(ctx, at)
    scope = scopes(ctx).opened_by(definition) if definition is not None else None
    bound = scope.bindings.get(dotted.partition(".")[2], []) if scope is not None else []
    values = [one.value for one in bound]
    if depth == 0 or set_from_outside(project_around(ctx), dotted.rpartition(".")[2]) != []:
        return UNKNOWN
    return _same(UNKNOWN if one is None else _value_of(ctx, ctx.one_line_of(one), one, depth) for one in values)


def _value_in(project: Project, module: ProjectModule, node: ast.expr, depth: int) -> object:
    """The constant that a name, an attribute or an entry of a module is, as far as the module shows."""
    key = text_of(node.slice) if isinstance(node, ast.Subscript) else None
    owner = node.value if isinstance(node, (ast.Attribute, ast.Subscript)) else node
    found = project.index.resolve(module, dotted_text(owner)) if depth > 0 else None
    if found is None or (isinstance(node, ast.Subscript) and not key):
        return UNKNOWN
    if isinstance(node, ast.Name):
        return _constant(project, found.module, found.module.sole_value(found.name), depth)
    if _is_written(module, node) or _is_written(found.module, node):
        return UNKNOWN
    if key:
        return _constant(project, found.module, _given(found.module.sole_value(found.name), key), depth)
    name = last_name(node)
    if set_from_outside(project, name) != []:
        return UNKNOWN
    if isinstance(found.node, ast.Module):
        return _value_in(project, found.module, ast.Name(name), depth - 1)
    return _constant(*_attribute(project, found, name), depth)


def imports_cpu(project: Project, module: ProjectModule, name: str) -> bool:
    """Whether a device that a module exports is the CPU for good."""
    found = project.index.resolve(module, name)
    return found is not None and _is_cpu(project, found.module, found.module.sole_value(found.name), _DEPTH)


def always_gives_cpu(ctx: FileContext, call: cst.Call) -> bool:
    """Whether a call of a function of the project gives the CPU whatever it is given."""
    module = own_module(ctx)
    return module is not None and _returns_cpu(project_around(ctx), module, dotted_name(call.func) or "", _DEPTH)


def _returns_cpu(project: Project, module: ProjectModule, called: str, depth: int) -> bool:
    found = project.index.resolve(module, called)
    if found is None or not isinstance(found.node, ast.FunctionDef):
        return False
    returned = [one.value for one in nodes_below(found.node) if isinstance(one, ast.Return)]
    return bool(returned) and all(_is_cpu(project, found.module, one, depth - 1) for one in returned)


def _is_cpu(project: Project, module: ProjectModule, value: ast.expr | None, depth: int) -> bool:
    """Whether a device of a module is the CPU by constants: ``"cuda" if USE and is_available() else "cpu"``."""
    if isinstance(value, ast.IfExp):
        held = _constant(project, module, value.test, depth)
        branches = [value.body, value.orelse] if held is UNKNOWN else [value.body if held else value.orelse]
        return all(_is_cpu(project, module, one, depth) for one in branches)
    if isinstance(value, ast.Name) and depth > 0:
        return _is_cpu(project, module, module.sole_value(value.id), depth - 1)
    if isinstance(value, ast.Call) and depth > 0:
        if module.origin(value.func) == "torch.device" and value.args:
            return _is_cpu(project, module, value.args[0], depth - 1)
        return _returns_cpu(project, module, dotted_text(value.func), depth)
    known = known_device(module, value)
    return known is not None and not known.cuda


def _constant(project: Project, module: ProjectModule, value: ast.expr | None, depth: int) -> object:
    if value is None:
        return UNKNOWN
    return constant_value(value, lambda node: _value_in(project, module, node, depth - 1))


def _attribute(project: Project, found: Definition, name: str) -> tuple[Project, ProjectModule, ast.expr | None]:
    """What an attribute of a class, or of an object that is made by a call, is given."""
    value, definition = found.module.sole_value(found.name), found
    if isinstance(value, ast.Call):
        given = _given(value, name)
        if given is not None:
            return project, found.module, given
        inner = project.index.resolve(found.module, dotted_text(value.func))
        definition = inner if inner is not None else found
    body = definition.node.body if isinstance(definition.node, ast.ClassDef) else ()
    values = [one.value for one in body if _target(one) == name and isinstance(one, (ast.Assign, ast.AnnAssign))]
    return project, definition.module, values[0] if len(values) == 1 else None


def _target(statement: ast.stmt) -> str:
    if isinstance(statement, ast.AnnAssign):
        return dotted_text(statement.target)
    return (
        dotted_text(statement.targets[0]) if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else ""
    )


def _given(value: ast.expr | None, key: str) -> ast.expr | None:
    """What a dictionary has under a key, or a call is given by a keyword; None where something may hide it."""
    if isinstance(value, ast.Dict) and None not in value.keys:
        found = [inner for one, inner in zip(value.keys, value.values) if one is not None and text_of(one) == key]
        return found[-1] if found else None
    keywords = value.keywords if isinstance(value, ast.Call) else []
    return next((one.value for one in keywords if one.arg == key and keywords[-1].arg), None)


def _is_written(module: ProjectModule, node: ast.expr) -> bool:
    """Whether a module assigns to an attribute or an entry of that name."""
    return _key(node) in module.fact(_written)


def _written(tree: ast.Module) -> frozenset[str | None]:
    nodes = (one for one in nodes_below(tree) if isinstance(one, (ast.Attribute, ast.Subscript)))
    return frozenset(_key(one) for one in nodes if isinstance(one.ctx, ast.Store))


def _key(node: ast.expr) -> str | None:
    return text_of(node.slice) if isinstance(node, ast.Subscript) else last_name(node)
