"""How programs ask for an accelerator, and what of torch.accelerator a dotted name names."""

from __future__ import annotations

import re

from devlint.core.lazy_regex import regex

ASKS_FOR_ACCELERATOR = regex(r"accel|cuda|gpu|(?:\b|_)(?:[hntx]pu|mps|rocm)(?:\b|_)", re.IGNORECASE)
"""What the name of a function says that is true only where there is an accelerator."""
_PREFIX = regex(r"torch\.accelerator\.(?:(?:memory|graphs)\.(?=\w))?")


def member_of(origin: str) -> str | None:
    """``synchronize`` for ``torch.accelerator.synchronize``, real or not; None for all that is elsewhere."""
    prefix = _PREFIX.match(origin)
    return origin[prefix.end() :] if prefix is not None else None
