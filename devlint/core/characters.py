"""Characters that may be shown as they are, and those that change how others are shown."""

from __future__ import annotations


def is_harmless(character: str) -> bool:
    """Whether a character prints as itself; marks that join to the one before do, direction overrides do not."""
    import unicodedata

    return character.isprintable() or unicodedata.category(character) in ("Mn", "Me", "Zs", "Co", "Cn")


def without_controls(text: str) -> str:
    """``text`` with a replacement mark for each control character but tabs; as long as before."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(one if one == "\t" or is_harmless(one) else "\ufffd" for one in text)
