"""The device that another file of the project defines: imported from a module that the file imports already."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from devlint.analysis.devices.unseen_bindings import sole_star_import
from devlint.analysis.devices.which_device import DeviceValue
from devlint.analysis.names.bindings import Binding, bindings_of, binds_unknown_names, module_of
from devlint.analysis.names.resolution import attributes_named, targets_named
from devlint.analysis.names.scopes import scopes
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.exports import device_names, exported_device, imports_back, may_bind_device
from devlint.core.diagnostic import Edit
from devlint.core.record import Record
from devlint.fixes.device.anchors.placement import Anchor, runs_before, top_imports
from devlint.fixes.device.cards.card_stability import index_caveat
from devlint.fixes.device.choice import DeviceChoice
from devlint.fixes.project_imports import project_imports
from devlint.syntax.file_context import FileContext, fact


class _Export(Record, eq=False):
    """A device of a module that the file imports."""

    name: str
    value: DeviceValue
    line: cst.SimpleStatementLine
    """The import that stands in the file."""
    owner: str
    """What the module is called in the file; empty where names are imported from it, a star where all are."""
    module: str


_ALL = "*"
_Exported = tuple[frozenset[str], dict[str, DeviceValue]]
"""All names that a module binds, and its devices."""


def imported_device(ctx: FileContext, at: cst.CSTNode, index: str | None) -> DeviceChoice | None:
    """``device`` of ``utils.py`` or ``config.device``, where it is a GPU if there is one and nobody sets it later."""
    for one in _exports(ctx):
        anchor = Anchor(scopes(ctx).module, one.line)
        if index_caveat(ctx, one.name, one.value, index, at) or not runs_before(ctx, anchor, at):
            continue
        edits = _edits(ctx, one, at)
        if edits is not None:
            expression = f"{one.owner}.{one.name}" if one.owner not in ("", _ALL) else one.name
            return DeviceChoice(expression, edits, one.value.is_string, one.value.condition)
    return None


def _edits(ctx: FileContext, one: _Export, at: cst.CSTNode) -> tuple[Edit, ...] | None:
    """What makes the device known at a place; None where its name means something else there."""
    table = scopes(ctx)
    if one.owner == _ALL:
        return () if table.binder(one.name, at) is None and sole_star_import(ctx, one.name) == one.module else None
    if one.owner:
        return () if table.binder(one.owner, at) is table.module else None
    if table.binder(one.name, at) is not None:
        return None
    return project_imports(ctx, [f"from {one.module} import {one.name}"])


@fact
def _exports(ctx: FileContext) -> list[_Export]:
    """The devices that modules export which the file imports at its top anyway, in source order."""
    known: dict[str, _Exported] = {}
    found = []
    for line, binding, owner, name in _imported_modules(ctx):
        if name not in known:
            known[name] = _exported_by(ctx, name)
        names, devices = known[name]
        if not devices or (binding is not None and not _is_that_module(ctx, names, binding, owner)):
            continue
        for exported, device in devices.items():
            if not targets_named(ctx, f"{owner}.{exported}"):
                found.append(_Export(exported, device, line, owner, name))
    return found


def _exported_by(ctx: FileContext, name: str) -> _Exported:
    """Asked once for a module, however many names the file imports from it, since to answer may parse it."""
    project = project_around(ctx)
    names = device_names(project.names(name, may_bind_device))
    module = project.module(name) if names else None
    if module is None:
        return frozenset(), {}
    wanted = ctx.target.available("torch")
    devices = {one: exported_device(project, module, one) for one in names}
    asked = {one: device for one, device in devices.items() if device is not None and device.condition == wanted}
    if asked and imports_back(project, module):
        asked = {}
    return frozenset(module.bindings), asked


def _imported_modules(ctx: FileContext) -> Iterator[tuple[cst.SimpleStatementLine, Binding | None, str, str]]:
    """Imports at the top of the file: the line, what it binds, the name of a whole module, and the module's name.

    ``import *`` binds what nobody sees.
    """
    for line in top_imports(ctx):
        for small in line.body:
            if binds_unknown_names(small) and isinstance(small, cst.ImportFrom):
                yield line, None, _ALL, module_of(small)
            for binding in bindings_of(small):
                origin = binding.origin or ""
                if isinstance(small, cst.Import):
                    yield line, binding, binding.name, origin
                elif origin.rpartition(".")[0].strip("."):
                    yield line, binding, "", origin.rpartition(".")[0]
                    if f"{binding.name}." in ctx.source.text:  # a module of a package: `from utils import config`
                        yield line, binding, binding.name, origin


def _is_that_module(ctx: FileContext, names: frozenset[str], binding: Binding, owner: str) -> bool:
    """Whether a module has what the file takes from it, so that it is no other one of the same name."""
    if not owner:
        return (binding.origin or "").rpartition(".")[2] in names
    module = own_module(ctx)
    found = project_around(ctx).index.resolve(module, owner) if module is not None else None
    return (found is None or isinstance(found.node, ast.Module)) and any(
        isinstance(one.value, cst.Name) and one.value.value == owner
        for name in names
        for one in attributes_named(ctx, name)
    )
