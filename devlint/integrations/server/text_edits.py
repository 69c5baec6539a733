"""From two texts to the few edits that make one of the other in an editor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsprotocol.types import Range, TextEdit

from devlint.core.lazy_regex import regex
from devlint.core.line_matches import LineMatcher
from devlint.integrations.server.positions import EditorText

_LINE = regex(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")


def text_edits(before: EditorText, after: str) -> list[TextEdit]:
    """The edits that make ``after`` of a text; they do not overlap."""
    return [
        TextEdit(Range(before.position(start), before.position(end)), text)
        for start, end, text in _changes(before.text, after)
    ]


def _changes(before: str, after: str) -> Iterator[tuple[int, int, str]]:
    """What to replace from where to where, line by line and then by character."""
    old, new = _LINE.findall(before), _LINE.findall(after)
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    for kind, first, last, new_first, new_last in LineMatcher(old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        for start, end, lines in _paired(old[first:last], new[new_first:new_last]):
            change = _narrowed(before, starts[first + start], starts[first + end], "".join(lines))
            if change[0] < change[1] or change[2]:
                yield change


def _paired(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, Sequence[str]]]:
    """Lines and what replaces them, each by itself: those that one side has more stand before or behind the others."""
    both, more = min(len(old), len(new)), len(new) - len(old)
    if not both:
        yield 0, len(old), new
        return
    in_front = _alike(old[-both:], new[-both:]) >= _alike(old[:both], new[:both])
    skipped, added = (max(-more, 0), max(more, 0)) if in_front else (0, 0)
    if skipped or added:
        yield 0, skipped, new[:added]
    for row in range(both):
        yield skipped + row, skipped + row + 1, new[added + row : added + row + 1]
    if more and not in_front:
        yield both, len(old), new[both:]


def _alike(some: Sequence[str], others: Sequence[str]) -> int:
    """How many characters lines have in common at their beginnings and ends."""
    return sum(_common(one, other) + _common(one[::-1], other[::-1]) for one, other in zip(some, others))


def _narrowed(before: str, start: int, end: int, text: str) -> tuple[int, int, str]:
    """A change without what it does not change at both of its ends; it never begins or ends inside a line ending."""
    old = before[start:end]
    head = _common(old, text)
    if old[head - 1 : head] == "\r" and head:
        head -= 1
    tail = _common(old[head:][::-1], text[head:][::-1])
    if tail and old[len(old) - tail] == "\n" and before[: end - tail].endswith("\r"):
        tail -= 1
    return start + head, end - tail, text[head : len(text) - tail]


def _common(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    for index, (left, right) in enumerate(zip(one, other)):
        if left != right:
            return index
    return min(len(one), len(other))
