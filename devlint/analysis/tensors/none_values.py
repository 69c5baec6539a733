"""Values that may be None by what gives them: an entry that may be missing, a function that may give nothing."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TypeGuard

import libcst as cst

from devlint.analysis.names.bindings import Binding, How, dotted_name
from devlint.analysis.names.classes import class_of, method_of, self_name
from devlint.analysis.names.resolution import is_none
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.classes import class_family, defined_method
from devlint.analysis.project.module import Definition, Function
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext
from devlint.syntax.python_tree.ast_names import nodes_of_scope

_WITH_DEFAULT = {"get": 1, "pop": 1, "getattr": 2, "next": 1}
"""Calls that look something up, by the position of what they give where it is missing."""
_OPTIONAL = regex(r"\bOptional\[|\|\s*None\b|\bNone\s*\|")


def may_give_none(ctx: FileContext, value: cst.CSTNode | None) -> bool:
    """Whether a value is None, or may be by how it is written: ``batch.get("mask")``, ``load()``."""
    if isinstance(value, cst.IfExp):
        return may_give_none(ctx, value.body) or may_give_none(ctx, value.orelse)
    if isinstance(value, cst.NamedExpr):
        return may_give_none(ctx, value.value)
    if isinstance(value, cst.BooleanOperation) and isinstance(value.operator, cst.Or):
        return may_give_none(ctx, value.right)
    if isinstance(value, cst.Call):
        return _looks_up(value) or _may_return_none(ctx, value, None)
    return is_none(value) or (isinstance(value, cst.Attribute) and value.attr.value == "grad")


def may_bind_none(ctx: FileContext, binding: Binding) -> bool:
    """Whether a binding may give its name None: also a parameter of that kind, or a piece of what a function gives."""
    if binding.how is How.PARAMETER:
        annotation = getattr(binding.node, "annotation", None)
        is_optional = annotation is not None and _OPTIONAL.search(ctx.text_of(annotation)) is not None
        return is_optional or is_none(binding.value)
    if binding.how is How.UNPACK:
        return _may_unpack_none(ctx, binding)
    return may_give_none(ctx, binding.value)


def is_entry_of_settings(value: cst.CSTNode | None) -> bool:
    """Whether a value is an entry that may be anything: ``config["device"]``, ``config.get("device")``."""
    if isinstance(value, cst.Subscript):
        index = value.slice[0].slice
        return isinstance(index, cst.Index) and isinstance(index.value, cst.SimpleString)
    is_found = isinstance(value, cst.Call) and (dotted_name(value.func) or "").endswith(".get")
    return is_found and isinstance(value, cst.Call) and len(value.args) == 1


def _looks_up(call: cst.Call) -> bool:
    """Whether a call gives None where it does not find something."""
    is_method = isinstance(call.func, cst.Attribute)
    name = call.func.attr.value if isinstance(call.func, cst.Attribute) else dotted_name(call.func) or ""
    position = _WITH_DEFAULT.get(name) if is_method is (name in ("get", "pop")) else None
    if position is None or any(one.keyword is not None or one.star for one in call.args):
        return False
    default = call.args[position].value if len(call.args) == position + 1 else None
    return is_none(default) or (name == "get" and len(call.args) == 1)


def _may_unpack_none(ctx: FileContext, binding: Binding) -> bool:
    """Whether a function of the project returns a tuple whose piece, for this name, is None: ``x, mask = load()``."""
    around = next(
        (one for one in (binding.node, *ctx.tree.ancestors(binding.node)) if isinstance(one, cst.Assign)), None
    )
    target = around.targets[0].target if around is not None and len(around.targets) == 1 else None
    if around is None or not isinstance(around.value, cst.Call) or not isinstance(target, cst.Tuple):
        return False
    names = [dotted_name(one.value) for one in target.elements]
    return binding.name in names and _may_return_none(ctx, around.value, names.index(binding.name))


def _may_return_none(ctx: FileContext, call: cst.Call, piece: int | None) -> bool:
    """Whether a function of the project gives something on one path, and None, or None for a piece, on another."""
    found = _called(ctx, call)
    if found is None or not isinstance(found.node, Function) or found.node.decorator_list:
        return False
    return _gives_none_too(found, piece)


def _called(ctx: FileContext, call: cst.Call) -> Definition | None:
    """The function, or the method of the same class, that is called."""
    module, project = own_module(ctx), project_around(ctx)
    owner, _, method = (dotted_name(call.func) or "").rpartition(".")
    around, cls = method_of(ctx, call), class_of(ctx, call)
    if module is None or not method:
        return None
    if around is None or cls is None or not owner or owner != self_name(around):
        return project.index.resolve(module, f"{owner}.{method}".lstrip("."))
    definition = project.index.resolve(module, cls.name.value)
    is_class = definition is not None and isinstance(definition.node, ast.ClassDef)
    return defined_method(class_family(project.index, definition), method) if definition and is_class else None


def _gives_none_too(found: Definition, piece: int | None) -> bool:
    function = found.node
    assert isinstance(function, Function)
    nodes = list(nodes_of_scope(function.body))
    if any(isinstance(one, (ast.Yield, ast.YieldFrom)) for one in nodes):
        return False
    given = [one.value for one in nodes if isinstance(one, ast.Return)]
    if piece is not None:
        tuples = [one.elts for one in given if isinstance(one, ast.Tuple)]
        return any(piece < len(one) and _may_be_none(function, one[piece]) for one in tuples)
    something = [one for one in given if one is not None and not _is_none(one)]
    is_named = any(isinstance(one, ast.Name) and _may_be_none(function, one) for one in something)
    return bool(something) and (is_named or len(something) < len(given) or not _ends(function.body))


def _may_be_none(function: Function, value: ast.expr) -> bool:
    """Whether what a function gives is None, or a name of it that is, and is given nothing else below."""
    if not isinstance(value, ast.Name):
        return _gives_none(value)
    assigned = [one for one in nodes_of_scope(function.body) if _assigns(one, value.id)]
    nothing = [one for one in assigned if isinstance(one, ast.Assign) and _gives_none(one.value)]
    last = max((one.lineno for one in nothing), default=None)
    return last is not None and not any(one.lineno > last and _always_gives(one, assigned) for one in function.body)


def _always_gives(statement: ast.stmt, assigned: Sequence[ast.stmt]) -> bool:
    """Whether a statement is one of some, or a test with one in each branch."""
    if isinstance(statement, ast.If):
        return all(any(_always_gives(one, assigned) for one in body) for body in (statement.body, statement.orelse))
    return statement in assigned


def _assigns(node: ast.AST, name: str) -> TypeGuard[ast.stmt]:
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    is_statement = isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign))
    return is_statement and any(isinstance(one, ast.Name) and one.id == name for one in _pieces(targets))


def _pieces(targets: Sequence[ast.AST | None]) -> list[ast.AST]:
    """The targets, and the pieces of those that are tuples."""
    return [two for one in targets for two in (getattr(one, "elts", None) or [one]) if two is not None]


def _gives_none(value: ast.expr) -> bool:
    return _is_none(value) or (isinstance(value, ast.IfExp) and (_is_none(value.body) or _is_none(value.orelse)))


def _is_none(value: ast.expr | None) -> bool:
    return value is None or (isinstance(value, ast.Constant) and value.value is None)


def _ends(body: Sequence[ast.stmt]) -> bool:
    """Whether a block never runs off its end, as far as its last statement shows."""
    last = body[-1] if body else None
    if isinstance(last, ast.If):
        return bool(last.orelse) and _ends(last.body) and _ends(last.orelse)
    if isinstance(last, (ast.With, ast.AsyncWith)):
        return _ends(last.body)
    if isinstance(last, ast.Try):
        return (
            _ends(last.finalbody) or all(_ends(one.body) for one in last.handlers) and _ends(last.orelse or last.body)
        )
    if isinstance(last, ast.Match):
        return all(_ends(one.body) for one in last.cases)
    return isinstance(last, (ast.Return, ast.Raise, ast.While))
