"""Devices without an index: ``torch.device("cuda")``."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.bindings import How
from devlint.analysis.names.reaching_definitions import reaching_definitions
from devlint.analysis.names.resolution import origin
from devlint.analysis.names.string_literals import string_value
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import DEVICE_TYPES, ON_EVERY_MACHINE

_DEPTH = 5


def indexless_kinds(ctx: FileContext, node: cst.CSTNode) -> frozenset[str] | None:
    """The types that a torch.device without an index may have, a GPU's among them; None for anything else."""
    kinds = _kinds(ctx, node, False, _DEPTH)
    return kinds if kinds is not None and not kinds <= ON_EVERY_MACHINE else None


def _kinds(ctx: FileContext, node: cst.CSTNode, inside: bool, depth: int) -> frozenset[str] | None:
    """What kinds a torch.device (or, ``inside`` the call that makes one, a string) may be of."""
    if depth == 0:
        return None
    if isinstance(node, cst.Call) and not inside and origin(ctx, node.func) == "torch.device" and len(node.args) == 1:
        alone = node.args[0]
        return None if alone.star or alone.keyword is not None else _kinds(ctx, alone.value, True, depth - 1)
    if isinstance(node, cst.IfExp):
        return _all([_kinds(ctx, one, inside, depth - 1) for one in (node.body, node.orelse)])
    if isinstance(node, cst.Name):
        found = reaching_definitions(ctx, node)
        values = [one.value for one in found if one.how is How.ASSIGN and one.value is not None]
        return _all([_kinds(ctx, one, inside, depth - 1) for one in values]) if len(values) == len(found) else None
    word = string_value(node) if inside else None
    return frozenset({word}) if word in DEVICE_TYPES and word is not None else None


def _all(kinds: list[frozenset[str] | None]) -> frozenset[str] | None:
    known = [one for one in kinds if one is not None]
    return frozenset().union(*known) if known and len(known) == len(kinds) else None
