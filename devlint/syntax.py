"""A quick look whether Python can read a text, without LibCST."""

from __future__ import annotations

import warnings


def parses(text: str) -> bool:
    """Whether the running Python can compile ``text``; where it cannot, LibCST has the last word.

    To compile is cheaper than to get a syntax tree, which takes an object for each of its nodes.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "<devlint>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True
