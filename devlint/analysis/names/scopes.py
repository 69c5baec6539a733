"""Which scope binds which name, and how: Python's scoping rules over a LibCST tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

import libcst as cst

from devlint.analysis.names.bindings import (
    BINDERS,
    Binding,
    How,
    bindings_of,
    binds_unknown_names,
    dotted_name,
    plain_name,
)
from devlint.analysis.names.named_by_text import ANY, text_bindings
from devlint.syntax.file_context import FileContext, fact

_COMPREHENSIONS: frozenset[type] = frozenset({cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp})
_OPENERS: frozenset[type] = _COMPREHENSIONS | {cst.FunctionDef, cst.Lambda, cst.ClassDef}
_BOUNDARIES: frozenset[type] = _OPENERS | {cst.Module, cst.Param, cst.CompFor}
ScopeNode = cst.Module | cst.FunctionDef | cst.Lambda | cst.ClassDef | cst.BaseComp


class Scope:
    """A module, class, function, lambda or comprehension."""

    def __init__(self, node: ScopeNode, parent: Scope | None) -> None:
        self.node = node
        self.parent = parent
        self.bindings: dict[str, list[Binding]] = {}
        self.declared_global: set[str] = set()
        self.declared_nonlocal: set[str] = set()

    @property
    def is_class(self) -> bool:
        """Whether nested functions do not see the names bound here."""
        return self.node.__class__ is cst.ClassDef

    @property
    def is_function(self) -> bool:
        """Whether it belongs to a ``def``."""
        return self.node.__class__ is cst.FunctionDef

    def add(self, binding: Binding) -> None:
        """Note one more binding."""
        self.bindings.setdefault(binding.name, []).append(binding)


class Scopes:
    """All scopes of one module."""

    def __init__(self, ctx: FileContext) -> None:
        self._tree = ctx.tree
        self.module = Scope(ctx.module, None)
        self._scopes: dict[int, Scope] = {id(ctx.module): self.module}
        self._scope_of: dict[int, Scope] = {}
        """By node, the scopes found before."""
        self.star_import = any(map(binds_unknown_names, self._tree.of_type(cst.ImportFrom)))
        """Whether ``from x import *`` binds names nobody can see here."""
        self.imported: set[str] = set()
        """Every name that an import binds in some scope."""
        for node in self._tree.of_types(_OPENERS):
            self._scopes[id(node)] = Scope(cast(ScopeNode, node), self.scope_of(node))
        spellings = {} if ctx.source.text.isascii() else self._spellings()
        for declaration in self._tree.of_type(cst.Global):
            self.scope_of(declaration).declared_global.update(_names_declared(declaration, spellings))
        for other in self._tree.of_type(cst.Nonlocal):
            self.scope_of(other).declared_nonlocal.update(_names_declared(other, spellings))
        for node in self._tree.of_types(BINDERS):
            for binding in bindings_of(node):
                self._bind(node, binding)
        self.unseen = self._bind_by_text(ctx.source.text)
        """What may bind any name of the module: star imports, ``globals().update(…)``; in source order."""
        for scope in self._scopes.values() if spellings else ():
            for other_spelling, name in spellings.items():
                if name in scope.bindings:
                    scope.bindings[other_spelling] = scope.bindings[name]

    def opened_by(self, node: cst.CSTNode) -> Scope:
        """The scope that a module, def, lambda, class or comprehension opens."""
        return self._scopes[id(node)]

    def every(self) -> Iterable[Scope]:
        """All scopes, the module's first."""
        return self._scopes.values()

    def scope_of(self, node: cst.CSTNode) -> Scope:
        """The scope in which ``node`` is evaluated (for a def or class: in which its name is bound)."""
        found = self._scope_of.get(id(node))
        if found is None:
            found = self._scope_of[id(node)] = self._look_up(node)
        return found

    def _look_up(self, node: cst.CSTNode) -> Scope:
        """Walk up to what opens the scope of ``node``; no loop of the analysis runs more often."""
        child, parent, parent_of = node, self._tree.parent(node), self._tree.parent
        while parent is not None:
            kind = parent.__class__
            if kind is cst.IndentedBlock:
                return self.scope_of(parent)
            if kind in _BOUNDARIES:
                found = self._opened_above(child, parent)
                if found is not None:
                    return found
            child, parent = parent, parent_of(parent)
        return self.module

    def _opened_above(self, child: cst.CSTNode, parent: cst.CSTNode) -> Scope | None:
        """The scope of ``child`` if that depends on its ``parent``."""
        if isinstance(parent, (cst.FunctionDef, cst.ClassDef)):
            is_inside = child is parent.body or isinstance(child, (cst.Parameters, cst.TypeParameters))
            return self._scopes[id(parent)] if is_inside else None
        if isinstance(parent, cst.Param):
            return self.scope_of(self._owner_of_param(parent)) if child is not parent.name else None
        if isinstance(parent, cst.CompFor):
            holder = self._tree.parent(parent)
            if child is not parent.iter or holder is None or holder.__class__ not in _COMPREHENSIONS:
                return None
            return self.scope_of(holder)
        return self._scopes[id(parent)]

    def enclosing(self, node: cst.CSTNode) -> Iterator[Scope]:
        """The scope of ``node`` and those around it whose names it sees, innermost first."""
        scope: Scope | None = self.scope_of(node)
        first = True
        while scope is not None:
            if first or not scope.is_class:
                yield scope
            first = False
            scope = scope.parent

    def binder(self, name: str, at: cst.CSTNode) -> Scope | None:
        """The scope that binds ``name`` as it is seen at ``at``; None for builtins and unknown names."""
        for scope in self.enclosing(at):
            if name in scope.declared_global:
                return self.module if name in self.module.bindings else None
            if name in scope.bindings:
                return None if name[:2] == "__" and self._is_mangled(name, at, scope) else scope
        return None

    def _is_mangled(self, name: str, at: cst.CSTNode, owner: Scope) -> bool:
        """Whether a name at ``at``, in a class, means another than that of a scope around it: ``__x`` is ``_C__x``."""
        if name[-2:] == "__":
            return False
        scope: Scope | None = self.scope_of(at)
        while scope is not None and scope is not owner and not scope.is_class:
            scope = scope.parent
        return scope is not owner

    def function_of(self, node: cst.CSTNode) -> cst.FunctionDef | None:
        """The innermost ``def`` whose body (or lambda, or comprehension inside it) holds ``node``."""
        scope: Scope | None = self.scope_of(node)
        while scope is not None:
            if isinstance(scope.node, cst.FunctionDef):
                return scope.node
            if scope.is_class:
                return None
            scope = scope.parent
        return None

    def _owner_of_param(self, param: cst.CSTNode) -> cst.CSTNode:
        parameters = self._tree.parent(param)
        owner = self._tree.parent(parameters) if parameters is not None else None
        assert owner is not None, "a parameter belongs to a def or a lambda"
        return owner

    def _spellings(self) -> dict[str, str]:
        """The names that Python takes for plainer ones, which it compares: by each the plain one."""
        written = {one.value for one in self._tree.of_type(cst.Name)}
        return {one: plain_name(one) for one in written if plain_name(one) != one}

    def _bind_by_text(self, text: str) -> list[Binding]:
        """Bind what the program binds by its text, and return what may bind any name."""
        found = text_bindings(self._tree, text, lambda node: self.scope_of(node) is self.module)
        stars = [one for one in self._tree.of_type(cst.ImportFrom) if binds_unknown_names(one)]
        unseen = [Binding(ANY, How.IMPORT, one) for one in stars] + [one for one in found if one.name == ANY]
        if found:
            places = {id(node): place for place, node in enumerate(self._tree.nodes)}
            for one in found:
                if one.name != ANY:
                    self.module.add(one)
                    self.module.bindings[one.name].sort(key=lambda binding: places[id(binding.node)])
            unseen.sort(key=lambda binding: places[id(binding.node)])
        return unseen

    def _bind(self, node: cst.CSTNode, binding: Binding) -> None:
        if not binding.name.isascii():
            binding = binding.replace(name=plain_name(binding.name))
        scope = self.scope_of(node)
        if node.__class__ is cst.Param:
            scope = self._scopes[id(self._owner_of_param(node))]
        elif node.__class__ is cst.NamedExpr:
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


