"""Which scope binds which name, and how: Python's scoping rules over a LibCST tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Callable, Optional, Union, cast

import libcst as cst

from devlint.context import FileContext

_COMPREHENSIONS: frozenset[type] = frozenset({cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp})
_OPENERS: frozenset[type] = _COMPREHENSIONS | {cst.FunctionDef, cst.Lambda, cst.ClassDef}
_BOUNDARIES: frozenset[type] = _OPENERS | {cst.Module, cst.Param, cst.CompFor}
ScopeNode = Union[cst.Module, cst.FunctionDef, cst.Lambda, cst.ClassDef, cst.BaseComp]


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


@dataclass(frozen=True, eq=False)
class Binding:
    """One place that binds a name."""

    name: str
    how: How
    node: cst.CSTNode
    """The statement, parameter or expression that binds."""
    value: Optional[cst.BaseExpression] = None
    """What is assigned, or a parameter's default."""
    origin: Optional[str] = None
    """What is imported, as a dotted name; it begins with dots where the import is relative."""


@dataclass(eq=False)
class Scope:
    """A module, class, function, lambda or comprehension."""

    node: ScopeNode
    parent: Optional[Scope]
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    declared_global: set[str] = field(default_factory=set)
    declared_nonlocal: set[str] = field(default_factory=set)

    @property
    def is_class(self) -> bool:
        """Whether nested functions do not see the names bound here."""
        return isinstance(self.node, cst.ClassDef)

    @property
    def is_function(self) -> bool:
        """Whether it belongs to a ``def``."""
        return isinstance(self.node, cst.FunctionDef)

    def add(self, binding: Binding) -> None:
        """Note one more binding."""
        self.bindings.setdefault(binding.name, []).append(binding)


