"""What a name stands for: its import, through aliases and scopes, or nothing certain."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import libcst as cst

from devlint.analysis.names.bindings import Binding, How, dotted_name, plain_name
from devlint.analysis.names.scopes import Scope, scopes
from devlint.syntax.file_context import FileContext, fact
from devlint.syntax.libcst_terms import libcst_term
from devlint.syntax.terms import is_given

_BUILTINS = frozenset(dir(builtins)) | {"__file__", "__builtins__", "__path__", "__class__", "__annotations__"}


def origin(ctx: FileContext, expression: cst.CSTNode) -> str | None:
    """The dotted name of what ``expression`` was imported as: ``torch.cuda.FloatTensor`` for any alias of it.

    None where it is not imported, or where the name may be bound to something else.
    """
    dotted = dotted_name(expression)
    if dotted is None:
        return None
    root, _, rest = dotted.partition(".")
    imported = import_origin(ctx, root, expression)
    if imported is None:
        return None
    return f"{imported}.{rest}" if rest else imported


def import_origin(ctx: FileContext, name: str, at: cst.CSTNode) -> str | None:
    """The import that ``name`` stands for at ``at``, if it is the only one; ``torch`` may come by a star import."""
    table = scopes(ctx)
    if name not in table.imported:
        return "torch" if name == "torch" and table.star_import and table.binder(name, at) is None else None
    scope = table.binder(name, at)
    if scope is None:
        return None
    known = ctx.fact(_import_origins)
    key = id(scope), name
    if key not in known:
        known[key] = _sole_origin(scope.bindings[name])
    return known[key]


def _import_origins(ctx: FileContext) -> dict[tuple[int, str], str | None]:
    """The imports that names stand for, by scope and name: filled as they are needed."""
    return {}


def _sole_origin(bound: list[Binding]) -> str | None:
    """What all bindings of a name import, apart from those that say it is missing."""
    found = {one.origin for one in bound if one.how is How.IMPORT or not _is_absent(one)}
    return found.pop() if len(found) == 1 else None


def _is_absent(binding: Binding) -> bool:
    """Whether a binding only says that an import is missing: ``except ImportError: torch = None``."""
    return isinstance(binding.value, cst.Name) and binding.value.value in ("None", "False")


def is_torch(ctx: FileContext, expression: cst.CSTNode, *members: str) -> bool:
    """Whether ``expression`` is one of torch's ``members`` ("cuda.is_available"), or torch itself if none is given."""
    found = origin(ctx, expression)
    if found is None:
        return False
    return found in {f"torch.{member}" for member in members} if members else found == "torch"


def in_torch_device(ctx: FileContext, node: cst.BaseExpression) -> cst.BaseExpression:
    """``x`` of ``torch.device(x)``; of anything else itself."""
    is_made = isinstance(node, cst.Call) and len(node.args) == 1 and is_torch(ctx, node.func, "device")
    return node.args[0].value if isinstance(node, cst.Call) and is_made else node


def torch_device_of(ctx: FileContext, node: cst.CSTNode) -> cst.Call | None:
    """The ``torch.device(x)`` that ``x`` is the only argument of."""
    arg = ctx.tree.parent(node)
    call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) and not arg.star else None
    return call if isinstance(call, cst.Call) and len(call.args) == 1 and is_torch(ctx, call.func, "device") else None


def bindings(ctx: FileContext, name: str, at: cst.CSTNode) -> tuple[Scope | None, list[Binding]]:
    """The scope that binds ``name`` as seen at ``at``, and all its bindings there."""
    scope = scopes(ctx).binder(name, at)
    return (scope, scope.bindings[name]) if scope is not None else (None, [])


def is_none(node: cst.CSTNode | None) -> bool:
    """Whether an expression is None."""
    return isinstance(node, cst.Name) and node.value == "None"


def implies_not_none(test: cst.BaseExpression, name: str, holds: bool = True) -> bool:
    """Whether a name is not None where a test is true, or (``holds=False``) false: ``x is not None``, ``not x``."""
    return is_given(libcst_term(test), name, holds)


def sole_value(ctx: FileContext, name: cst.Name) -> cst.BaseExpression | None:
    """The only value ever assigned to ``name``; None where there are several or it is not a plain assignment."""
    _, found = bindings(ctx, name.value, name)
    if len(found) == 1 and found[0].how is How.ASSIGN:
        return found[0].value
    return None


def sole_target(ctx: FileContext, value: cst.CSTNode) -> cst.Name | None:
    """The only name that a statement gives a value, if it gives it to nothing else."""
    statement = ctx.tree.parent(value)
    if not isinstance(statement, cst.Assign) or len(statement.targets) != 1:
        return None
    target = statement.targets[0].target
    return target if isinstance(target, cst.Name) else None


