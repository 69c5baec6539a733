"""The rows that were added to files: read from git's patches, or found by comparing two texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from devlint.core.lazy_regex import regex

LineOf = Callable[[bytes], bytes]

_MOST_PAIRS = 25_000_000
"""Of equal lines in two texts; the comparison looks at each."""
_MOST_SQUARE = 4 * _MOST_PAIRS
"""Of all lines: it may be done again for each that is equal."""
_HUNK = regex(rb"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_JSON_END = regex(rb'(?:\\r)?(?:\\n)?",?\Z')
_NO_TEXT = regex(rb'Binary files .* and ("?b/.*) differ')
_ESCAPE = regex(rb'\\([0-7]{3}|[abfnrtv"\\])')
_ESCAPED = dict(zip(b'abfnrtv"\\', b'\a\b\f\n\r\t\v"\\'))


def added_by_patch(patch: Iterable[bytes]) -> Iterator[tuple[bytes | None, bytes, set[int] | None]]:
    """For each file of a patch, given line by line, that still exists its old and new name and the rows added to it.

    The old name is None for a new file; the rows are None where git takes the file for no text.
    """
    lines = (line.removesuffix(b"\n") for line in patch)
    old: bytes | None = None
    new: bytes | None = None
    rows: set[int] = set()
    for line in lines:
        if line.startswith(b"diff --git "):
            if new is not None:
                yield old, new, rows
            old, new, rows = None, None, set()
        elif line.startswith(b"--- "):
            old = _file_name(line[4:])
        elif line.startswith(b"+++ "):
            new = _file_name(line[4:])
        elif line.startswith(b"rename from "):
            old = _file_name(line[len(b"rename from ") :], prefix=0)
        elif line.startswith(b"rename to "):
            new = _file_name(line[len(b"rename to ") :], prefix=0)
        elif found := _NO_TEXT.fullmatch(line):
            name = _file_name(found[1], prefix=0)
            if name is not None:
                yield None, name.removeprefix(b"b/"), None
        elif line.startswith(b"@@ "):
            rows.update(_hunk(line, lines, line_of_file(new)))
    if new is not None:
        yield old, new, rows


def _hunk(head: bytes, lines: Iterator[bytes], line_of: LineOf) -> Iterator[int]:
    """The added rows of one hunk, whose lines are taken from ``lines``."""
    found = _HUNK.match(head)
    assert found is not None, head
    removed, row, added = (1 if text is None else int(text) for text in found.groups())
    last = row + added
    gone = set()
    while removed or row < last:
        line = next(lines)
        kind, text = line[:1], line_of(line[1:])
        if kind == b"-":
            gone.add(text)
        elif kind == b"+" and text not in gone:
            yield row
        removed -= kind in (b"-", b" ")
        row += kind in (b"+", b" ")


def line_of_file(name: bytes | None) -> LineOf:
    """What is compared of the lines of a file."""
    return _json_line if name is not None and name.endswith(b".ipynb") else _line


def _line(line: bytes) -> bytes:
    """A line without its ending."""
    return line.removesuffix(b"\r")


def _json_line(line: bytes) -> bytes:
    """A line of a notebook, the same whether another one follows it in its cell or not."""
    return _JSON_END.sub(b'"', line.strip())


def _file_name(text: bytes, prefix: int = len("b/")) -> bytes | None:
    """A name as patches have it, without its prefix; None for that of a file that is not there."""
    text = text.removesuffix(b"\t")
    if text == b"/dev/null":
        return None
    if text.startswith(b'"') and text.endswith(b'"'):
        text = _ESCAPE.sub(lambda found: bytes([_escaped(found[1])]), text[1:-1])
    return text[prefix:]


def _escaped(text: bytes) -> int:
    """The byte that an escape stands for."""
    return int(text, 8) if len(text) == 3 else _ESCAPED[text[0]]


def added_rows(old: bytes, new: bytes, line_of: LineOf) -> set[int]:
    """The rows of ``new`` that ``old`` does not have, whatever their line endings.

    Where it would take long to tell, those are all from the first that differs to the last.
    """
    from devlint.core.line_matches import LineMatcher

    before, after = (list(map(line_of, text.split(b"\n"))) for text in (old, new))
    first = 0
    while first < min(len(before), len(after)) and before[first] == after[first]:
        first += 1
    last = 0
    while last < min(len(before), len(after)) - first and before[-1 - last] == after[-1 - last]:
        last += 1
    before, after = before[first : len(before) - last], after[first : len(after) - last]
    if _is_dear(before, after):
        return set(range(first + 1, first + len(after) + 1))
    matcher = LineMatcher(before, after, False)
    rows: set[int] = set()
    for kind, _, _, start, end in matcher.get_opcodes():
        if kind in ("insert", "replace"):
            rows.update(range(first + start + 1, first + end + 1))
    return rows


def _is_dear(before: list[bytes], after: list[bytes]) -> bool:
    """Whether the comparison of two texts takes more than some seconds."""
    if len(before) * len(after) <= _MOST_PAIRS:
        return False
    counts = Counter(before)
    return len(before) * len(after) > _MOST_SQUARE or sum(map(counts.__getitem__, after)) > _MOST_PAIRS
