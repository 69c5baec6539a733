"""Gates of tests that make way for those of any accelerator: with their imports, and all that they govern."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from devlint.analysis.guards.test_marks import GateUse, gate_uses
from devlint.analysis.names.bindings import How, bindings_of, bound_name, dotted_name
from devlint.analysis.names.resolution import reads_named
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.scripts import exported_names
from devlint.analysis.project.ask import project_around
from devlint.core.diagnostic import Edit, Fix
from devlint.core.target import ConfiguredGate
from devlint.fixes.opened_tests import OTHERS_RUN, opened
from devlint.fixes.project_imports import project_imports
from devlint.syntax import edits
from devlint.syntax.file_context import FileContext


def replaced_gates(ctx: FileContext) -> list[tuple[GateUse, Fix | None]]:
    """The gates whose tests need no CUDA, with one fix for all of a name, which share their import."""
    found: list[tuple[GateUse, Fix | None]] = []
    uses = gate_uses(ctx)
    tests = [one.mark for one in uses]
    for gate in dict.fromkeys(one.gate for one in uses):
        own = [one for one in uses if one.gate is gate]
        open_uses = [(one, made) for one in own if (made := opened(ctx, one.holder, tests)) is not None]
        if open_uses:
            fix = _fix(ctx, gate, [one for one, _ in open_uses], [edit for _, made in open_uses for edit in made])
            found += [(one, fix) for one, _ in open_uses]
    return found


def _fix(ctx: FileContext, gate: ConfiguredGate, uses: Sequence[GateUse], inside: Sequence[Edit]) -> Fix | None:
    renamed = [_renamed(ctx, gate, one.mark) for one in uses]
    imported = _imported(ctx, gate, uses)
    if imported is None:
        return None
    message = f"Use `{gate.replacement}`, and the accelerator there is"
    return edits.as_fix(message, [*renamed, *imported, *inside], OTHERS_RUN)


def _renamed(ctx: FileContext, gate: ConfiguredGate, mark: cst.BaseExpression) -> Edit | None:
    """The gate by its new name; the module that it is written with stays."""
    named = mark.func if isinstance(mark, cst.Call) else mark
    written = dotted_name(named)
    if not gate.is_called(written):  # imported under another name
        return None
    if isinstance(named, cst.Attribute) and "." not in gate.name + gate.replacement:
        return edits.replace(ctx, named.attr, gate.replacement)
    return edits.replace(ctx, named, gate.replacement)


def _imported(ctx: FileContext, gate: ConfiguredGate, uses: Sequence[GateUse]) -> Sequence[Edit] | None:
    """The import of the new name, and no more of the old one where nothing else reads it."""
    if "." in gate.name or all(isinstance(_name(one), cst.Attribute) for one in uses):
        return project_imports(ctx, [gate.line] if gate.line else [])
    statement = _import_of(ctx, gate.name)
    bound = scopes(ctx).module.bindings.get(gate.replacement.partition(".")[0], [])
    if any(one.how is not How.IMPORT for one in bound):
        return [] if statement is None else None
    if statement is None:  # imported by a star, or defined here
        star = scopes(ctx).star_import and gate.name not in scopes(ctx).module.bindings
        return [] if bound or star else None
    kept = len(reads_named(ctx, gate.name)) > len(uses) or gate.name in exported_names(ctx)
    if gate.line is None and not bound:
        return _from_same_module(ctx, statement, gate, kept)
    line = gate.line if gate.line is not None and not bound else None
    if not kept and line is not None and len(_names(statement)) == 1:
        return [edits.replace(ctx, statement, line)]
    added = project_imports(ctx, [line] if line is not None else [])
    return added if added is None or kept else [*added, *_without(ctx, statement, gate.name)]


def _from_same_module(
    ctx: FileContext, statement: cst.ImportFrom, gate: ConfiguredGate, kept: bool
) -> Sequence[Edit] | None:
    """Import the new name from where the old one comes from, if it is there as far as the project's files say."""
    if not _has(ctx, statement, gate.replacement):
        return None
    if kept:
        return edits.add_names(ctx, _names(statement), [gate.replacement])
    alias = next(one for one in _names(statement) if bound_name(one) == gate.name)
    return [edits.replace(ctx, alias, gate.replacement)]


def _without(ctx: FileContext, statement: cst.ImportFrom, name: str) -> list[Edit]:
    """An import without one of its names; as it is where that is the only one, or a comment would go."""
    gone = {index for index, one in enumerate(_names(statement)) if bound_name(one) == name}
    removed = edits.remove_items(ctx, _names(statement), gone) if len(_names(statement)) > 1 else []
    return [] if any("#" in ctx.source.text[one.span.start : one.span.end] for one in removed) else removed


def _names(statement: cst.ImportFrom) -> Sequence[cst.ImportAlias]:
    return () if isinstance(statement.names, cst.ImportStar) else statement.names


def _name(use: GateUse) -> cst.BaseExpression:
    return use.mark.func if isinstance(use.mark, cst.Call) else use.mark


def _import_of(ctx: FileContext, name: str) -> cst.ImportFrom | None:
    """The only statement, at the top of the file, that imports a name."""
    found = scopes(ctx).module.bindings.get(name, [])
    node = found[0].node if len(found) == 1 and found[0].how is How.IMPORT else None
    return node if isinstance(node, cst.ImportFrom) else None


def _has(ctx: FileContext, statement: cst.ImportFrom, name: str) -> bool:
    """Whether a module has a name, or is no file of the project, so that only its author knows."""
    module = next((one.origin or "" for one in bindings_of(statement)), "").rpartition(".")[0]
    project = project_around(ctx)
    return project.module(module) is None or project.imported(f"{module}.{name}") is not None
