"""Legacy types that put a tensor on a GPU, and whose modern form does the same for certain."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.legacy_types.modern_calls import modern_cast, modern_constructor
from devlint.analysis.legacy_types.type_uses import TypeRole, TypeUse, type_uses
from devlint.syntax.file_context import FileContext, fact


@fact
def placed_types(ctx: FileContext) -> list[TypeUse]:
    """The uses of CUDA types that make or cast a tensor, and can say so with a device and nothing else."""
    return [one for one in type_uses(ctx, TypeRole.CALLED, TypeRole.CAST) if _is_placed(ctx, one)]


def _is_placed(ctx: FileContext, use: TypeUse) -> bool:
    if not use.choice.consistent or not isinstance(use.owner, cst.Call):
        return False
    modern = modern_cast if use.role is TypeRole.CAST else modern_constructor
    made = modern(ctx, use.owner, use.choice.cuda, "torch", "device")
    return made is not None and made.uses_device and made.caveat is None
