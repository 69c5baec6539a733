"""Which comments suppress findings, and a cheap test of bytes for comments that DEV002 to DEV004 judge."""

from __future__ import annotations

from devlint.core.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

_NOQA = rb"(?:(?:flake8|ruff)[ \t]*[:=][ \t]*)?noqa(?:[^\r\n]*dev\w*\d|[ \t]*:[^\r\n#]*[a-z]-[a-z])"
_JUDGED = rb"#[ \t]*(?i:" + _NOQA + rb"|devlint[ \t]*(?::|ignore))"


class SuppressionSettings(Record):
    """Which comments suppress findings, besides devlint's own."""

    noqa: bool = True
    words: tuple[str, ...] = ()
    """The project's own comments: ``allow-cuda`` for ``# allow-cuda: the kernel is written in CUDA``."""

    @property
    def pattern(self) -> re.Pattern[str] | None:
        """The pattern of the project's own comments."""
        if not self.words:
            return None
        import re

        return re.compile(rf"#[ \t]*(?:{'|'.join(map(re.escape, self.words))})(?![\w-])")


DEFAULT_SUPPRESSIONS = SuppressionSettings()
"""The settings of a project that configures nothing."""


def may_be_unused(data: bytes) -> bool:
    """Whether a file may hold a suppression that DEV002, DEV003 or DEV004 judges; a cheap test of its bytes."""
    import re

    return re.search(_JUDGED, data) is not None
