"""Devices that may be MPS, or none that torch.load knows, where a program or a library that it uses says so."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.device_conditions import devices_at
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import bases, class_of
from devlint.analysis.names.resolution import bindings, import_origin, origin
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.classes import imported_family
from devlint.analysis.project.mentions import files_holding
from devlint.analysis.project.searches import Search, search
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext, fact
from devlint.torch_api.device_naming import LIGHTNING

_MPS = regex(r"""["']mps\b|backends\.mps""")
_ACCELERATOR = "accelerator"
_MAKERS = (b"xla", b"directml", b"habana", b"hpu", b"poptorch", b"neuronx", b"cpu:")
_NUMBERED = rb"[\"']cpu:\d"
"""The CPU by a number: ``torch.load`` knows ``cpu`` alone."""
_FOREIGN = regex(
    rb"\bxla_device\b|\b(?:torch_xla|torch_directml|habana_frameworks|poptorch|torch_neuronx)\b"
    rb"|[\"'](?:xla|hpu)\b|" + _NUMBERED
)
_NUMBERED_CPU = regex(_NUMBERED)


def may_be_mps(ctx: FileContext, device: str, at: cst.CSTNode) -> bool:
    """Whether a device may be MPS at a place: the file mentions that, or the file from which the device comes.

    ``Accelerator`` of accelerate and the trainer of Lightning choose it themselves where there is one.
    """
    return _mentions_mps(ctx) or is_chosen_by_library(ctx, device, at) or _is_of_other_file(ctx, device, at)


def may_be_foreign(ctx: FileContext, device: str, at: cst.CSTNode) -> bool:
    """Whether a device may be one of another library, as XLA's, or ``cpu:0``: any file of the project names one.

    Not where the file shows which test decides that it is a GPU, and not the CPU. ``torch.load`` may be unable to
    restore to such a device.
    """
    if not _has_foreign_devices(ctx) and not is_chosen_by_library(ctx, device, at):
        return False
    if ctx.fact(_numbers_cpu):
        return True
    return all(name != device or value.condition is None for name, value in devices_at(ctx, at))


@fact
def _has_foreign_devices(ctx: FileContext) -> bool:
    return _FOREIGN.search(_bytes(ctx)) is not None or bool(search(project_around(ctx), FOREIGN_DEVICES, ""))


def _numbers_cpu(ctx: FileContext) -> bool:
    return _NUMBERED_CPU.search(_bytes(ctx)) is not None


def _bytes(ctx: FileContext) -> bytes:
    return ctx.source.text.encode("utf-8", "surrogatepass")


FOREIGN_DEVICES = Search(
    "foreign devices", lambda _: _MAKERS, lambda index, paths, _: files_holding(_FOREIGN, index, paths)
)


def is_chosen_by_library(ctx: FileContext, device: str, at: cst.CSTNode) -> bool:
    """Whether accelerate or Lightning chooses a device: ``accelerator.device``, or a LightningModule's own."""
    owner, _, name = device.rpartition(".")
    return (name == "device" and _ACCELERATOR in owner.lower()) or _is_of_lightning(ctx, owner, at)


@fact
def _mentions_mps(ctx: FileContext) -> bool:
    return _MPS.search(ctx.source.text) is not None


def _is_of_lightning(ctx: FileContext, owner: str, at: cst.CSTNode) -> bool:
    """Whether a class around a place, whose instance has the device, is a LightningModule, by any files."""
    definition = class_of(ctx, at) if owner == "self" else None
    names = bases(ctx, definition) if definition is not None else []
    families = (imported_family(project_around(ctx), one) for one in names if "." in one)
    names = [*names, *(one for family in families if family is not None for one in family.others)]
    return any(one.endswith(LIGHTNING) for one in names)


def _is_of_other_file(ctx: FileContext, device: str, at: cst.CSTNode) -> bool:
    """Whether a device, or the function of the project that gives it, is of another file that mentions MPS."""
    root = device.partition(".")[0]
    imported = import_origin(ctx, root, at)
    names = [imported] if imported is not None else []
    values = [one.value for one in bindings(ctx, root, at)[1] if isinstance(one.value, cst.Call)]
    names += [one for one in (origin(ctx, value.func) or dotted_name(value.func) for value in values) if one]
    found = (project_around(ctx).imported(one) for one in names if "." in one)
    paths = {one.module.path for one in found if one is not None}
    read = project_around(ctx).index.disk.read
    return any(b"mps" in (read(one) or b"") for one in paths)
