"""The values of string literals that are written without escapes: no name that devlint looks for has one."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from devlint.syntax.literals import literal_value


def string_value(node: cst.CSTNode) -> str | None:
    """The text of a string literal; None for bytes, f-strings, escapes, and text split over several literals."""
    if isinstance(node, cst.ConcatenatedString):
        filled: list[cst.CSTNode] = []
        for piece in _pieces(node):
            if not isinstance(piece, cst.SimpleString):
                return None
            if piece.raw_value:
                filled.append(piece)
            if len(filled) > 1:  # each of thousands of pieces may be asked about, with all that follow it
                return None
        return string_value(filled[0] if filled else node.left)
    value = string_or_bytes(node)
    return value if isinstance(value, str) else None


def string_or_bytes(node: cst.CSTNode) -> str | bytes | None:
    """The text, or the bytes, of a single literal without escapes; None for anything else."""
    if not isinstance(node, cst.SimpleString):
        return None
    value = literal_value(node)
    text = value.decode("latin-1") if isinstance(value, bytes) else value
    return value if text == node.raw_value else None


def _pieces(node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """The literals that stand side by side."""
    while isinstance(node, cst.ConcatenatedString):
        yield node.left
        node = node.right
    yield node


def entry_key(item: cst.Subscript) -> str | None:
    """The string by which an entry is found: ``cuda`` of ``options["cuda"]``; None where it is not certain."""
    index = item.slice[0].slice if len(item.slice) == 1 else None
    return string_value(index.value) if isinstance(index, cst.Index) else None
