"""Breaks lines that fixes made too long as those around them are broken; Python's own tree stays the same."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import accumulate

from devlint.core.diagnostic import Edit, Span
from devlint.core.record import Record
from devlint.syntax.python_tree.python_ast import syntax_tree

_OPEN, _CLOSE = "([{", ")]}"
_STRING_START, _STRING_END = getattr(tokenize, "FSTRING_START", -1), getattr(tokenize, "FSTRING_END", -1)
"""Tokens that Python 3.12 and later have."""
_WORTH_A_ROW = 12
"""How many characters between brackets are worth a row of their own."""
_LEAST = 88
"""The length of lines where neither the project nor its file says one."""


class _Bracket(Record):
    """A bracket in a row, with what stands at the top level of it there."""

    start: int
    end: int | None
    commas: tuple[int, ...]
    is_comprehension: bool
    """Whether there is a comprehension, a lambda or a second statement."""


class _Row(Record):
    """What the tokens say about one row."""

    depth: int
    """How many brackets are open where it begins."""
    outer: _Bracket
    """What stands at that depth."""
    brackets: tuple[_Bracket, ...]
    """Those that open in it, in order; those that end in a later row have no end."""
    is_plain: bool
    """Whether it holds no comment and no part of a string over several rows."""
    value: int | None
    """Where the value begins that is assigned or returned."""
    choices: tuple[int, ...]
    """Where ``if`` and ``else`` stand at the depth of that."""


def layout_edits(before: str, after: str, limit: int | None) -> list[Edit]:
    """The edits that make ``laid_out`` of the text ``after``."""
    text = laid_out(before, after, limit)
    if text == after:
        return []
    old, new = after.splitlines(keepends=True), text.splitlines(keepends=True)
    starts = [0, *accumulate(map(len, old))]
    return [
        Edit(Span(starts[first], starts[last]), "".join(new[start:end]))
        for kind, first, last, start, end in SequenceMatcher(None, old, new).get_opcodes()
        if kind != "equal"
    ]


def laid_out(before: str, after: str, limit: int | None) -> str:
    """The text ``after`` with its new long rows broken, and with rows below a bracket that has moved moved too."""
    if "\f" in after or after.count("\r") not in (0, after.count("\n")) or after.count("\r\n") != after.count("\r"):
        return after  # its rows end in different ways
    newline = "\r\n" if "\r\n" in after else "\n"
    old, new = before.replace("\r\n", "\n").split("\n"), after.replace("\r\n", "\n").split("\n")
    pairs = _new_rows(old, new)
    text = "\n".join(new)
    known = _rows(text) if pairs else None
    if known is None:
        return after
    limit = limit or max(_LEAST, *(len(row) for row in _code_rows(old)))
    rows = list(new)
    hanging = _breaks_after_brackets(new, known)
    for index, pair in sorted(pairs.items(), reverse=True):
        row = known.get(index)
        if row is None or not row.is_plain:
            continue
        if pair is not None:
            _move_below(rows, known, index, pair, old)
        if len(rows[index]) > limit and (pair is None or len(old[pair]) <= limit):
            broken = _broken(rows[index], row, limit, hanging, _indentation_below(rows, known, index))
            rows[index : index + 1] = broken or [rows[index]]
    result = newline.join(rows)
    return result if result != after and _is_same(after, result) else after


def _is_same(one: str, other: str) -> bool:
    trees = syntax_tree(one), syntax_tree(other)
    return None not in trees and len({ast.dump(tree) for tree in trees if tree is not None}) == 1


def _new_rows(old: Sequence[str], new: Sequence[str]) -> dict[int, int | None]:
    """The rows of the new text that are not in the old one, each with the old row that it replaces, if one."""
    found: dict[int, int | None] = {}
    for kind, first, last, start, end in SequenceMatcher(None, old, new).get_opcodes():
        if kind in ("replace", "insert"):
            for offset, index in enumerate(range(start, end)):
                found[index] = first + offset if last - first == end - start else None
    return found


def _code_rows(rows: Sequence[str]) -> Iterator[str]:
    """The rows of a text that are code, and no comment, string over several rows or long link."""
    known = _rows("\n".join(rows)) or {}
    yield from (rows[index] for index, row in known.items() if row.is_plain and "http" not in rows[index])


def _rows(text: str) -> dict[int, _Row] | None:
    """What the tokens say about the rows of a text, from 0; None where they cannot be told."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return None
    found: dict[int, _Row] = {}
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


def _row(tokens: Sequence[tokenize.TokenInfo], depth: int, is_plain: bool) -> tuple[_Row, int]:
    """A row, and how many brackets are open where it ends."""
    done: list[tuple[int, _Bracket]] = []
    open_: list[list[int | list[int] | bool]] = [[-1, [], False]]
    outer_ended = False
    now = depth
    value: int | None = None
    choices: list[int] = []
    for one in tokens:
        column = one.start[1]
        if one.type == tokenize.OP and one.string in _OPEN:
            open_.append([column, [], False])
            now += 1
        elif one.type == tokenize.OP and one.string in _CLOSE:
            now -= 1
            if len(open_) > 1:
                done.append(_closed(open_.pop(), column))
            else:
                outer_ended = True
        elif one.type == tokenize.OP and one.string == "," and not (len(open_) == 1 and outer_ended):
            open_[-1][1].append(column)  # type: ignore[union-attr]
        elif one.string in ("for", "lambda", ";") and one.type in (tokenize.NAME, tokenize.OP):
            open_[-1][2] = True
        elif now == 0 and (one.string == "return" or (one.string == "=" and one.type == tokenize.OP)):
            value = one.end[1] + 1
        elif now == 0 and one.type == tokenize.NAME and one.string in ("if", "else"):
            choices.append(column)
    outer = _closed(open_[0], None)[1]
    done += [_closed(one, None) for one in open_[1:]]
    brackets = tuple(bracket for _, bracket in sorted(done, key=lambda one: one[0]))
    return _Row(depth, outer, brackets, is_plain, value, tuple(choices)), now


