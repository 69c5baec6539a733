"""The device that another file of the project defines: imported from a module that the file imports already."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.which_device import DeviceValue
from devlint.analysis.names.resolution import targets_named
from devlint.analysis.names.scopes import scopes
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.exports import device_names, exported_device, imports_back, may_bind_device
from devlint.core.record import Record
from devlint.fixes.device.cards.card_stability import index_caveat
from devlint.fixes.device.choice import DeviceChoice
from devlint.fixes.device.shared.imported_names import ImportedModule, imported_modules
from devlint.syntax.file_context import FileContext, fact


class _Export(Record, eq=False):
    """A device of a module that the file imports."""

    name: str
    value: DeviceValue
    of: ImportedModule


_Exported = tuple[frozenset[str], dict[str, DeviceValue]]
"""All names that a module binds, and its devices."""


def imported_device(ctx: FileContext, at: cst.CSTNode, index: str | None) -> DeviceChoice | None:
    """``device`` of ``utils.py`` or ``config.device``, where it is a GPU if there is one and nobody sets it later."""
    for one in _exports(ctx):
        if index_caveat(ctx, one.name, one.value, index, at):
            continue
        if not one.of.owner and scopes(ctx).binder(one.name, at) is not None:
            continue  # it is known already, and would have been taken
        edits = one.of.edits(ctx, one.name, at)
        if edits is not None:
            return DeviceChoice(one.of.expression(one.name), edits, one.value.is_string, one.value.condition)
    return None


@fact
def _exports(ctx: FileContext) -> list[_Export]:
    """The devices that modules export which the file imports at its top anyway, in source order."""
    known: dict[str, _Exported] = {}
    found = []
    for one in imported_modules(ctx):
        if one.name not in known:
            known[one.name] = _exported_by(ctx, one.name)
        names, devices = known[one.name]
        if not devices or not one.is_meant(ctx, names):
            continue
        for exported, device in devices.items():
            if not targets_named(ctx, f"{one.owner}.{exported}"):
                found.append(_Export(exported, device, one))
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
