"""The text of a Python program without what is no code: comments and long strings."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

POSSESSIVE = sys.version_info >= (3, 11)
"""Whether regular expressions may be possessive; without that words and trees decide, which is slower and as right."""
_PROSE_LENGTH = 46
"""A longer string holds no name of a device."""
_FORMATTED = rb"[fFtT][rR]?[\"']"
"""Begins a string with code in it, which may hold the same quotes again: what follows on its line is no prose."""
_SHORT = (
    rb"\"(?!\"\")(?=[^\"\n]{0,%(n)d}\")(?:[^\"\\\n]++|\\.)*+\"|'(?!'')(?=[^'\n]{0,%(n)d}')(?:[^'\\\n]++|\\.)*+'"
    % {b"n": _PROSE_LENGTH}
)
_LONG = (
    rb"\"\"\"(?:[^\"\\]++|\\.|\"(?!\"\"))*+\"\"\"|'''(?:[^'\\]++|\\.|'(?!''))*+'''"
    rb"|\"(?!\"\")(?:[^\"\\\n]++|\\.)*+\"|'(?!'')(?:[^'\\\n]++|\\.)*+'"
)
_PATTERNS: list[re.Pattern[bytes]] = []


def code_of(data: bytes) -> bytes:
    """A Python program without its comments and long strings; short ones stay, and all that follows on an f-string."""
    pieces = []
    start = 0
    lexemes, formatted = _patterns()
    for match in lexemes.finditer(data):
        kind = match.lastindex
        if kind is None or kind > 2:
            continue
        at = match.start(kind)
        if kind == 2 and match.end() - at <= _PROSE_LENGTH:
            continue
        if formatted.search(data, data.rfind(b"\n", 0, at) + 1, at + 1):
            continue
        pieces.append(data[start:at])
        start = match.end()
        if kind == 2:
            pieces.append(b'""')
    return b"".join((*pieces, data[start:])) if pieces else data


def _patterns() -> list[re.Pattern[bytes]]:
    """What finds the next comment or long string, past all code and short strings; what finds a string with code."""
    if not _PATTERNS:
        import re

        between = rb"(?:[^\"'#]++|" + _SHORT + rb")*+"
        _PATTERNS.append(re.compile(rb"(?s)" + between + rb"(?:(#[^\r\n]*+)|(" + _LONG + rb")|([\"']))?+"))
        _PATTERNS.append(re.compile(_FORMATTED))
    return _PATTERNS
