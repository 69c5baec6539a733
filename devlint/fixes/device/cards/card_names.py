"""What the device of a card is called, whose number a variable holds."""

from __future__ import annotations

from devlint.core.lazy_regex import regex

_NUMBER = regex(r"_?(?:id|idx|index|num|number)\Z")


def named_after(number: str) -> str:
    """The name of a card's device by that of its number: ``gpu_device`` for ``gpu``, ``card`` for ``device_id``."""
    stem = _NUMBER.sub("", number)
    return f"{stem.removesuffix('device')}card" if stem.endswith("device") else f"{number}_device"
