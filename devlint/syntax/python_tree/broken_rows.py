"""One row that is too long, broken into several at its brackets, commas and choices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from devlint.core.record import Record
from devlint.syntax.python_tree.code_rows import Bracket, CodeRow, code_rows

_WORTH_A_ROW = 12
"""How many characters between brackets are worth a row of their own."""


class Surroundings(Record):
    """What is around a row."""

    fills: bool
    """Whether it is all that stands between two brackets, which have rows of their own."""
    below: str | None
    """The white space of the next row, where that continues the statement."""
    outside: Sequence[str] = ()
    """The white space for what stands in the brackets around it, the innermost first."""
    added: int | None = None
    """Where the row begins to differ from the one that it replaces."""


def indentation_width(row: str) -> int:
    """How much white space a row begins with."""
    return len(row) - len(row.lstrip())


def broken_row(
    text: str, row: CodeRow, limit: int, hanging: bool, place: Surroundings | None = None
) -> list[str] | None:
    """The rows for one that is too long; None where no good place to break it is known."""
    indent = text[: indentation_width(text)]
    opened = [one for one in row.brackets if one.end is None]
    whole = [one for one in row.brackets if one.end is not None and one.end - one.start > _WORTH_A_ROW]
    top = [one for one in whole if not any(other.start < one.start < (other.end or 0) for other in whole)]
    by_length = sorted(top, key=lambda one: one.start - (one.end or 0))
    if row.depth and place is not None:
        if place.fills and row.outer.commas and not row.outer.is_comprehension and not opened:
            return _one_each(text, [len(indent) - 1, *row.outer.commas, len(text)], indent, limit)
        at_comma = _behind_brackets(text, row, place, limit) or _at_comma(text, row.outer.commas, indent, limit)
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
    commas = [one for one in row.outer.commas if row.value is not None and one > row.value]
    if commas and row.value is not None and not text.endswith(":"):
        unit = "\t" if indent.startswith("\t") else "    "
        pieces = _one_each(text, [row.value - 1, *commas, len(text)], indent + unit, limit)
        return [text[: row.value] + "(", *pieces, indent + ")"]
    top = [one for one in top if row.value is None or one.start >= row.value]
    inside = [one for one in whole if top and one.start >= top[-1].start]
    aligned = _aligned(text, inside, limit) if not hanging else None
    if aligned is not None:
        return aligned
    by_length = [one for one in by_length if one in top]
    return next(filter(None, (_in_lines(text, one, indent, limit) for one in by_length)), None)


def _aligned(text: str, brackets: Iterable[Bracket], limit: int) -> list[str] | None:
    """Two rows, the second below what follows the first of some brackets where both fit."""
    lists = (one for one in brackets if not one.is_comprehension)
    found = (_at_comma(text, one.commas, " " * (one.start + 1), limit) for one in lists)
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


def _behind_brackets(text: str, row: CodeRow, place: Surroundings, limit: int) -> list[str] | None:
    """Two rows where something was added behind a bracket of an earlier row: it goes below what stands beside that."""
    added = (one for one in row.commas_behind if one[1] == place.added and one[0] < len(place.outside))
    return next((_at_comma(text, [comma], place.outside[ended], limit) for ended, comma in added), None)


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
    return broken_row(text, row, limit, True) if row is not None else None
