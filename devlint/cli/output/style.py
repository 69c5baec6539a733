"""Colours and links of a terminal, and the width characters take on it."""

from __future__ import annotations

import os

_SGR = {"bold": 1, "red": 31, "green": 32, "yellow": 33, "blue": 34, "cyan": 36}
TAB = 4
_STDIN = "-"


class Style:
    """Wraps text in colours and links, or, where they are off, leaves it."""

    def __init__(self, on: bool = False, linked: bool = False) -> None:
        self._on = on
        self._linked = linked

    def __call__(self, text: str, *names: str) -> str:
        """``text`` in the named styles."""
        if not (self._on and text and names):
            return text
        return f"\x1b[{';'.join(str(_SGR[name]) for name in names)}m{text}\x1b[0m"

    def link(self, text: str, path: str, row: int) -> str:
        """``text`` as a link (OSC 8) to a row of a file; the machine's name keeps it from meaning another's file."""
        if not self._linked or path == _STDIN:
            return text
        from devlint.cli.output.paths import uri

        host = os.uname().nodename if hasattr(os, "uname") else ""
        target = uri(os.path.abspath(path).replace(os.sep, "/")).replace("file://", f"file://{host}", 1)
        return _linked(text, f"{target}#{row}")

    def link_to_rule(self, text: str, code: str) -> str:
        """``text`` as a link (OSC 8) to the page of a rule."""
        if not self._linked:
            return text
        from devlint.core.addresses import rule_address

        return _linked(text, rule_address(code))


def _linked(text: str, target: str) -> str:
    """``text`` as a link, whatever the terminal."""
    return f"\x1b]8;;{target}\x1b\\{text}\x1b]8;;\x1b\\"


def visible(text: str) -> str:
    """``text`` as a terminal can show it: tabs as spaces, control characters as a replacement mark."""
    if text.isascii() and text.isprintable():
        return text
    from devlint.core.characters import is_harmless

    pieces: list[str] = []
    column = 0
    for character in text:
        shown = " " * (TAB - column % TAB) if character == "\t" else character if is_harmless(character) else "\ufffd"
        pieces.append(shown)
        column += width(shown)
    return "".join(pieces)


def escaped(text: str) -> str:
    """``text`` with Python's escapes for all control characters but tabs."""
    if text.isascii() and text.isprintable():
        return text
    from devlint.core.characters import is_harmless

    return "".join(one if one == "\t" or is_harmless(one) else one.encode("unicode_escape").decode() for one in text)


def width(text: str) -> int:
    """How many cells ``text`` takes."""
    if text.isascii():
        return len(text)
    return sum(_cells(character) for character in text)


def _cells(character: str) -> int:
    """The cells of one character."""
    import unicodedata

    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