def _names_declared(declaration: cst.Global | cst.Nonlocal, spellings: dict[str, str]) -> Iterator[str]:
    for item in declaration.names:
        yield item.name.value
        if item.name.value in spellings:
            yield spellings[item.name.value]


def scopes(ctx: FileContext) -> Scopes:
    """The scopes of a file."""
    return ctx.fact(Scopes)


def bound_values(ctx: FileContext, dotted: str, at: cst.CSTNode) -> list[cst.BaseExpression]:
    """Every value the file assigns to a name as seen at ``at``, or to an attribute spelled so."""
    if "." not in dotted:
        scope = scopes(ctx).binder(dotted, at)
        found = scope.bindings[dotted] if scope is not None else []
        return [one.value for one in found if one.value is not None]
    return _attribute_values(ctx).get(dotted, [])


@fact
def _attribute_values(ctx: FileContext) -> dict[str, list[cst.BaseExpression]]:
    """Every value that the file assigns to an attribute, by how that is spelled."""
    found: dict[str, list[cst.BaseExpression]] = {}
    for one in ctx.tree.of_type(cst.Assign):
        for target in one.targets:
            if isinstance(target.target, cst.Attribute) and (dotted := dotted_name(target.target)) is not None:
                found.setdefault(dotted, []).append(one.value)
    return found
