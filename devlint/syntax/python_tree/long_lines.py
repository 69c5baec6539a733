"""Breaks lines that fixes made too long as those around them are broken; Python's own tree stays the same."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterable, Sequence
from itertools import accumulate
from os.path import commonprefix

from devlint.core.diagnostic import Edit, Span
from devlint.core.line_matches import LineMatcher
from devlint.core.record import Record
from devlint.syntax.python_tree.code_rows import CLOSE, OPEN, Bracket, CodeRow, code_rows
from devlint.syntax.python_tree.python_ast import has_same_tree
from devlint.syntax.python_tree.string_quotes import in_own_quotes

_WORTH_A_ROW = 12
"""How many characters between brackets are worth a row of their own."""
_LEAST = 88
"""The length of lines where neither the project nor its file says one."""
_NEARLY_ALL = 98
"""How many rows of a hundred show how long lines may be."""
_FEW = 100
"""How long lines may be where a few are longer."""
_MOST = 120
"""How long lines may be where no project says that they may be longer."""
_FAR_TOO_LONG = 140
"""A row this long is broken even where it was too long before, unless it has hardly grown."""
_HARDLY = 20
_ALIKE = 10
"""How many characters two rows begin with at least if one is the other as a fix has left it."""


def layout_edits(before: str, after: str, limit: int | None) -> list[Edit]:
    """The edits that write the text ``after`` as the file is written: ``laid_out``, and with its quotes."""
    text = laid_out(before, in_own_quotes(before, after), limit)
    if text == after:
        return []
    old, new = after.splitlines(keepends=True), text.splitlines(keepends=True)
    starts = [0, *accumulate(map(len, old))]
    return [
        Edit(Span(starts[first], starts[last]), "".join(new[start:end]))
        for kind, first, last, start, end in LineMatcher(old, new).get_opcodes()
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
    known = code_rows(text) if pairs else None
    if known is None:
        return after
    said = limit is not None
    limit, longest = (limit, _FAR_TOO_LONG) if limit else _limits_of(old, [new[index] for index in pairs])
    longest = min(longest, _FAR_TOO_LONG)
    rows = list(new)
    hanging = _breaks_after_brackets(new, known)
    for index, pair in sorted(pairs.items(), reverse=True):
        row = known.get(index)
        if row is None or not row.is_plain:
            continue
        if pair is not None:
            _move_below(rows, known, index, pairs, old)
        if rows[index].endswith("\\"):
            continue
        was = len(old[pair]) if pair is not None else 0
        if len(rows[index]) > _most(was, limit, longest, said):
            place = _Place(
                index > 0 and hanging and _fills_brackets(rows, index), _indentation_below(rows, known, index)
            )
            broken = _broken(rows[index], row, limit, hanging, place)
            rows[index : index + 1] = broken or [rows[index]]
    result = newline.join(rows)
    return result if result != after and has_same_tree(after, result) else after


def _most(was: int, limit: int, longest: int, said: bool) -> int:
    """How long a row may be that was so long before; one may grow a little where no limit is said or kept."""
    if was > limit:
        return max(limit, longest, was + _HARDLY)
    loose = not said and was and longest > _FEW
    return max(limit, min(was + _HARDLY, max(longest, _MOST))) if loose else limit


def _limits_of(rows: Sequence[str], added: Iterable[str]) -> tuple[int, int]:
    """A length that nearly all rows of code keep to, and that of the longest; only where an added row may be longer.

    Links do not count, and a few rows do not show how a file is written.
    """
    if all(len(row) <= _LEAST for row in added):
        return _LEAST, _LEAST
    known = code_rows("\n".join(rows)) or {}
    code = sorted(len(rows[index]) for index, row in known.items() if row.is_plain and "http" not in rows[index])
    longest = max([_LEAST, *code[-1:]])
    nearly_all = min([_MOST, *code[len(code) * _NEARLY_ALL // 100 :][:1]])
    return max(_LEAST, min(longest, _FEW), nearly_all if code else 0), longest


def _new_rows(old: Sequence[str], new: Sequence[str]) -> dict[int, int | None]:
    """The rows of the new text that are not in the old one, each with the old row that it replaces, if one."""
    found: dict[int, int | None] = {}
    for kind, first, last, start, end in LineMatcher(old, new).get_opcodes():
        if kind == "replace" and last - first != end - start:
            left = first
            for index in range(start, end):
                found[index] = next((one for one in range(left, last) if _is_alike(old[one], new[index])), None)
                left = left if found[index] is None else (found[index] or 0) + 1
        elif kind in ("replace", "insert"):
            for offset, index in enumerate(range(start, end)):
                found[index] = first + offset if last - first == end - start else None
    return found


def _is_alike(one: str, other: str) -> bool:
    """Whether two rows begin in the same way, but for white space."""
    same = len(commonprefix([one.strip(), other.strip()]))
    return same >= _ALIKE and same * 2 >= min(len(one.strip()), len(other.strip()))


def _breaks_after_brackets(rows: Sequence[str], known: dict[int, CodeRow]) -> bool:
    """Whether the text breaks its lines after an opening bracket, as Black does, and not below what stands in it."""
    after = below = 0
    for index, row in known.items():
        opened = [one.start for one in row.brackets if one.end is None]
        if not opened or index + 1 >= len(rows):
            continue
        following = rows[index + 1]
        if rows[index].rstrip().endswith(tuple(OPEN)):
            after += 1
        elif _width(following) == opened[-1] + 1:
            below += 1
    return after >= below


def _width(row: str) -> int:
    return len(row) - len(row.lstrip())


def _indentation_below(rows: Sequence[str], known: dict[int, CodeRow], index: int) -> str | None:
    """The white space of the next row, where that continues the statement; None where it does not."""
    following = known.get(index + 1)
    return rows[index + 1][: _width(rows[index + 1])] if following is not None and following.depth else None


def _move_below(
    rows: list[str], known: dict[int, CodeRow], index: int, pairs: dict[int, int | None], old: Sequence[str]
) -> None:
    """Move the rows that stood below what follows a bracket, where a fix has moved that bracket."""
    pair = pairs[index]
    was, now = _last_open(old[pair]) if pair is not None else None, _last_open(rows[index])
    if was is None or now is None or was == now:
        return
    at = index + 1
    while at in known and known[at].depth and known[at].is_plain and _width(rows[at]) == was + 1:
        if rows[at] not in old and pairs.get(at) is None:
            return
        rows[at] = " " * (now + 1) + rows[at].lstrip()
        at += 1


def _last_open(row: str) -> int | None:
    """The column of the last bracket that a row opens and does not close."""
    opened: list[int] = []
    try:
        for one in tokenize.generate_tokens(io.StringIO(row + "\n").readline):
            if one.type == tokenize.OP and one.string in OPEN:
                opened.append(one.start[1])
            elif one.type == tokenize.OP and one.string in CLOSE and opened:
                opened.pop()
    except (tokenize.TokenError, SyntaxError):
        pass
    return opened[-1] if opened else None


class _Place(Record):
    """What is around a row."""

    fills: bool
    """Whether it is all that stands between two brackets, which have rows of their own."""
    below: str | None
    """The white space of the next row, where that continues the statement."""


def _fills_brackets(rows: Sequence[str], index: int) -> bool:
    following = rows[index + 1] if index + 1 < len(rows) else ""
    return rows[index - 1].rstrip().endswith(tuple(OPEN)) and following.lstrip().startswith(tuple(CLOSE))


def _broken(text: str, row: CodeRow, limit: int, hanging: bool, place: _Place | None = None) -> list[str] | None:
    """The rows for one that is too long; None where no good place to break it is known."""
    indent = text[: _width(text)]
    opened = [one for one in row.brackets if one.end is None]
    whole = [one for one in row.brackets if one.end is not None and one.end - one.start > _WORTH_A_ROW]
    top = [one for one in whole if not any(other.start < one.start < (other.end or 0) for other in whole)]
    by_length = sorted(top, key=lambda one: one.start - (one.end or 0))
    if row.depth and place is not None:
        if place.fills and row.outer.commas and not row.outer.is_comprehension and not opened:
            return _one_each(text, [len(indent) - 1, *row.outer.commas, len(text)], indent, limit)
        at_comma = _at_comma(text, row.outer.commas, indent, limit)
        if at_comma is not None or opened or row.outer.is_comprehension:
            return at_comma
        return next(filter(None, (_in_lines(text, one, indent, limit) for one in by_length)), None)
    if opened:
        inside = [one for one in whole if one.start > opened[-1].start]
        below = place.below if place is not None else None
        return _at_comma(text, opened[-1].commas, below, limit) or _aligned(text, inside, limit)
    if row.outer.is_comprehension:
        return None
    if row.value is not None and len(row.choices) == 2 and row.value < row.choices[0]:
        if not text.lstrip().startswith("with "):
            return _chosen(text, row.value, row.choices, indent, limit)
        if text.endswith(":") and " as " not in text and not row.outer.commas:
            return _chosen(text, row.value, row.choices, indent, limit, end=":")
    top = [one for one in top if row.value is None or one.start >= row.value]
    inside = [one for one in whole if top and one.start >= top[-1].start]
    aligned = _aligned(text, inside, limit) if not hanging else None
    if aligned is not None:
        return aligned
    by_length = [one for one in by_length if one in top]
    return next(filter(None, (_in_lines(text, one, indent, limit) for one in by_length)), None)


def _aligned(text: str, brackets: Iterable[Bracket], limit: int) -> list[str] | None:
    """Two rows, the second below what follows the first of some brackets where both fit."""
    found = (_at_comma(text, one.commas, " " * (one.start + 1), limit) for one in brackets)
    return next((two for two in found if two is not None and all(len(part) <= limit for part in two)), None)


def _chosen(text: str, value: int, choices: Sequence[int], indent: str, limit: int, end: str = "") -> list[str]:
    """A conditional value, up to ``end``, in brackets, on a row of its own or in three."""
    unit = "\t" if indent.startswith("\t") else "    "
    last = len(text) - len(end)
    whole = indent + unit + text[value:last].strip()
    edges = [value, *choices, last]
    parts = [indent + unit + text[one:other].strip() for one, other in zip(edges, edges[1:])]
    return [text[:value] + "(", *([whole] if len(whole) <= limit else parts), indent + ")" + end]


def _at_comma(text: str, commas: Sequence[int], indent: str | None, limit: int) -> list[str] | None:
    """Two rows, the second with what follows the last comma that fits on the first."""
    fitting = [one for one in commas if one + 1 <= limit and text[one + 1 :].strip()]
    if not fitting or indent is None:
        return None
    return [text[: fitting[-1] + 1], indent + text[fitting[-1] + 1 :].strip()]


def _in_lines(text: str, bracket: Bracket, indent: str, limit: int) -> list[str] | None:
    """What stands in a bracket on a row of its own, or each piece of it; None where the last row is too long then."""
    assert bracket.end is not None
    unit = "\t" if indent.startswith("\t") else "    "
    head, inside, tail = text[: bracket.start + 1], text[bracket.start + 1 : bracket.end], text[bracket.end :]
    if len(head) > limit or len(indent + tail) > limit:
        return None
    if len(indent + unit + inside.strip()) <= limit:
        return [head, indent + unit + inside.strip(), indent + tail]
    if bracket.is_comprehension:
        return None
    if not bracket.commas:
        inner = _broken_inside(inside.strip(), limit - len(indent + unit))
        return [head, *(indent + unit + one for one in inner), indent + tail] if inner is not None else None
    return [head, *_one_each(text, [bracket.start, *bracket.commas, bracket.end], indent + unit, limit), indent + tail]


def _one_each(text: str, edges: Sequence[int], indent: str, limit: int) -> list[str]:
    """A row, or some, for each piece between commas."""
    rows: list[str] = []
    for piece in filter(None, (text[one + 1 : other].strip() for one, other in zip(edges, edges[1:]))):
        room = limit - len(indent) - 1
        inner = (_broken_inside(piece, room) if len(piece) > room else None) or [piece]
        rows += [indent + one for one in inner]
        rows[-1] += ","
    return rows


def _broken_inside(text: str, limit: int) -> list[str] | None:
    """The rows for an argument of a call, without indentation."""
    row = (code_rows(text) or {}).get(0)
    return _broken(text, row, limit, True) if row is not None else None
