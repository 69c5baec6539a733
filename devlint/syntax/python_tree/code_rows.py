"""What the tokens of a program say about each of its rows: how many brackets are open, and where it may be broken."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Sequence

from devlint.core.record import Record

OPEN, CLOSE = "([{", ")]}"
_BEFORE_VALUE = frozenset({"return", "with", "=", "+=", "-=", "*=", "/=", "//=", "%=", "@=", "&=", "|=", "^=", "**="})
_STRING_START, _STRING_END = getattr(tokenize, "FSTRING_START", -1), getattr(tokenize, "FSTRING_END", -1)
"""Tokens that Python 3.12 and later have."""


class Bracket(Record):
    """A bracket in a row, with what stands at the top level of it there."""

    start: int
    end: int | None
    commas: tuple[int, ...]
    is_comprehension: bool
    """Whether there is a comprehension, a lambda or a second statement."""


class CodeRow(Record):
    """What the tokens say about one row."""

    depth: int
    """How many brackets are open where it begins."""
    outer: Bracket
    """What stands at that depth."""
    commas_behind: tuple[tuple[int, int], ...]
    """The commas behind brackets of earlier rows that it closes, each with how many of those end before it."""
    brackets: tuple[Bracket, ...]
    """Those that open in it, in order; those that end in a later row have no end."""
    is_plain: bool
    """Whether it holds no comment and no part of a string over several rows."""
    value: int | None
    """Where the value begins that is assigned, returned or entered by ``with``."""
    choices: tuple[int, ...]
    """Where ``if`` and ``else`` stand at the depth of that."""


def code_rows(text: str) -> dict[int, CodeRow] | None:
    """What the tokens say about the rows of a text, from 0; None where they cannot be told."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return None
    found: dict[int, CodeRow] = {}
    rows: dict[int, list[tokenize.TokenInfo]] = {}
    rough: set[int] = set()
    strings = 0
    for one in tokens:
        first, last = one.start[0] - 1, one.end[0] - 1
        strings += (one.type == _STRING_START) - (one.type == _STRING_END)
        if not strings:  # what stands in an f-string is not broken
            rows.setdefault(first, []).append(one)
        if one.type == tokenize.COMMENT or (last > first and one.type not in (tokenize.NEWLINE, tokenize.NL)):
            rough.update(range(first, last + 1))
    depth, count = 0, text.count("\n") + 1
    for index, inside in sorted(rows.items()):
        if index < count:
            found[index], depth = _row(inside, depth, index not in rough)
    return found


def _row(tokens: Sequence[tokenize.TokenInfo], depth: int, is_plain: bool) -> tuple[CodeRow, int]:
    """A row, and how many brackets are open where it ends."""
    done: list[tuple[int, Bracket]] = []
    open_: list[list[int | list[int] | bool]] = [[-1, [], False]]
    ended = 0
    behind: list[tuple[int, int]] = []
    now = depth
    value: int | None = None
    choices: list[int] = []
    shown = [one for one in tokens if one.type not in (tokenize.INDENT, tokenize.DEDENT)]
    loop = shown[0] if depth == 0 and shown and shown[0].string == "for" else None
    last: tokenize.TokenInfo | None = None
    for one in tokens:
        column = one.start[1]
        if last is not None and now == 0 and last.string in _BEFORE_VALUE:
            value = column
        last = one
        if one.type == tokenize.OP and one.string in OPEN:
            open_.append([column, [], False])
            now += 1
        elif one.type == tokenize.OP and one.string in CLOSE:
            now -= 1
            if len(open_) > 1:
                done.append(_closed(open_.pop(), column))
            else:
                ended += 1
        elif one.type == tokenize.OP and one.string == "," and len(open_) == 1 and ended:
            behind.append((ended, column))
        elif one.type == tokenize.OP and one.string == ",":
            open_[-1][1].append(column)  # type: ignore[union-attr]
        elif one.string in ("for", "lambda", ";") and one.type in (tokenize.NAME, tokenize.OP) and one is not loop:
            open_[-1][2] = True
        elif now == 0 and one.type == tokenize.NAME and one.string in ("if", "else"):
            choices.append(column)
    outer = _closed(open_[0], None)[1]
    done += [_closed(one, None) for one in open_[1:]]
    brackets = tuple(bracket for _, bracket in sorted(done, key=lambda one: one[0]))
    return CodeRow(depth, outer, tuple(behind), brackets, is_plain, value, tuple(choices)), now


def _closed(one: list[int | list[int] | bool], end: int | None) -> tuple[int, Bracket]:
    start, commas, comprehension = one
    assert isinstance(start, int) and isinstance(commas, list)
    return start, Bracket(start, end, tuple(commas), bool(comprehension))
