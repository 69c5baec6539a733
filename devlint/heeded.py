"""Which comments are heeded, and the cheap look at bytes for those that are devlint's to judge."""

from __future__ import annotations

import re

from devlint.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

_JUDGED = re.compile(rb"#[ \t]*(?i:(?:(?:flake8|ruff)[ \t]*[:=][ \t]*)?noqa[^\r\n]*dev\d|devlint[ \t]*:)")


class Heeded(Record):
    """Which comments suppress findings, besides devlint's own."""

    noqa: bool = True
    words: tuple[str, ...] = ()
    """The project's own: ``allow-cuda`` for ``# allow-cuda: the kernel is written in CUDA``."""

    @property
    def pattern(self) -> Optional[re.Pattern[str]]:
        """Finds the project's own comments."""
        words = "|".join(map(re.escape, self.words))
        return re.compile(rf"#[ \t]*(?:{words})(?![\w-])") if words else None


USUAL = Heeded()
"""Where nothing is configured."""


def may_be_unused(data: bytes) -> bool:
    """Whether a file can hold a suppression that is devlint's to judge: a cheap look at its bytes."""
    return _JUDGED.search(data) is not None