def _closed(one: list[int | list[int] | bool], end: int | None) -> tuple[int, _Bracket]:
    start, commas, comprehension = one
    assert isinstance(start, int) and isinstance(commas, list)
    return start, _Bracket(start, end, tuple(commas), bool(comprehension))


def _breaks_after_brackets(rows: Sequence[str], known: dict[int, _Row]) -> bool:
    """Whether the text breaks its lines after an opening bracket, as Black does, and not below what stands in it."""
    after = below = 0
    for index, row in known.items():
        opened = [one.start for one in row.brackets if one.end is None]
        if not opened or index + 1 >= len(rows):
            continue
        following = rows[index + 1]
        if rows[index].rstrip().endswith(tuple(_OPEN)):
            after += 1
        elif _width(following) == opened[-1] + 1:
            below += 1
    return after >= below


def _width(row: str) -> int:
    return len(row) - len(row.lstrip())


def _indentation_below(rows: Sequence[str], known: dict[int, _Row], index: int) -> str | None:
    """The white space of the next row, where that continues the statement; None where it does not."""
    following = known.get(index + 1)
    return rows[index + 1][: _width(rows[index + 1])] if following is not None and following.depth else None


def _move_below(rows: list[str], known: dict[int, _Row], index: int, pair: int, old: Sequence[str]) -> None:
    """Move the rows that stood below what follows a bracket, where a fix has moved that bracket."""
    was, now = _last_open(old[pair]), _last_open(rows[index])
    if was is None or now is None or was == now:
        return
    at = index + 1
    while at in known and known[at].depth and known[at].is_plain and rows[at] in old and _width(rows[at]) == was + 1:
        rows[at] = " " * (now + 1) + rows[at].lstrip()
        at += 1


def _last_open(row: str) -> int | None:
    """The column of the last bracket that a row opens and does not close."""
    opened: list[int] = []
    try:
        for one in tokenize.generate_tokens(io.StringIO(row + "\n").readline):
            if one.type == tokenize.OP and one.string in _OPEN:
                opened.append(one.start[1])
            elif one.type == tokenize.OP and one.string in _CLOSE and opened:
                opened.pop()
    except (tokenize.TokenError, SyntaxError):
        pass
    return opened[-1] if opened else None


def _broken(text: str, row: _Row, limit: int, hanging: bool, below: str | None) -> list[str] | None:
    """The rows for one that is too long; None where no good place to break it is known."""
    indent = text[: _width(text)]
    if row.depth:
        return _at_comma(text, row.outer.commas, indent, limit)
    opened = [one for one in row.brackets if one.end is None]
    if opened:
        return _at_comma(text, opened[-1].commas, below, limit) if below is not None else None
    if row.outer.is_comprehension:
        return None
    if row.value is not None and len(row.choices) == 2 and row.value < row.choices[0]:
        return _chosen(text, row.value, row.choices, indent, limit)
    whole = [one for one in row.brackets if one.end is not None and one.end - one.start > _WORTH_A_ROW]
    top = [one for one in whole if not any(other.start < one.start < (other.end or 0) for other in whole)]
    if not hanging:
        for one in whole:
            found = _at_comma(text, one.commas, " " * (one.start + 1), limit) if one.start >= top[-1].start else None
            if found is not None and all(len(part) <= limit for part in found):
                return found
    by_length = sorted(top, key=lambda one: one.start - (one.end or 0))
    return next(filter(None, (_in_lines(text, one, indent, limit) for one in by_length)), None)


def _chosen(text: str, value: int, choices: Sequence[int], indent: str, limit: int) -> list[str]:
    """A conditional value in brackets, on a row of its own or in three."""
    unit = "\t" if indent.startswith("\t") else "    "
    whole = indent + unit + text[value:].strip()
    edges = [value, *choices, len(text)]
    parts = [indent + unit + text[one:other].strip() for one, other in zip(edges, edges[1:])]
    return [text[:value] + "(", *([whole] if len(whole) <= limit else parts), indent + ")"]


def _at_comma(text: str, commas: Sequence[int], indent: str | None, limit: int) -> list[str] | None:
    """Two rows, the second with what follows the last comma that fits on the first."""
    fitting = [one for one in commas if one + 1 <= limit and text[one + 1 :].strip()]
    if not fitting or indent is None:
        return None
    return [text[: fitting[-1] + 1], indent + text[fitting[-1] + 1 :].strip()]


def _in_lines(text: str, bracket: _Bracket, indent: str, limit: int) -> list[str] | None:
    """What stands in a bracket on a row of its own, or each piece of it; None where the last row is too long then."""
    assert bracket.end is not None
    unit = "\t" if indent.startswith("\t") else "    "
    head, inside, tail = text[: bracket.start + 1], text[bracket.start + 1 : bracket.end], text[bracket.end :]
    if len(head) > limit or len(indent + tail) > limit:
        return None
    if len(indent + unit + inside.strip()) <= limit:
        return [head, indent + unit + inside.strip(), indent + tail]
    if bracket.is_comprehension or not bracket.commas:
        return None
    edges = [bracket.start, *bracket.commas, bracket.end]
    pieces = [text[one + 1 : other].strip() for one, other in zip(edges, edges[1:])]
    return [head, *(f"{indent}{unit}{piece}," for piece in pieces if piece), indent + tail]
