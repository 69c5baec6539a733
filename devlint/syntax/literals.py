"""The value of one string literal, without the warnings that Python has for some escapes."""

from __future__ import annotations

import libcst as cst


def literal_value(node: cst.SimpleString) -> str | bytes | None:
    """The text or the bytes; None where there are escapes: no name that devlint looks for has one."""
    if "\\" in node.raw_value and "r" not in node.prefix:
        return None
    return node.evaluated_value