def making_call(ctx: FileContext, expression: cst.CSTNode) -> cst.Call | None:
    """The call that makes an expression, here or as the only value of a name."""
    made = sole_value(ctx, expression) if isinstance(expression, cst.Name) else expression
    return made if isinstance(made, cst.Call) else None


@fact
def reads(ctx: FileContext) -> list[cst.Name]:
    """The names of a file that are looked up (or assigned), without attributes, keywords and parameters."""
    return [name for name in ctx.tree.of_type(cst.Name) if _is_lookup(ctx, name)]


def uses_of(ctx: FileContext, scope: Scope | None, name: str) -> list[cst.Name]:
    """The reads of a ``name`` that ``scope`` binds; with None, of one that nothing binds."""
    return ctx.fact(_uses).get((id(scope), plain_name(name)), [])


def _uses(ctx: FileContext) -> dict[tuple[int, str], list[cst.Name]]:
    table = scopes(ctx)
    found: dict[tuple[int, str], list[cst.Name]] = {}
    for one in reads(ctx):
        name = plain_name(one.value)
        found.setdefault((id(table.binder(name, one)), name), []).append(one)
    return found


def reads_named(ctx: FileContext, name: str) -> list[cst.Name]:
    """The reads of a name, whatever it is bound to."""
    return ctx.fact(_reads_by_name).get(plain_name(name), [])


def _reads_by_name(ctx: FileContext) -> dict[str, list[cst.Name]]:
    found: dict[str, list[cst.Name]] = {}
    for one in reads(ctx):
        found.setdefault(plain_name(one.value), []).append(one)
    return found


def attributes_named(ctx: FileContext, name: str) -> list[cst.Attribute]:
    """The attributes of this name, whatever they belong to."""
    return ctx.fact(_attributes_by_name).get(name, [])


def _attributes_by_name(ctx: FileContext) -> dict[str, list[cst.Attribute]]:
    found: dict[str, list[cst.Attribute]] = {}
    for one in ctx.tree.of_type(cst.Attribute):
        found.setdefault(plain_name(one.attr.value), []).append(one)
    return found


def targets_named(ctx: FileContext, dotted: str) -> list[cst.AssignTarget]:
    """The targets of assignments that are written so: ``args.device``."""
    return ctx.fact(_targets_by_name).get(dotted, [])


def _targets_by_name(ctx: FileContext) -> dict[str | None, list[cst.AssignTarget]]:
    found: dict[str | None, list[cst.AssignTarget]] = {}
    for one in ctx.tree.of_type(cst.AssignTarget):
        found.setdefault(dotted_name(one.target), []).append(one)
    return found


def _is_lookup(ctx: FileContext, name: cst.Name) -> bool:
    """Whether a Name node stands for a variable."""
    parent: Any = ctx.tree.parent(name)
    if parent.__class__ is cst.Attribute:
        return parent.value is name and not _in_import(ctx, parent)
    is_lookup = _IS_LOOKUP.get(parent.__class__)
    return is_lookup is None or is_lookup(parent, name)


def _is_not_the_name(parent: Any, name: cst.Name) -> bool:
    return parent.name is not name


def _never(parent: Any, name: cst.Name) -> bool:
    return False


# By the type of what holds the name. LibCST's classes are ABCs: to ask isinstance about each takes many times as long.
_IS_LOOKUP: dict[type, Callable[[Any, cst.Name], bool]] = {
    cst.Arg: lambda arg, name: arg.keyword is not name,
    cst.Param: _is_not_the_name,
    cst.FunctionDef: _is_not_the_name,
    cst.ClassDef: _is_not_the_name,
    cst.AnnAssign: lambda assignment, name: assignment.target is not name or assignment.value is not None,
    cst.ImportAlias: _never,
    cst.ImportFrom: _never,
    cst.AsName: _never,
    cst.NameItem: _never,
    cst.MatchKeywordElement: _never,
}


def _in_import(ctx: FileContext, node: cst.CSTNode | None) -> bool:
    """Whether the attribute is part of the name of a module."""
    while node is not None and node.__class__ is cst.Attribute:
        node = ctx.tree.parent(node)
    return node.__class__ in (cst.ImportAlias, cst.ImportFrom)


def undefined_names(ctx: FileContext) -> frozenset[str]:
    """Names that nothing in the file binds, except perhaps a star import."""
    table = scopes(ctx)
    found = set()
    for name in reads(ctx):
        if name.value in found or name.value in _BUILTINS:
            continue
        if table.binder(name.value, name) is None:
            found.add(name.value)
    return frozenset(found)
