"""TOML, from the standard library where it has it."""

from __future__ import annotations

import sys

from devlint.core.lazy_regex import regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_KEY_PARTS = 100
"""Of one key; the parser's time grows with their square."""
_DOTTED = regex(r"(?:(?:[\w-]+|\"[^\"\n]*\"|'[^'\n]*')[ \t]*\.[ \t]*)+")


class TOMLError(Exception):
    """A text that is no TOML: says where, in one line."""


def load_toml(text: str) -> dict[str, Any]:
    """The document as a dictionary; raises TOMLError. The parser is loaded when first needed.

    A byte-order mark, which editors on Windows write, is no part of it.
    """
    if sys.version_info >= (3, 11):
        import tomllib as parser
    else:
        import tomli as parser
    if any(map(_has_long_key, text.split("\n"))):
        raise TOMLError(f"a key has more than {MAX_KEY_PARTS} parts")
    try:
        return parser.loads(text.removeprefix("\ufeff"))
    except ValueError as error:  # the parser's own, and Python's for a number of thousands of digits
        raise TOMLError(str(error)) from None
    except RecursionError:
        raise TOMLError("nested too deeply") from None


def _has_long_key(line: str) -> bool:
    """Whether a line has a key of too many parts, or a string that looks like one."""
    return line.count(".") > MAX_KEY_PARTS and any(one.count(".") > MAX_KEY_PARTS for one in _DOTTED.findall(line))
