"""A quick look whether Python can read a text, without LibCST."""

from __future__ import annotations

import warnings

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from typing import Callable, Optional, Union

_SYNTAX_ONLY = 0x400
"""``ast.PyCF_ONLY_AST``, without the import of ast."""


def parses(text: str) -> bool:
    """Whether the running Python can parse ``text``; where it cannot, LibCST has the last word.

    A table of symbols takes half the time of a syntax tree, which has an object for each node; where there is the one,
    there is the other.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _succeeds(_symbols, text) or _succeeds(_tree, text)


def syntax_tree(text: Union[str, bytes]) -> Optional[ast.Module]:
    """The running Python's own tree of a program; None where it takes it for none."""
    import ast

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
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
