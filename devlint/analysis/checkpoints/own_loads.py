"""Whether what takes a state may be of a class of the project that keeps tensors of a state, and copies none."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

import libcst as cst

from devlint.analysis.checkpoints.closed_projects import is_closed
from devlint.analysis.checkpoints.made_modules import called_on
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import class_of
from devlint.analysis.names.resolution import attributes_named, bindings, origin, uses_of
from devlint.analysis.names.scopes import bound_values, scopes
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.classes import all_values_of, class_family
from devlint.analysis.project.module import Definition, ProjectModule
from devlint.analysis.project.overrides import (
    WAYS,
    MethodOwner,
    classes_that_may_keep,
    classes_with_method,
    known_methods,
    state_keepers,
)
from devlint.analysis.project.project import Index
from devlint.syntax.file_context import FileContext, fact
from devlint.syntax.python_tree.nodes import dotted_text, nodes_below
from devlint.torch_api.module_makers import MAKES_MODULES

_OF_MODULES = frozenset(
    "eval train parameters named_parameters modules named_modules zero_grad step to cuda cpu half float double "
    "bfloat16 requires_grad_ children named_children apply".split()
)
"""Methods of modules and optimizers."""


def may_keep_state(ctx: FileContext, taker: cst.BaseExpression, dotted: str) -> bool:
    """Whether ``taker.load_state_dict`` may be a method of the project that keeps what it is given.

    That is no method of a class that lacks what the program calls of the taker, nor of one that none of its values is.
    """
    keepers = _keepers(ctx)
    if not keepers:
        return keepers is None
    made = _classes(ctx, taker, dotted)
    if made is not None:
        return any((one.module.path, one.name) == (two.path, two.name) for one in made for two in keepers)
    asked = frozenset(_asked(ctx, dotted, taker))
    return any(_may_have(ctx, one, asked) for one in keepers)


def nothing_keeps_states(ctx: FileContext) -> bool:
    """Whether no object of the program keeps what it is given, whatever it is."""
    return _keepers(ctx) == [] and is_closed(ctx)


def classes_copy(ctx: FileContext, way: str) -> bool:
    """Whether all classes of the project with a method copy what it is given, or give it to ``load_state_dict``."""
    project, is_own = project_around(ctx), f"def {way}(" in ctx.source.text
    module = own_module(ctx) if is_own else None
    if classes_that_may_keep(project, way) != [] or (module is not None and any(state_keepers(module, way))):
        return False
    return module is not None if is_own else bool(classes_with_method(project, way))


def may_keep_given(ctx: FileContext, method: str) -> bool:
    """Whether a class of the project has a method of this name that may keep what it is given, or nobody knows."""
    return has_own_method(ctx, method) and not classes_copy(ctx, method)


def has_own_method(ctx: FileContext, method: str) -> bool:
    """Whether a class of the project has a method of this name, or nobody knows."""
    return f"def {method}(" in ctx.source.text or classes_with_method(project_around(ctx), method) != []


def has_method(ctx: FileContext, taker: cst.BaseExpression, dotted: str, way: str) -> bool:
    """Whether all that a name has is made of the project's classes, of which one has a method."""
    made = _classes(ctx, taker, dotted) or ()
    return any(way in map(_name_of, getattr(one.node, "body", ())) for one in made)


def _name_of(statement: ast.stmt) -> str:
    return statement.name if isinstance(statement, ast.FunctionDef) else ""


@fact
def _keepers(ctx: FileContext) -> list[MethodOwner] | None:
    """The classes of the project that may keep what their ``load_state_dict`` is given; None where nobody knows.

    So it is where a part of a module may do so, whatever loads the whole.
    """
    project, text = project_around(ctx), ctx.source.text
    if any(f".{way} =" in text for way in WAYS):
        return None
    whole, part = WAYS
    module = own_module(ctx) if any(f"def {way}(" in text for way in WAYS) else None
    if classes_that_may_keep(project, part) != [] or (module is not None and any(state_keepers(module, part))):
        return None
    others = classes_that_may_keep(project, whole)
    own = list(state_keepers(module, whole)) if module is not None else []
    return None if others is None else [*own, *others]


def _may_have(ctx: FileContext, keeper: MethodOwner, asked: frozenset[str]) -> bool:
    """Whether instances of a class may have all of some methods."""
    project = project_around(ctx)
    module = own_module(ctx) if keeper.path == project.path else project.index.module(keeper.path)
    known = known_methods(project.index, module, keeper.name) if module is not None else None
    return known is None or asked <= known


def _asked(ctx: FileContext, dotted: str, at: cst.CSTNode) -> Iterator[str]:
    """The methods of modules that the file calls of what has a name at a place."""
    yield from called_methods(ctx, dotted, at, _OF_MODULES)
    owner = dotted.removesuffix(".module")
    if is_called(ctx, owner, at):
        yield "__call__"


