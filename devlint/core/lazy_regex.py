"""Regular expressions that are compiled when they are first used; a run uses few of them."""

from __future__ import annotations

import re
from functools import cached_property

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, AnyStr


def regex(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """A pattern for a module-level constant, compiled at its first use."""
    return _Regex(pattern, flags)  # type: ignore[return-value]  # it has what such an expression has


class _Regex:
    """Stands for a compiled pattern; each method that is used once is kept as an attribute."""

    def __init__(self, pattern: Any, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    @cached_property
    def _compiled(self) -> Any:
        return re.compile(self.pattern, self._flags)

    def __getattr__(self, name: str) -> Any:
        found = self.__dict__[name] = getattr(self._compiled, name)
        return found
