"""Colours of a terminal, and the width characters take on it."""

from __future__ import annotations

import unicodedata

_SGR = {"bold": 1, "red": 31, "green": 32, "yellow": 33, "blue": 34, "cyan": 36}
TAB = 4


class Style:
    """Wraps text in colours, or, where they are off, leaves it."""

    def __init__(self, on: bool = False) -> None:
        self._on = on

    def __call__(self, text: str, *names: str) -> str:
        """``text`` in the named styles."""
        if not (self._on and text and names):
            return text
        return f"\x1b[{';'.join(str(_SGR[name]) for name in names)}m{text}\x1b[0m"


def visible(text: str) -> str:
    """``text`` as a terminal can show it: tabs as spaces, control characters as a replacement mark."""
    if text.isascii() and text.isprintable():
        return text
    pieces: list[str] = []
    column = 0
    for character in text:
        shown = " " * (TAB - column % TAB) if character == "\t" else character if _harmless(character) else "\ufffd"
        pieces.append(shown)
        column += width(shown)
    return "".join(pieces)


def width(text: str) -> int:
    """How many cells ``text`` takes."""
    if text.isascii():
        return len(text)
    return sum(_cells(character) for character in text)


def _harmless(character: str) -> bool:
    """Whether a character prints as itself; marks that join to the one before do, direction overrides do not."""
    return character.isprintable() or unicodedata.category(character) in ("Mn", "Me", "Zs", "Co", "Cn")


def _cells(character: str) -> int:
    """The cells of one character."""
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
