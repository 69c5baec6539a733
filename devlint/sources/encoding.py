"""Which encoding a Python file is in (PEP 263), and its text; independent of where the bytes come from."""

from __future__ import annotations

import codecs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from devlint.core.diagnostic import Location

_COOKIE = rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)"
_BLANK_OR_COMMENT = rb"[ \t\f]*(?:#|$)"
_ALWAYS_EXACT = frozenset({"utf-8", "ascii", "iso8859-1"})


class SourceError(Exception):
    """A file whose bytes are no Python text: says why, and where if that is known (both count from 1)."""

    def __init__(self, message: str, row: int = 1, column: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.row = row
        self.column = column

    @property
    def location(self) -> Location:
        """The place as findings have it."""
        from devlint.core.diagnostic import Location

        return Location(self.row, self.column)


def read(data: bytes) -> tuple[str, str, bool]:
    """The text in ``data``, its encoding, and whether a byte-order mark, which is no part of it, stood before it."""
    bom = data.startswith(codecs.BOM_UTF8)
    text, encoding = decode(data[len(codecs.BOM_UTF8) :] if bom else data, bom)
    return text, encoding, bom


def decode(body: bytes, bom: bool) -> tuple[str, str]:
    """The text and the encoding of ``body``, newlines kept; raise SourceError where Python would refuse."""
    _refuse_null_bytes(body)
    encoding = _encoding(body, bom)
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError as error:
        raise _undecodable(body, encoding, error) from None
    except UnicodeError as error:
        raise SourceError(f"cannot be decoded as {encoding}: {error}") from None
    if encoding not in _ALWAYS_EXACT and encode(text, encoding) != body:
        raise SourceError(f"does not survive decoding and encoding as {encoding}")
    return text, encoding


def encode(text: str, encoding: str) -> bytes | None:
    """``text`` as bytes, or None where the encoding has no such character."""
    try:
        return text.encode(encoding)
    except UnicodeError:
        return None


def _encoding(body: bytes, bom: bool) -> str:
    """The encoding Python would read ``body`` with."""
    declared = _declared_encoding(body)
    if declared is None:
        return "utf-8"
    name = declared.lower().replace("_", "-")
    if name == "utf-8" or name.startswith("utf-8-"):
        return "utf-8"
    if name.startswith(("latin-1", "iso-8859-1-", "iso-latin-1")) or name == "iso-8859-1":
        name = "iso8859-1"
    try:
        encoding = codecs.lookup(name).name
        "x".encode(encoding)
    except LookupError:
        raise SourceError(f"declares the unknown encoding {declared!r}") from None
    if bom and encoding != "utf-8":
        raise SourceError(f"starts with a UTF-8 byte-order mark but declares the encoding {declared!r}")
    return encoding


def _declared_encoding(body: bytes) -> str | None:
    """The name in a coding cookie on one of the first two lines, if there is one."""
    if b"coding" not in body[:1000]:
        return None
    import re  # a clean file with nothing of the kind needs none

    for line in re.split(rb"\r\n|\r|\n", body[:1000], maxsplit=2)[:2]:
        cookie = re.match(_COOKIE, line)
        if cookie:
            return cookie.group(1).decode("ascii", "replace")
        if not re.match(_BLANK_OR_COMMENT, line):
            return None
    return None


def _refuse_null_bytes(body: bytes) -> None:
    """Raise SourceError at the first null byte: Python has none, UTF-16 is full of them."""
    at = body.find(b"\0")
    if at >= 0:
        utf16 = body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        raise _error_at(body, at, "contains a null byte" + (": looks like UTF-16" if utf16 else ""), "latin-1")


def _undecodable(body: bytes, encoding: str, error: UnicodeDecodeError) -> SourceError:
    """The error for a byte that the file's encoding does not have."""
    byte = body[error.start]
    hint = "; declare its encoding in a `# -*- coding: … -*-` line" if encoding == "utf-8" else ""
    return _error_at(body, error.start, f"cannot be decoded as {encoding}: byte 0x{byte:02x}{hint}", encoding)


def _error_at(body: bytes, at: int, message: str, encoding: str) -> SourceError:
    """A SourceError at a byte, its column counted in characters."""
    before = body[:at].decode(encoding, "replace")
    start = max(before.rfind("\n"), before.rfind("\r")) + 1
    rows = before.count("\n") + before.count("\r") - before.count("\r\n") + 1
    return SourceError(message, rows, len(before) - start + 1)
