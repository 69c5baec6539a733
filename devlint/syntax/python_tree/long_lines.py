"""Breaks lines that fixes made too long as those around them are broken; Python's own tree stays the same."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterable, Sequence
from itertools import accumulate
from os.path import commonprefix

from devlint.core.diagnostic import Edit, Span
from devlint.core.line_matches import LineMatcher
from devlint.syntax.python_tree.broken_rows import Surroundings, broken_row, indentation_width
from devlint.syntax.python_tree.code_rows import CLOSE, OPEN, CodeRow, code_rows
from devlint.syntax.python_tree.python_ast import has_same_tree
from devlint.syntax.python_tree.string_quotes import in_own_quotes

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
_MANY = 6
"""More rows than these are worse than a row that kept no limit before and grows by a tensor's type and device."""
_HARDLY = 20
_PASTED = 400
"""Nobody broke a row of this length, and nobody wants it in a hundred rows."""
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
    for index in sorted(pairs):
        if index in known and known[index].is_plain:
            _move_below(rows, known, index, pairs, old)
    if rows != new:
        known = code_rows("\n".join(rows)) or known
    for index, pair in sorted(pairs.items(), reverse=True):
        row = known.get(index)
        if row is None or not row.is_plain or rows[index].endswith("\\"):
            continue
        was = len(old[pair]) if pair is not None else 0
        if len(rows[index]) > _most(was, limit, longest, said):
            fills = index > 0 and hanging and _fills_brackets(rows, index)
            place = Surroundings(fills, _indentation_below(rows, known, index))
            if row.commas_behind and pair is not None:
                added = indentation_width(rows[index]) + len(commonprefix([old[pair].strip(), rows[index].strip()]))
                place = place.replace(outside=_indentations_around(rows, known, index), added=added)
            broken = broken_row(rows[index], row, limit, hanging, place)
            is_kept = limit < was >= len(rows[index]) - 2 * _HARDLY or was > _PASTED
            if broken and not (len(broken) > _MANY and not said and is_kept):
                rows[index : index + 1] = broken
    result = newline.join(rows)
    return result if result != after and has_same_tree(after, result) else after


def _most(was: int, limit: int, longest: int, said: bool) -> int:
    """How long a row may be that was so long before; one may grow a little where no limit is said or kept."""
    if was > limit:
        return max(limit, longest, was + _HARDLY)
    loose = not said and was and longest > _LEAST
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
        elif indentation_width(following) == opened[-1] + 1:
            below += 1
    return after >= below


def _indentation_below(rows: Sequence[str], known: dict[int, CodeRow], index: int) -> str | None:
    """The white space of the next row, where that continues the statement; None where it does not."""
    following = known.get(index + 1)
    return rows[index + 1][: indentation_width(rows[index + 1])] if following is not None and following.depth else None


def _indentations_around(rows: Sequence[str], known: dict[int, CodeRow], index: int) -> list[str]:
    """The white space for what stands in each of the brackets that are open where a row begins, the innermost first."""
    found: list[str] = []
    at, depth = index, known[index].depth
    while depth and at - 1 in known:
        at -= 1
        opened = [one.start for one in known[at].brackets if one.end is None]
        outside = known[at + 1].depth - len(opened)
        for column in reversed(opened[: max(0, depth - outside)]):
            is_last = not rows[at][column + 1 :].strip()
            found.append(" " * (indentation_width(rows[at + 1]) if is_last else column + 1))
        depth = min(depth, outside)
    return found


def _move_below(
    rows: list[str], known: dict[int, CodeRow], index: int, pairs: dict[int, int | None], old: Sequence[str]
) -> None:
    """Move the rows that stood below what follows a bracket, where a fix has moved that bracket."""
    pair = pairs[index]
    was, now = _last_open(old[pair]) if pair is not None else None, _last_open(rows[index])
    if was is None or now is None or was == now:
        return
    at = index + 1
    while at in known and known[at].depth and known[at].is_plain and indentation_width(rows[at]) == was + 1:
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


def _fills_brackets(rows: Sequence[str], index: int) -> bool:
    following = rows[index + 1] if index + 1 < len(rows) else ""
    return rows[index - 1].rstrip().endswith(tuple(OPEN)) and following.lstrip().startswith(tuple(CLOSE))
