"""What binds a name: every statement and expression of Python that does, and with which value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

import libcst as cst

from devlint.core.record import Record


class How(Enum):
    """What binds a name."""

    IMPORT = "import"
    ASSIGN = "assignment"
    UNPACK = "assignment to one of several targets"
    AUGMENTED = "augmented assignment"
    PARAMETER = "parameter"
    FUNCTION = "def"
    CLASS = "class"
    LOOP = "for"
    WITH = "with"
    EXCEPT = "except"
    DELETE = "del"
    PATTERN = "match or type parameter"


class Binding(Record, eq=False):
    """One place that binds a name."""

    name: str
    how: How
    node: cst.CSTNode
    """The statement, parameter or expression that binds."""
    value: cst.BaseExpression | None = None
    """What is assigned, or a parameter's default."""
    origin: str | None = None
    """What is imported, as a dotted name; it begins with dots where the import is relative."""


def plain_name(name: str) -> str:
    """A name as Python compares it: a mathematical letter, or a ligature, is the plain one."""
    if name.isascii():
        return name
    import unicodedata

    return unicodedata.normalize("NFKC", name)


def dotted_name(node: cst.CSTNode) -> str | None:
    """``a.b.c``, for names and attributes of names; None for anything else."""
    parts: list[str] = []
    at: Any = node
    while at.__class__ is cst.Attribute:  # isinstance is slow where the answer is no: LibCST's classes are ABCs
        parts.append(at.attr.value)
        at = at.value
    if at.__class__ is not cst.Name:
        return None
    parts.append(at.value)
    return plain_name(".".join(parts[::-1]))


def _names(target: cst.CSTNode) -> Iterator[str]:
    """The names that assigning to ``target`` binds."""
    if isinstance(target, cst.Name):
        yield target.value
    elif isinstance(target, (cst.Tuple, cst.List)):
        for element in target.elements:
            yield from _names(element.value)


def _targets(target: cst.CSTNode, node: cst.CSTNode, value: cst.BaseExpression) -> Iterator[Binding]:
    """Bindings of one assignment; a tuple on both sides is matched piece by piece."""
    if isinstance(target, cst.Name):
        yield Binding(target.value, How.ASSIGN, node, value)
        return
    if isinstance(target, (cst.Tuple, cst.List)) and isinstance(value, (cst.Tuple, cst.List)):
        pieces = [*target.elements, *value.elements]
        if len(target.elements) == len(value.elements) and all(isinstance(one, cst.Element) for one in pieces):
            for left, right in zip(target.elements, value.elements):
                yield from _targets(left.value, node, right.value)
            return
    for name in _names(target):
        yield Binding(name, How.UNPACK, node, value)


def _assign(node: cst.Assign) -> Iterator[Binding]:
    for target in node.targets:
        yield from _targets(target.target, node, node.value)


def _ann_assign(node: cst.AnnAssign) -> Iterator[Binding]:
    if node.value is not None:
        yield from _targets(node.target, node, node.value)


def _aug_assign(node: cst.AugAssign) -> Iterator[Binding]:
    if isinstance(node.target, cst.Name):
        yield Binding(node.target.value, How.AUGMENTED, node)


def _for(node: cst.For | cst.CompFor) -> Iterator[Binding]:
    for name in _names(node.target):
        yield Binding(name, How.LOOP, node)


def _with_item(node: cst.WithItem) -> Iterator[Binding]:
    if node.asname is not None:
        for name in _names(node.asname.name):
            yield Binding(name, How.WITH, node)


def _except(node: cst.ExceptHandler | cst.ExceptStarHandler) -> Iterator[Binding]:
    if node.name is not None:
        for name in _names(node.name.name):
            yield Binding(name, How.EXCEPT, node)


def _definition(node: cst.FunctionDef | cst.ClassDef) -> Iterator[Binding]:
    how = How.FUNCTION if isinstance(node, cst.FunctionDef) else How.CLASS
    yield Binding(node.name.value, how, node)


