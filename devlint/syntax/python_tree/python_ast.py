"""Parses a text with Python's own parser, and refuses what is too large for any parser."""

from __future__ import annotations

import warnings

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _ast as ast
    from collections.abc import Callable

MAX_CHARACTERS = 2_000_000
"""Larger files are generated data: a literal of 200,000 numbers takes 1 GB as a tree of LibCST's."""
MAX_NUMBERS = 100_000
"""Numbers in one file, for the same reason; half a gigabyte is what Python's own parser takes for a few more."""
_MANY_CHARACTERS = 400_000
"""In fewer there are not too many numbers to take."""
_NUMBER = r"(?<![\w.])[-+]?\d[\w.]*"
_SYNTAX_ONLY = 0x400
"""``ast.PyCF_ONLY_AST``, without the import of ast."""


def excess(text: str) -> str:
    """What makes a text too large for any parser; empty where nothing does."""
    if len(text) > MAX_CHARACTERS:
        return f"is larger than {MAX_CHARACTERS:,} characters: generated code, left alone"
    if len(text) > _MANY_CHARACTERS and _numbers(text) > MAX_NUMBERS:
        return f"holds more than {MAX_NUMBERS:,} numbers: generated data, left alone"
    return ""


def _numbers(text: str) -> int:
    """How many numbers stand in a text, roughly."""
    import re

    return sum(1 for _ in re.finditer(_NUMBER, text))


def parses(text: str) -> bool:
    """Whether the running Python can parse ``text``; where it cannot, LibCST has the last word.

    A table of symbols takes half the time of a syntax tree, which has an object for each node; where there is the one,
    there is the other.
    """
    if excess(text):
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _succeeds(_symbols, text) or _succeeds(_tree, text)


def syntax_tree(text: str | bytes) -> ast.Module | None:
    """The running Python's own tree of a program; None where it takes it for none, or it is too large."""
    if len(text) > _MANY_CHARACTERS and excess(text if isinstance(text, str) else text.decode("utf-8", "replace")):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree: ast.Module = compile(text, "<devlint>", "exec", _SYNTAX_ONLY, dont_inherit=True)
            return tree
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _symbols(text: str) -> object:
    from _symtable import symtable  # what the module symtable stands on; CPython has it

    return symtable(text, "<devlint>", "exec")


def _tree(text: str) -> object:
    return compile(text, "<devlint>", "exec", _SYNTAX_ONLY, dont_inherit=True)


def _succeeds(read: Callable[[str], object], text: str) -> bool:
    try:
        read(text)
    except (ImportError, SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def has_same_tree(one: str, other: str) -> bool:
    """Whether two texts are the same program, however they are written; False where one of them is none."""
    from ast import dump

    trees = [tree for tree in (syntax_tree(one), syntax_tree(other)) if tree is not None]
    return len(trees) == 2 and dump(trees[0]) == dump(trees[1])
