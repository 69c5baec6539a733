"""TOML, from the standard library where it has it."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class TOMLError(Exception):
    """A text that is no TOML: says where, in one line."""


def load_toml(text: str) -> dict[str, Any]:
    """The document as a dictionary; raises TOMLError. The parser is loaded when first needed."""
    if sys.version_info >= (3, 11):
        import tomllib as parser
    else:
        import tomli as parser
    try:
        return parser.loads(text)
    except parser.TOMLDecodeError as error:
        raise TOMLError(str(error)) from None
