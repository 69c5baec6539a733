"""How programs ask for an accelerator, and what of torch.accelerator a dotted name names."""

from __future__ import annotations

import re

from devlint.core.lazy_regex import regex
from devlint.torch_api.device_naming import ACCELERATORS

_KINDS = "|".join(sorted(ACCELERATORS))
ASKS_FOR_ACCELERATOR = regex(rf"accel|cuda|gpu|(?:\b|_)(?:{_KINDS})(?:\b|_)", re.IGNORECASE)
"""What the name of a function says that is true only where there is an accelerator."""
ACCELERATOR_FLAG = regex(
    rf"accel|(?:has|use|have|on|is|with)_(?:device|(?:{_KINDS})s?(?![a-z]))|(?:^|_)(?:event|stream)s?$", re.IGNORECASE
)
"""What the name of a flag, or of what only an accelerator has, says."""
BACKEND_ANSWERS = regex(rf"torch(?:\.backends)?\.(?:{_KINDS})\.(?:is_available|device_count)\Z")
"""The functions that say whether there is an accelerator of one kind."""
_PREFIX = regex(r"torch\.accelerator\.(?:(?:memory|graphs)\.(?=\w))?")


def member_of(origin: str) -> str | None:
    """``synchronize`` for ``torch.accelerator.synchronize``, real or not; None for all that is elsewhere."""
    prefix = _PREFIX.match(origin)
    return origin[prefix.end() :] if prefix is not None else None
