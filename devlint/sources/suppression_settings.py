"""Which comments are suppression_settings, and the cheap look at bytes for those that are devlint's to judge."""

from __future__ import annotations

from devlint.core.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

_JUDGED = rb"#[ \t]*(?i:(?:(?:flake8|ruff)[ \t]*[:=][ \t]*)?noqa[^\r\n]*dev\d|devlint[ \t]*:)"


class SuppressionSettings(Record):
    """Which comments suppress findings, besides devlint's own."""

    noqa: bool = True
    words: tuple[str, ...] = ()
    """The project's own: ``allow-cuda`` for ``# allow-cuda: the kernel is written in CUDA``."""

    @property
    def pattern(self) -> re.Pattern[str] | None:
        """Finds the project's own comments."""
        if not self.words:
            return None
        import re

        return re.compile(rf"#[ \t]*(?:{'|'.join(map(re.escape, self.words))})(?![\w-])")


DEFAULT_SUPPRESSIONS = SuppressionSettings()
"""Where nothing is configured."""


def may_be_unused(data: bytes) -> bool:
    """Whether a file can hold a suppression that is devlint's to judge: a cheap look at its bytes."""
    lowered = data.lower()
    if b"dev" not in lowered or (b"noqa" not in lowered and b"devlint" not in lowered):
        return False
    import re

    return re.search(_JUDGED, data) is not None
