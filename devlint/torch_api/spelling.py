"""How to tell a misspelled name."""

from __future__ import annotations


def is_one_edit(one: str, other: str) -> bool:
    """Whether a letter added, left out, replaced, or exchanged with the next one makes ``other`` of ``one``."""
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    left, right = one[start:], other[start:]
    if len(left) == len(right):
        return left[1:] == right[1:] or (left[:2] == right[1::-1] and left[2:] == right[2:])
    return left[1:] == right or left == right[1:]
