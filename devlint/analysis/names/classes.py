"""The classes of a file: which holds a place, its bases and methods, and whether it is an nn.Module."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.old_lightning import is_for_old_lightning
from devlint.analysis.names.resolution import origin
from devlint.analysis.names.scopes import scopes
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.classes import imported_family
from devlint.syntax.file_context import FileContext, fact_of
from devlint.torch_api.device_naming import HAVE_TORCH_DEVICE, LIGHTNING

_MAX_BASES = 200
"""How many classes are followed to their bases, so that this ends for any file."""
_PLAIN_BASES = frozenset({"object", "torch.nn.Module", "abc.ABC", "typing.Generic", "torch.autograd.Function"})
"""Bases that give an instance no device."""


def class_of(ctx: FileContext, node: cst.CSTNode) -> cst.ClassDef | None:
    """The class whose method (or a function inside it) holds ``node``."""
    scope = scopes(ctx).scope_of(node)
    while scope.parent is not None:
        if isinstance(scope.node, cst.ClassDef):
            return scope.node
        scope = scope.parent
    return None


def method_of(ctx: FileContext, node: cst.CSTNode) -> cst.FunctionDef | None:
    """The method that holds ``node``: the outermost function inside the innermost class."""
    found = None
    scope = scopes(ctx).scope_of(node)
    while scope.parent is not None:
        if isinstance(scope.node, cst.ClassDef):
            return found
        if isinstance(scope.node, cst.FunctionDef):
            found = scope.node
        scope = scope.parent
    return None


def self_name(method: cst.FunctionDef) -> str | None:
    """What a method calls its instance; None for static and class methods."""
    for decorator in method.decorators:
        if dotted_name(decorator.decorator) in ("staticmethod", "classmethod"):
            return None
    parameters = [*method.params.posonly_params, *method.params.params]
    return parameters[0].name.value if parameters else None


def instance_name(ctx: FileContext, definition: cst.ClassDef, method: cst.FunctionDef) -> str | None:
    """What a method calls its instance: as ``__init__`` does, or it reads attributes of it that ``__init__`` sets.

    Whoever leaves out ``self`` calls such a function by its class: its first parameter is something else.
    """
    init = next(iter(methods_named(ctx, definition, "__init__")), None)
    usual, name = self_name(init) if init is not None else "self", self_name(method)
    if name == usual or name is None or init is None:
        return name if name == usual else None
    kept = {one.attr.value for one in _attributes(ctx, init, usual)}
    return name if any(one.attr.value in kept for one in _attributes(ctx, method, name)) else None


def _attributes(ctx: FileContext, function: cst.FunctionDef, owner: str | None) -> Iterator[cst.Attribute]:
    """The attributes of a name that a function mentions."""
    for one in ctx.tree.below(function.body):
        if isinstance(one, cst.Attribute) and isinstance(one.value, cst.Name) and one.value.value == owner:
            yield one


@fact_of
def bases(ctx: FileContext, definition: cst.ClassDef) -> list[str]:
    """The names of a class's bases and of their bases in this file; of what is imported, the name of its import."""
    found: list[str] = []
    waiting = [definition]
    seen: set[int] = set()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if len(seen) > _MAX_BASES:
            return [*found, "?"]
        names, classes = _direct_bases(ctx, one)
        found += names
        waiting += classes
    return found


@fact_of
def _direct_bases(ctx: FileContext, definition: cst.ClassDef) -> tuple[list[str], list[cst.ClassDef]]:
    """The names of the bases of a class, and the classes of this file that they are."""
    names: list[str] = []
    classes: list[cst.ClassDef] = []
    for arg in definition.bases:
        written = dotted_name(arg.value)
        if written is None:
            continue
        names.append(origin(ctx, arg.value) or written)
        scope = scopes(ctx).binder(written, definition)
        found = [one.node for one in scope.bindings[written]] if scope is not None else []
        classes += [one for one in found if isinstance(one, cst.ClassDef)]
    return names, classes


def classes_named(ctx: FileContext, names: Iterable[str]) -> list[cst.ClassDef]:
    """The classes of a file that have one of these names, in source order."""
    table = ctx.fact(_classes_by_name)
    found = [one for name in set(names) for one in table.get(name, ())]
    return [one for _, one in sorted(found, key=lambda one: one[0])]


def _classes_by_name(ctx: FileContext) -> dict[str, list[tuple[int, cst.ClassDef]]]:
    found: dict[str, list[tuple[int, cst.ClassDef]]] = {}
    for index, one in enumerate(ctx.tree.of_type(cst.ClassDef)):
        found.setdefault(one.name.value, []).append((index, one))
    return found


def is_defined_here(ctx: FileContext, base: str) -> bool:
    """Whether this file defines a class of this name."""
    return base in ctx.fact(_classes_by_name)


def has_unknown_base(ctx: FileContext, definition: cst.ClassDef) -> bool:
    """Whether a class inherits from one that is neither in this file nor known to give its instances no device."""
    return bool(unknown_bases(ctx, definition))


def unknown_bases(ctx: FileContext, definition: cst.ClassDef) -> list[str]:
    """The bases of a class that are neither in this file nor known to give its instances no device."""
    own = ctx.fact(_classes_by_name)
    return [base for base in bases(ctx, definition) if base not in _PLAIN_BASES and base not in own]


def is_of_library(ctx: FileContext, base: str) -> bool:
    """Whether neither this file nor another one of the project defines a base."""
    return not is_defined_here(ctx, base) and imported_family(project_around(ctx), base) is None


def is_module(ctx: FileContext, definition: cst.ClassDef) -> bool:
    """Whether a class is an nn.Module as far as this file shows."""
    names = bases(ctx, definition)
    if any(name.startswith("torch.nn.") or name.endswith(("nn.Module", *HAVE_TORCH_DEVICE)) for name in names):
        return True
    return bool(names) and any(not _is_static(one) for one in methods_named(ctx, definition, "forward"))


def _is_static(method: cst.FunctionDef) -> bool:
    return self_name(method) is None


def has_device_by_base(ctx: FileContext, definition: cst.ClassDef) -> bool:
    """Whether a known base gives the class a ``device`` property."""
    found = [name for name in bases(ctx, definition) if name.rpartition(".")[2].endswith(HAVE_TORCH_DEVICE)]
    known = (name for name in found if is_of_library(ctx, name))
    return any(not name.endswith(LIGHTNING) or not is_for_old_lightning(ctx) for name in known)


def methods(definition: cst.ClassDef) -> list[cst.FunctionDef]:
    """The functions defined directly in a class."""
    return [one for one in definition.body.body if isinstance(one, cst.FunctionDef)]


def methods_named(ctx: FileContext, definition: cst.ClassDef, name: str) -> list[cst.FunctionDef]:
    """The methods of a class that have this name."""
    return _methods_by_name(ctx, definition).get(name, [])


def is_overridden(ctx: FileContext, definition: cst.ClassDef, method: str) -> bool:
    """Whether a class of the file that inherits from one has another method of this name."""
    name = definition.name.value
    others = (one for one in ctx.tree.of_type(cst.ClassDef) if one is not definition)
    return any(name in bases(ctx, one) and methods_named(ctx, one, method) for one in others)


@fact_of
def _methods_by_name(ctx: FileContext, definition: cst.ClassDef) -> dict[str, list[cst.FunctionDef]]:
    found: dict[str, list[cst.FunctionDef]] = {}
    for one in methods(definition):
        found.setdefault(one.name.value, []).append(one)
    return found
