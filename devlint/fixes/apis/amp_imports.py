"""Fixes of mixed precision: an import together with all uses of its names, or one use on its own."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from devlint.analysis.apis.amp import (
    AUTOCAST,
    SCALER,
    AmpUse,
    amp_uses,
    is_assigned,
    is_fallback,
    is_in_oldest_torch,
    is_only_named,
    scope_of_import,
)
from devlint.analysis.names.bindings import How, bound_name, import_alias
from devlint.analysis.names.resolution import import_origin, reads, reads_named
from devlint.analysis.names.scopes import Scope
from devlint.analysis.names.scripts import exported_names
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.mentions import is_taken_elsewhere
from devlint.core.diagnostic import Edit, Fix
from devlint.fixes.apis.amp_calls import AmpArguments, arguments_for_device
from devlint.fixes.device.cards.card_left import why_nothing_gained
from devlint.fixes.torch_import import torch_name
from devlint.syntax import edits, line_edits
from devlint.syntax.file_context import FileContext

_PACKAGE = "torch.cuda.amp"
_MESSAGE = "Tell `{}` the device, off on the CPU as before"


class _Imported:
    """A name that an import binds to ``torch.cuda.amp`` or one of its classes, and where it is read."""

    def __init__(self, statement: cst.Import | cst.ImportFrom, alias: cst.ImportAlias, movable: bool) -> None:
        self.statement = statement
        self.alias = alias
        self.movable = movable
        self.uses: list[AmpUse] = []
        self.arguments: list[AmpArguments] = []


def amp_fixes(ctx: FileContext) -> dict[int, Fix | None]:
    """The fix of every use of mixed precision, by the id of its node; uses that must change together share one."""
    uses = [one for one in amp_uses(ctx) if is_in_oldest_torch(ctx, one.kind) or not one.of_cuda]
    changed = {id(one): arguments_for_device(ctx, one) for one in uses if not is_fallback(ctx, one)}
    found: dict[int, Fix | None] = {}
    for statement, names in _by_statement(_imported(ctx, changed)):
        moved = [one for one in names if one.movable]
        move = move_import(ctx, statement, [one.alias for one in moved]) if moved else None
        arguments = [one for name in moved for one in name.arguments]
        fix = _fix(ctx, [use for name in moved for use in name.uses], arguments, move) if move is not None else None
        found.update({id(use.node): fix for name in moved for use in name.uses})
    for use in amp_uses(ctx):
        if id(use.node) not in found:
            found[id(use.node)] = _on_its_own(ctx, use, changed.get(id(use)))
    return found


def _fix(
    ctx: FileContext, uses: Sequence[AmpUse], arguments: Sequence[AmpArguments], others: Sequence[Edit]
) -> Fix | None:
    caveat = next((one.caveat for one in arguments if one.caveat), None) or _why_nothing_gained(ctx, uses)
    changes = [*others, *(edit for one in arguments for edit in one.edits)]
    names = " and ".join(dict.fromkeys(one.kind for one in uses))
    return edits.as_fix(_MESSAGE.format(names), changes, caveat)


def _why_nothing_gained(ctx: FileContext, uses: Sequence[AmpUse]) -> str | None:
    """Why none of some uses gains anything, since what is beside it fails without CUDA."""
    reasons = [why_nothing_gained(ctx, use.call) for use in uses if use.call is not None]
    return reasons[0] if reasons and all(reasons) else None


def _on_its_own(ctx: FileContext, use: AmpUse, arguments: AmpArguments | None) -> Fix | None:
    """One call, with the class called by its full name: its import, if it has one, is still needed."""
    if arguments is None:
        return None
    if not use.of_cuda:
        return _fix(ctx, [use], [arguments], ())
    torch = torch_name(ctx, use.node)
    if torch is None:
        return None
    own = [edits.replace_outer(ctx, use.node, _full_name(torch[0], use.kind)), *torch[1]]
    for other in ctx.fact(_mentions) if use.kind == SCALER else ():
        if isinstance(other.node, cst.Name):
            return None
        own.append(edits.replace_outer(ctx, other.node, _full_name(torch[0], SCALER)))
    return _fix(ctx, [use], [arguments], own)


def _mentions(ctx: FileContext) -> list[AmpUse]:
    """Where ``GradScaler`` of ``torch.cuda.amp`` is named without being called."""
    return [one for one in amp_uses(ctx) if one.of_cuda and one.kind == SCALER and is_only_named(ctx, one)]


def _full_name(torch: str, kind: str) -> str:
    return f"{torch}.autocast" if kind == AUTOCAST else f"{torch}.amp.{kind}"


def _imported(ctx: FileContext, changed: dict[int, AmpArguments | None]) -> list[_Imported]:
    """The imported names that stand for ``torch.cuda.amp`` or its classes."""
    uses = {id(one.root): one for one in amp_uses(ctx) if one.of_cuda}
    found: dict[tuple[int, str], _Imported] = {}
    for read in reads(ctx):
        source = import_origin(ctx, read.value, read)
        if source is None or not source.startswith(_PACKAGE):
            continue
        scope = scope_of_import(ctx, read)
        if scope is None or is_assigned(ctx, read):
            continue
        key = id(scope), read.value
        if key not in found:
            made = _binding(ctx, scope, read.value)
            if made is None:
                continue
            found[key] = made
        one, use = found[key], uses.get(id(read))
        arguments = changed.get(id(use)) if use is not None else None
        if use is None or arguments is None and not (is_in_oldest_torch(ctx, use.kind) and _may_be_named(ctx, use)):
            one.movable = False
            continue
        one.uses.append(use)
        one.arguments += [arguments] if arguments is not None else []
    return list(found.values())


def _may_be_named(ctx: FileContext, use: AmpUse) -> bool:
    return use.call is None and use.kind == SCALER and is_only_named(ctx, use)


def _binding(ctx: FileContext, scope: Scope, name: str) -> _Imported | None:
    """The import of a name; it may not move where other files may import the name from here."""
    statement = next(one.node for one in scope.bindings[name] if one.how is How.IMPORT)
    if not isinstance(statement, (cst.Import, cst.ImportFrom)):
        return None
    alias = import_alias(statement, name)
    kept = ctx.source.path.endswith("__init__.py") or name in exported_names(ctx)
    kept = kept or is_taken_elsewhere(project_around(ctx), name)
    return _Imported(statement, alias, movable=not kept) if alias is not None else None


def _by_statement(names: Sequence[_Imported]) -> list[tuple[cst.Import | cst.ImportFrom, list[_Imported]]]:
    grouped: dict[int, tuple[cst.Import | cst.ImportFrom, list[_Imported]]] = {}
    for one in names:
        grouped.setdefault(id(one.statement), (one.statement, []))[1].append(one)
    return list(grouped.values())


def move_import(
    ctx: FileContext, statement: cst.Import | cst.ImportFrom, moved: Sequence[cst.ImportAlias]
) -> list[Edit] | None:
    """The edits that import the names ``moved`` from ``torch.amp`` instead."""
    assert not isinstance(statement.names, cst.ImportStar)
    if isinstance(statement, cst.Import):
        return [edits.replace(ctx, one.name, "torch.amp") for one in moved]
    if statement.module is None:
        return None
    package = "torch.amp" if ctx.text_of(statement.module).startswith(_PACKAGE) else "torch"
    stay = [one for one in statement.names if one not in moved and not _is_unused(ctx, one)]
    if not stay:
        return [edits.replace(ctx, statement.module, package)]
    line = ctx.tree.parent(statement)
    names = ", ".join(_written(one) for one in moved)
    above = line_edits.insert_line_before(ctx, line, [f"from {package} import {names}"]) if line is not None else None
    gone = {index for index, one in enumerate(statement.names) if one in moved}
    removed = edits.remove_items(ctx, statement.names, gone)
    if above is None or any("#" in ctx.source.text[one.span.start : one.span.end] for one in removed):
        return None
    return [above, *removed]


def _written(alias: cst.ImportAlias) -> str:
    other = alias.evaluated_alias
    return alias.evaluated_name if other is None else f"{alias.evaluated_name} as {other}"


def _is_unused(ctx: FileContext, alias: cst.ImportAlias) -> bool:
    """Whether a name that ``torch.amp`` has too is never read, and so may come from there."""
    return is_in_oldest_torch(ctx, alias.evaluated_name) and not reads_named(ctx, bound_name(alias))
