"""Calls that make groups of processes, and the backend that they are given."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.resolution import origin, uses_of
from devlint.analysis.names.scopes import scopes
from devlint.syntax.file_context import FileContext

_BACKEND_AT = {"init_process_group": 0, "new_group": 2}
_GROUPS = {f"torch.distributed.{where}{name}": name for where in ("", "distributed_c10d.") for name in _BACKEND_AT}


def group_of_backend(ctx: FileContext, node: cst.CSTNode) -> cst.Call | None:
    """The call that makes a group of processes with ``node`` as its backend."""
    arg = ctx.tree.parent(node)
    call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) else None
    name = _GROUPS.get(origin(ctx, call.func) or "") if isinstance(call, cst.Call) else None
    if name is None or not isinstance(call, cst.Call) or not isinstance(arg, cst.Arg):
        return None
    if arg.keyword is not None:
        return call if arg.keyword.value == "backend" else None
    return call if call.args.index(arg) == _BACKEND_AT[name] else None


def is_only_for_groups(ctx: FileContext, statement: cst.Assign) -> bool:
    """Whether an assigned name is given to what makes groups of processes, and to nothing else."""
    target = statement.targets[0].target
    if len(statement.targets) != 1 or not isinstance(target, cst.Name):
        return False
    uses = uses_of(ctx, scopes(ctx).binder(target.value, target), target.value)
    others = [one for one in uses if one is not target]
    return bool(others) and all(group_of_backend(ctx, one) is not None for one in others)


def name_of_distributed(ctx: FileContext) -> str | None:
    """What a file calls torch.distributed, where it has a name of its own for it."""
    found = scopes(ctx).module.bindings.items()
    return next((name for name, bound in found if [one.origin for one in bound] == ["torch.distributed"]), None)