class Scopes:
    """All scopes of one module."""

    def __init__(self, ctx: FileContext) -> None:
        self._tree = ctx.tree
        self.module = Scope(ctx.module, None)
        self._scopes: dict[int, Scope] = {id(ctx.module): self.module}
        self.star_import = False
        """Whether ``from x import *`` binds names nobody can see here."""
        self.imported: set[str] = set()
        """Every name that an import binds in some scope."""
        for node in self._tree.nodes:
            if node.__class__ in _OPENERS:
                self._scopes[id(node)] = Scope(cast(ScopeNode, node), self.scope_of(node))
        for declaration in self._tree.of_type(cst.Global):
            self.scope_of(declaration).declared_global.update(item.name.value for item in declaration.names)
        for other in self._tree.of_type(cst.Nonlocal):
            self.scope_of(other).declared_nonlocal.update(item.name.value for item in other.names)
        for node in self._tree.nodes:
            collect = _BINDERS.get(node.__class__)
            if collect is not None:
                for binding in collect(self, node):
                    self._bind(node, binding)

    def opened_by(self, node: cst.CSTNode) -> Scope:
        """The scope that a module, def, lambda, class or comprehension opens."""
        return self._scopes[id(node)]

    def scope_of(self, node: cst.CSTNode) -> Scope:
        """The scope in which ``node`` is evaluated (for a def or class: in which its name is bound)."""
        for child, parent in self._tree.path_up(node):
            kind = parent.__class__
            # CSTNode is an ABC, whose isinstance is slow: this loop is the hottest of all facts.
            if kind not in _BOUNDARIES:
                continue
            if isinstance(parent, cst.Param):
                if child is not parent.name:
                    return self.scope_of(self._owner_of_param(parent))
            elif isinstance(parent, cst.CompFor):
                holder = self._tree.parent(parent)
                if child is parent.iter and holder.__class__ in _COMPREHENSIONS:
                    return self.scope_of(cast(cst.CSTNode, holder))
            elif isinstance(parent, (cst.FunctionDef, cst.ClassDef)):
                if child is parent.body or isinstance(child, (cst.Parameters, cst.TypeParameters)):
                    return self._scopes[id(parent)]
            else:
                return self._scopes[id(parent)]
        return self.module

    def enclosing(self, node: cst.CSTNode) -> Iterator[Scope]:
        """The scope of ``node`` and those around it whose names it sees, innermost first."""
        scope: Optional[Scope] = self.scope_of(node)
        first = True
        while scope is not None:
            if first or not scope.is_class:
                yield scope
            if isinstance(scope.node, (cst.FunctionDef, cst.Lambda)):
                first = False
            elif scope.is_class:
                first = False
            scope = scope.parent

    def binder(self, name: str, at: cst.CSTNode) -> Optional[Scope]:
        """The scope that binds ``name`` as it is seen at ``at``; None for builtins and unknown names."""
        for scope in self.enclosing(at):
            if name in scope.declared_global:
                return self.module if name in self.module.bindings else None
            if name in scope.bindings:
                return scope
        return None

    def function_of(self, node: cst.CSTNode) -> Optional[cst.FunctionDef]:
        """The innermost ``def`` whose body (or lambda, or comprehension inside it) holds ``node``."""
        scope: Optional[Scope] = self.scope_of(node)
        while scope is not None:
            if isinstance(scope.node, cst.FunctionDef):
                return scope.node
            if scope.is_class:
                return None
            scope = scope.parent
        return None

    def _owner_of_param(self, param: cst.Param) -> cst.CSTNode:
        parameters = self._tree.parent(param)
        owner = self._tree.parent(parameters) if parameters is not None else None
        assert owner is not None, "a parameter belongs to a def or a lambda"
        return owner

    def _bind(self, node: cst.CSTNode, binding: Binding) -> None:
        scope = self.scope_of(node)
        if isinstance(node, cst.Param):
            scope = self._scopes[id(self._owner_of_param(node))]
        if isinstance(node, cst.NamedExpr):
            while scope.node.__class__ in _COMPREHENSIONS and scope.parent is not None:
                scope = scope.parent
        if binding.name in scope.declared_global:
            scope = self.module
        elif binding.name in scope.declared_nonlocal:
            scope = self._nonlocal_owner(scope, binding.name)
        if binding.how is How.IMPORT:
            self.imported.add(binding.name)
        scope.add(binding)

    def _nonlocal_owner(self, scope: Scope, name: str) -> Scope:
        outer = scope.parent
        while outer is not None and (name not in outer.bindings or outer.is_class):
            outer = outer.parent
        return outer or self.module

    # What each kind of node binds.

    def _assign(self, node: cst.Assign) -> Iterator[Binding]:
        for target in node.targets:
            yield from _targets(target.target, node, node.value)

    def _ann_assign(self, node: cst.AnnAssign) -> Iterator[Binding]:
        if node.value is not None:
            yield from _targets(node.target, node, node.value)

    def _aug_assign(self, node: cst.AugAssign) -> Iterator[Binding]:
        if isinstance(node.target, cst.Name):
            yield Binding(node.target.value, How.AUGMENTED, node)

    def _for(self, node: Union[cst.For, cst.CompFor]) -> Iterator[Binding]:
        for name in _names(node.target):
            yield Binding(name, How.LOOP, node)

    def _with_item(self, node: cst.WithItem) -> Iterator[Binding]:
        if node.asname is not None:
            for name in _names(node.asname.name):
                yield Binding(name, How.WITH, node)

    def _except(self, node: Union[cst.ExceptHandler, cst.ExceptStarHandler]) -> Iterator[Binding]:
        if node.name is not None:
            for name in _names(node.name.name):
                yield Binding(name, How.EXCEPT, node)

    def _definition(self, node: Union[cst.FunctionDef, cst.ClassDef]) -> Iterator[Binding]:
        how = How.FUNCTION if isinstance(node, cst.FunctionDef) else How.CLASS
        yield Binding(node.name.value, how, node)

    def _param(self, node: cst.Param) -> Iterator[Binding]:
        yield Binding(node.name.value, How.PARAMETER, node, node.default)

    def _named_expr(self, node: cst.NamedExpr) -> Iterator[Binding]:
        yield from _targets(node.target, node, node.value)

    def _del(self, node: cst.Del) -> Iterator[Binding]:
        for name in _names(node.target):
            yield Binding(name, How.DELETE, node)

    def _import(self, node: cst.Import) -> Iterator[Binding]:
        for alias in node.names:
            dotted = dotted_name(alias.name) or ""
            if alias.asname is not None:
                for name in _names(alias.asname.name):
                    yield Binding(name, How.IMPORT, node, origin=dotted)
            else:
                first = dotted.partition(".")[0]
                yield Binding(first, How.IMPORT, node, origin=first)

    def _import_from(self, node: cst.ImportFrom) -> Iterator[Binding]:
        module = "." * len(node.relative) + (dotted_name(node.module) or "" if node.module is not None else "")
        if isinstance(node.names, cst.ImportStar):
            self.star_import = True
            return
        for alias in node.names:
            imported = dotted_name(alias.name) or ""
            origin = f"{module}{imported}" if module.endswith(".") else f"{module}.{imported}"
            bound = list(_names(alias.asname.name)) if alias.asname is not None else [imported]
            for name in bound:
                yield Binding(name, How.IMPORT, node, origin=origin)

    def _pattern(self, node: Union[cst.MatchAs, cst.MatchStar, cst.MatchMapping]) -> Iterator[Binding]:
        name = node.rest if isinstance(node, cst.MatchMapping) else node.name
        if name is not None:
            yield Binding(name.value, How.PATTERN, node)

    def _type_name(self, node: Union[cst.TypeVar, cst.TypeVarTuple, cst.ParamSpec, cst.TypeAlias]) -> Iterator[Binding]:
        yield Binding(node.name.value, How.PATTERN, node)


