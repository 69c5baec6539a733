"""The arguments of a call, by keyword and by position."""

from __future__ import annotations

import libcst as cst


def keyword_argument(call: cst.Call, *names: str) -> cst.Arg | None:
    """The first argument that is given by one of the keywords."""
    return next((arg for arg in call.args if arg.keyword is not None and arg.keyword.value in names), None)


def positional_argument(call: cst.Call, position: int) -> cst.Arg | None:
    """A positional argument that has no star before it."""
    if position >= len(call.args) or any(arg.star for arg in call.args[: position + 1]):
        return None
    return call.args[position] if call.args[position].keyword is None else None