def _param(node: cst.Param) -> Iterator[Binding]:
    yield Binding(node.name.value, How.PARAMETER, node, node.default)


def _named_expr(node: cst.NamedExpr) -> Iterator[Binding]:
    yield from _targets(node.target, node, node.value)


def _del(node: cst.Del) -> Iterator[Binding]:
    for name in _names(node.target):
        yield Binding(name, How.DELETE, node)


def _import(node: cst.Import) -> Iterator[Binding]:
    for alias in node.names:
        dotted = dotted_name(alias.name) or ""
        if alias.asname is not None:
            for name in _names(alias.asname.name):
                yield Binding(name, How.IMPORT, node, origin=dotted)
        else:
            first = dotted.partition(".")[0]
            yield Binding(first, How.IMPORT, node, origin=first)


def _import_from(node: cst.ImportFrom) -> Iterator[Binding]:
    module = module_of(node)
    if isinstance(node.names, cst.ImportStar):
        return
    for alias in node.names:
        imported = dotted_name(alias.name) or ""
        origin = f"{module}{imported}" if module.endswith(".") else f"{module}.{imported}"
        bound = list(_names(alias.asname.name)) if alias.asname is not None else [imported]
        for name in bound:
            yield Binding(name, How.IMPORT, node, origin=origin)


def _pattern(node: cst.MatchAs | cst.MatchStar | cst.MatchMapping) -> Iterator[Binding]:
    name = node.rest if isinstance(node, cst.MatchMapping) else node.name
    if name is not None:
        yield Binding(name.value, How.PATTERN, node)


def _type_name(node: cst.TypeVar | cst.TypeVarTuple | cst.ParamSpec | cst.TypeAlias) -> Iterator[Binding]:
    yield Binding(node.name.value, How.PATTERN, node)


def module_of(node: cst.ImportFrom) -> str:
    """The module that names are imported from, with the dots of a relative one."""
    return "." * len(node.relative) + (dotted_name(node.module) or "" if node.module is not None else "")


def import_alias(statement: cst.Import | cst.ImportFrom, name: str) -> cst.ImportAlias | None:
    """The part of an import that binds ``name``."""
    aliases = () if isinstance(statement.names, cst.ImportStar) else statement.names
    return next((one for one in aliases if bound_name(one) == name), None)


def bound_name(alias: cst.ImportAlias) -> str:
    """The name under which something is imported, dotted for ``import a.b``."""
    return alias.evaluated_alias or alias.evaluated_name


BINDERS: dict[type, Callable[[Any], Iterator[Binding]]] = {
    cst.Assign: _assign,
    cst.AnnAssign: _ann_assign,
    cst.AugAssign: _aug_assign,
    cst.For: _for,
    cst.CompFor: _for,
    cst.WithItem: _with_item,
    cst.ExceptHandler: _except,
    cst.ExceptStarHandler: _except,
    cst.FunctionDef: _definition,
    cst.ClassDef: _definition,
    cst.Param: _param,
    cst.NamedExpr: _named_expr,
    cst.Del: _del,
    cst.Import: _import,
    cst.ImportFrom: _import_from,
    cst.MatchAs: _pattern,
    cst.MatchStar: _pattern,
    cst.MatchMapping: _pattern,
    cst.TypeVar: _type_name,
    cst.TypeVarTuple: _type_name,
    cst.ParamSpec: _type_name,
    cst.TypeAlias: _type_name,
}
"""By the types of the nodes that bind names."""


def bindings_of(node: cst.CSTNode) -> Iterator[Binding]:
    """The names that ``node`` itself binds, in the scope it is evaluated in."""
    binder = BINDERS.get(node.__class__)
    return iter(()) if binder is None else binder(node)


def binds_unknown_names(node: cst.CSTNode) -> bool:
    """Whether ``node`` is ``from x import *``."""
    return isinstance(node, cst.ImportFrom) and isinstance(node.names, cst.ImportStar)
