"""What torch.accelerator offers: since which release of torch, and what of it fails where there is no accelerator."""

from __future__ import annotations

from typing import Optional

import libcst as cst

from devlint.context import FileContext
from devlint.facts.names import origin

Version = tuple[int, int]

_NAMES_BY_RELEASE: dict[Version, str] = {
    (2, 6): "current_accelerator current_device_idx current_device_index current_stream device_count is_available "
    "set_device_idx set_device_index set_stream synchronize",
    (2, 8): "device_index",
    (2, 9): "empty_cache max_memory_allocated max_memory_reserved memory memory_allocated memory_reserved memory_stats "
    "reset_accumulated_memory_stats reset_peak_memory_stats",
    (2, 10): "get_device_capability get_memory_info",
    (2, 12): "Graph empty_host_cache graphs",
    (2, 14): "random",
}
SINCE: dict[str, Version] = {name: since for since, names in _NAMES_BY_RELEASE.items() for name in names.split()}
"""The first release of torch that has a name of torch.accelerator."""
KEYWORDS_SINCE: dict[str, tuple[str, Version]] = {"current_accelerator": ("check_available", (2, 7))}
"""Parameters that came later than their function."""
DEPRECATED: dict[str, str] = {"current_device_idx": "current_device_index", "set_device_idx": "set_device_index"}
"""Names with a younger one for the same function."""
MODULES = frozenset({"memory", "graphs", "random"})
"""The names that are modules."""
HARMLESS = frozenset({"is_available", "device_count", "current_accelerator", "device_index"})
"""What a program without an accelerator may call; to enter the context that ``device_index`` makes still fails."""
FAILS_WITHOUT_DEVICE = frozenset(SINCE) - HARMLESS - MODULES
"""What raises RuntimeError when it is called where there is no accelerator, on a build of torch for the CPU for one."""

_PREFIX = "torch.accelerator."


def accelerator_member(ctx: FileContext, expression: cst.CSTNode) -> Optional[str]:
    """``synchronize`` for ``torch.accelerator.synchronize`` under any alias; None for anything else.

    A longer name keeps its dots (``memory.empty_cache``), and need not exist.
    """
    found = origin(ctx, expression)
    return found[len(_PREFIX) :] if found is not None and found.startswith(_PREFIX) else None


def is_since(ctx: FileContext, member: str) -> bool:
    """Whether every torch that the project supports has a member of torch.accelerator."""
    since = SINCE.get(member)
    return since is not None and since <= ctx.target.torch_min_version
