"""Strings that are written as they are: no rule looks into escapes, and no name is written with them."""

from __future__ import annotations

import libcst as cst


def plain_value(node: cst.CSTNode) -> str | None:
    """The text of a string without escapes; None for bytes, f-strings and all else."""
    value = plain_content(node)
    return value if isinstance(value, str) else None


def plain_content(node: cst.CSTNode) -> str | bytes | None:
    """The text, or the bytes, of a string without escapes; None for anything else."""
    if not isinstance(node, cst.SimpleString):
        return None
    value = node.evaluated_value
    text = value.decode("latin-1") if isinstance(value, bytes) else value
    return value if text == node.raw_value else None
