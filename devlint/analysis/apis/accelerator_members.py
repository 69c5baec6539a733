"""Which member of torch.accelerator an expression names, and whether the project's torch has it."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.resolution import origin
from devlint.syntax.file_context import FileContext
from devlint.torch_api.accelerator_api import MODULES_SINCE, NAMES_BY_RELEASE, SINCE
from devlint.torch_api.accelerator_naming import member_of


def accelerator_member(ctx: FileContext, expression: cst.CSTNode) -> str | None:
    """``synchronize`` for ``torch.accelerator.synchronize`` under any alias, real or not; None for all else."""
    return member_of(origin(ctx, expression) or "")


def is_since(ctx: FileContext, member: str) -> bool:
    """Whether every torch that the project supports, and that has torch.accelerator, has a member of it."""
    since = SINCE.get(member) or MODULES_SINCE.get(member)
    # Who uses torch.accelerator at all has the torch that came with it.
    return since is not None and since <= max(ctx.target.torch_min_version, min(NAMES_BY_RELEASE))
