"""Regular expressions that are compiled when they are first asked: a run needs few of those that modules have."""

from __future__ import annotations

import re
from functools import cached_property

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, AnyStr


def regex(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What ``re.compile`` gives, for the head of a module."""
    return _Regex(pattern, flags)  # type: ignore[return-value]  # it has what such an expression has


class _Regex:
    """Stands for a compiled expression; once it was asked for a method, it has that method itself."""

    def __init__(self, pattern: Any, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    @cached_property
    def _compiled(self) -> Any:
        return re.compile(self.pattern, self._flags)

    def __getattr__(self, name: str) -> Any:
        found = self.__dict__[name] = getattr(self._compiled, name)
        return found