_BINDERS: dict[type, Callable[[Scopes, Any], Iterator[Binding]]] = {
    cst.Assign: Scopes._assign,
    cst.AnnAssign: Scopes._ann_assign,
    cst.AugAssign: Scopes._aug_assign,
    cst.For: Scopes._for,
    cst.CompFor: Scopes._for,
    cst.WithItem: Scopes._with_item,
    cst.ExceptHandler: Scopes._except,
    cst.ExceptStarHandler: Scopes._except,
    cst.FunctionDef: Scopes._definition,
    cst.ClassDef: Scopes._definition,
    cst.Param: Scopes._param,
    cst.NamedExpr: Scopes._named_expr,
    cst.Del: Scopes._del,
    cst.Import: Scopes._import,
    cst.ImportFrom: Scopes._import_from,
    cst.MatchAs: Scopes._pattern,
    cst.MatchStar: Scopes._pattern,
    cst.MatchMapping: Scopes._pattern,
    cst.TypeVar: Scopes._type_name,
    cst.TypeVarTuple: Scopes._type_name,
    cst.ParamSpec: Scopes._type_name,
    cst.TypeAlias: Scopes._type_name,
}


def scopes(ctx: FileContext) -> Scopes:
    """The scopes of a file."""
    return ctx.fact(Scopes)


def bound_values(ctx: FileContext, dotted: str, at: cst.CSTNode) -> list[cst.BaseExpression]:
    """Every value the file assigns to a name as seen at ``at``, or to an attribute spelled so."""
    if "." not in dotted:
        scope = scopes(ctx).binder(dotted, at)
        found = scope.bindings[dotted] if scope is not None else []
        return [one.value for one in found if one.value is not None]
    assigns = ctx.tree.of_type(cst.Assign)
    return [one.value for one in assigns for target in one.targets if dotted_name(target.target) == dotted]


def dotted_name(node: cst.CSTNode) -> Optional[str]:
    """``a.b.c`` as written, for names and attributes of names; None for anything else."""
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    if not isinstance(node, cst.Name):
        return None
    return ".".join([node.value, *reversed(parts)])


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