def made_for_part(ctx: FileContext, dotted: str, at: cst.BaseExpression) -> list[str]:
    """What the project's class of ``net`` makes for ``net.part``: ``torch.optim.Adam``, or the base of its own class.

    Empty names stand for what nobody knows.
    """
    whole, _, part = dotted.rpartition(".")
    classes = (_classes(ctx, at, whole) if whole else None) or ()
    index = project_around(ctx).index
    return [_origin_made(index, one, value) for one in classes for value in all_values_of(one, part)]


def _origin_made(index: Index, owner: Definition, value: ast.expr) -> str:
    """What a class of another library that a value is an instance of is called, or such a base of its class."""
    called = dotted_text(value.func) if isinstance(value, ast.Call) else ""
    found = index.resolve(owner.module, called) if called else None
    if found is not None and isinstance(found.node, ast.ClassDef):
        return next(iter(class_family(index, found).others), "")
    return owner.module.origin(value.func) if isinstance(value, ast.Call) else ""


def is_called(ctx: FileContext, dotted: str, at: cst.CSTNode) -> bool:
    """Whether the file calls what has a name at a place, or an attribute of the instance there: ``self.net(x)``."""
    scope = scopes(ctx).binder(dotted, at) if "." not in dotted else None
    uses: Sequence[cst.CSTNode] = uses_of(ctx, scope, dotted) if scope is not None else ()
    if "." in dotted:
        named = attributes_named(ctx, dotted.rpartition(".")[2])
        uses = [one for one in named if dotted_name(one) == dotted and is_same(ctx, one, dotted, at)]
    parents = ((one, ctx.tree.parent(one)) for one in uses)
    return any(isinstance(parent, cst.Call) and parent.func is one for one, parent in parents)


def called_methods(ctx: FileContext, dotted: str, at: cst.CSTNode, names: Iterable[str]) -> Iterator[str]:
    """Those of some methods that the file calls of an object or of what it wraps: ``net.eval()`` for ``net.module``."""
    owner = dotted.removesuffix(".module").removesuffix("._orig_mod")
    for name in names:
        for one in attributes_named(ctx, name):
            parent = ctx.tree.parent(one)
            if isinstance(parent, cst.Call) and parent.func is one and dotted_name(one.value) == owner:
                if is_same(ctx, one, owner, at):
                    yield name


def is_same(ctx: FileContext, use: cst.CSTNode, dotted: str, at: cst.CSTNode) -> bool:
    """Whether a name means the same at two places: the same variable, or the instance of the same class."""
    root = dotted.partition(".")[0]
    if scopes(ctx).binder(root, use) is scopes(ctx).binder(root, at):
        return True
    definition = class_of(ctx, at) if "." in dotted else None
    return definition is not None and class_of(ctx, use) is definition


def _classes(ctx: FileContext, taker: cst.BaseExpression, dotted: str) -> list[Definition] | None:
    """The project's classes, with bases, that the values of a name are made of; None where one is made otherwise."""
    owner = dotted.removesuffix(".module")
    values = [one for one in bound_values(ctx, owner, taker) if dotted_name(one) not in (owner, f"{owner}.module")]
    found: list[Definition] = []
    for value in values:
        made = _family_made(ctx, value, owner)
        if made is None:
            return None
        found += made
    return found if values else None


def _family_made(ctx: FileContext, value: cst.BaseExpression, itself: str) -> list[Definition] | None:
    """The class of the project that a value is an instance of, with its bases; none for one of another library."""
    value = called_on(value)
    if dotted_name(value) == itself:
        return []
    if not isinstance(value, cst.Call):
        return None
    called = origin(ctx, value.func) or dotted_name(value.func) or ""
    if called.startswith(MAKES_MODULES):
        inner = value.args[0].value if value.args else None
        return (_family_made(ctx, inner, itself) or []) if isinstance(inner, cst.Call) else []
    project, module = project_around(ctx), own_module(ctx)
    scope, _ = bindings(ctx, called, value)
    if "." not in called:
        is_own = (scope is None or scope is scopes(ctx).module) and module is not None
        start = project.index.resolve(module, called) if is_own and isinstance(module, ProjectModule) else None
    else:
        start = project.imported(called)
    if start is None:
        return [] if "." in called and called.rpartition(".")[2][:1].isupper() and not called.startswith(".") else None
    if isinstance(start.node, ast.ClassDef):
        return list(class_family(project.index, start).classes)
    return _families_returned(project.index, start) if isinstance(start.node, ast.FunctionDef) else None


def _families_returned(index: Index, function: Definition) -> list[Definition] | None:
    """The classes, with bases, of which a function of the project returns new instances; None where it may not."""
    nodes = nodes_below(function.node)
    assigns = [one for one in nodes if isinstance(one, ast.Assign)]
    found: list[Definition] = []
    for value in (one.value for one in nodes if isinstance(one, ast.Return) and one.value is not None):
        names = [one for one in assigns if dotted_text(one.targets[0]) == dotted_text(value)]
        for made in [one.value for one in names] or [value]:
            called = dotted_text(made.func) if isinstance(made, ast.Call) else ""
            start = index.resolve(function.module, called) if called else None
            if start is None or not isinstance(start.node, ast.ClassDef):
                return None
            found += class_family(index, start).classes
    return found or None
