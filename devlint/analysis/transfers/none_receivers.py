"""Whether what is moved may be None: without CUDA, ``if use_cuda: self.model.cuda()`` does nothing then."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.none_devices import assigned_values, is_tested_for_none
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.reaching_definitions import is_used_anyway, reaching_definitions
from devlint.analysis.names.resolution import is_none
from devlint.syntax.file_context import FileContext


def receiver_may_be_none(ctx: FileContext, receiver: cst.BaseExpression) -> bool:
    """Whether the file gives a name or attribute None, asks nothing about it, and could go on without it."""
    name = dotted_name(receiver)
    if name is None or is_tested_for_none(ctx, name, receiver):
        return False
    if isinstance(receiver, cst.Name):
        found = _may_name_none(ctx, receiver)
    else:
        found = any(_is_or_names_none(ctx, one) for one in assigned_values(ctx, name, receiver))
    return found and not is_used_anyway(ctx, name, receiver)


def _is_or_names_none(ctx: FileContext, value: cst.BaseExpression) -> bool:
    return is_none(value) or (isinstance(value, cst.Name) and _may_name_none(ctx, value))


def _may_name_none(ctx: FileContext, name: cst.Name) -> bool:
    return any(is_none(one.value) for one in reaching_definitions(ctx, name))
