"""Suppressions of blocks, ``# devlint: disable=CODES`` and ``# devlint: enable=CODES``, in pylint's scopes.

On a line of its own, such a comment speaks for what follows in its block: outside of all for the rest of the file, or
of the notebook's cell. Behind code it speaks for that line, and for the block that the line begins.
"""

from __future__ import annotations

from devlint.core.diagnostic import Location, Span
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.sources.comments import Comment, comments
from devlint.sources.suppressions.suppression_codes import OURS
from devlint.sources.suppressions.suppression_syntax import Directive, written_codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from devlint.sources.source import Source

_HINT = regex(r"#[ \t]*devlint[ \t]*:[ \t]*(?:dis|en)able\b", 2)  # re.IGNORECASE
_BLOCK = regex(
    r"#[ \t]*devlint[ \t]*:[ \t]*(?P<word>disable|enable)(?![\w-])"
    r"(?:[ \t]*=[ \t]*(?P<codes>[\w-]+(?:[ \t]*,[ \t]*[\w-]+)*)|[ \t]*\[(?P<listed>[^\]]*)\])?",
    2,
)
_ALL = ("all", "ALL")


class _Line(Record):
    """A logical line: the rows that it takes, and how far it is indented."""

    rows: range
    indentation: int
    cell: int | None


class _Comment(Record):
    """One comment that begins or ends a suppression, and the rows that it speaks for."""

    directive: Directive
    ends: bool
    rows: range


def block_directives(source: Source) -> list[Directive]:
    """The suppressions of blocks in a program, with the parts in which their codes are off; none without tokens."""
    if "able" not in source.text or not _HINT.search(source.text):
        return []
    try:
        found = [one for one in comments(source) if _HINT.match(one.text)]
        lines = _lines(source) if found else []
    except ValueError:
        return []
    made = [one for comment in found for one in _read(source, comment, lines)]
    return [_with_parts(one, made) for one in made]


def _read(source: Source, comment: Comment, lines: Sequence[_Line]) -> Iterator[_Comment]:
    """What a comment says; nothing where all that it names is unknown."""
    match = _BLOCK.match(comment.text)
    if match is None:
        return
    group = "codes" if match["codes"] else "listed"
    named = match[group] or ""
    codes = () if named in _ALL else written_codes(comment.start + match.start(group), named)
    is_end = match["word"].lower() == "enable"
    if not codes and named not in _ALL and (match[group] is not None or not is_end):
        return
    following = comment.text.find("#", match.end())
    end = len(comment.text) if following < 0 else following
    span = Span(comment.start, comment.start + end)
    reason = comment.text[match.end() : end]
    directive = Directive(span, codes, range(0), True, False, reason, set())
    if directive.concerns_us():
        yield _Comment(directive, is_end, _scope(source, comment, lines))


def _scope(source: Source, comment: Comment, lines: Sequence[_Line]) -> range:
    """The rows that a comment speaks for."""
    place = source.location(comment.start)
    before = [one for one in lines if one.rows.start <= place.row]
    after = lines[len(before) :]
    if before and place.row in before[-1].rows:
        if comment.alone:
            return range(place.row, before[-1].rows.stop)
        opens = after and after[0].indentation > before[-1].indentation
        return range(comment.rows.start, _end(after, after[0].indentation, source) if opens else comment.rows.stop)
    cell = source.display_location(place).cell
    depth = min(place.column - 1, before[-1].indentation if before else place.column)
    if after and after[0].cell == cell:
        depth = max(depth, after[0].indentation)
    return range(place.row, _end(after, depth, source, cell))


def _end(after: Sequence[_Line], depth: int, source: Source, cell: int | None = None) -> int:
    """The row of the first line that is no longer in a block of some depth, or in a cell."""
    cell = after[0].cell if after and cell is None else cell
    outside = (one.rows.start for one in after if one.indentation < depth or one.cell != cell)
    return next(outside, source.row_count + 1)


def _lines(source: Source) -> list[_Line]:
    """The logical lines of a program; raises ValueError where Python's tokenizer gives up."""
    import io
    import tokenize

    text = source.text.replace("\r\n", "\n").replace("\r", "\n")
    found: list[_Line] = []
    first: tuple[int, int] | None = None
    skipped = (tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER, tokenize.COMMENT, tokenize.NL)
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in skipped:
                continue
            first = first or token.start
            if token.type == tokenize.NEWLINE:
                cell = source.display_location(Location(first[0], first[1] + 1)).cell
                found.append(_Line(range(first[0], token.end[0] + 1), first[1], cell))
                first = None
    except (tokenize.TokenError, SyntaxError) as error:
        raise ValueError(str(error)) from None
    return found


def _with_parts(one: _Comment, every: Sequence[_Comment]) -> Directive:
    """A suppression with the parts in which its codes are off; what ends some has no rows of its own."""
    if one.ends:
        return one.directive.replace(parts=(), ends=True)
    later = [
        other
        for other in every
        if other.ends and one.directive.span < other.directive.span and other.rows.start < one.rows.stop
    ]
    edges = {one.rows.start, one.rows.stop}
    for other in later:
        other.directive.used.update(_ended(other.directive, one.directive))
        edges.update(edge for edge in (other.rows.start, other.rows.stop) if edge in one.rows)
    return one.directive.replace(parts=tuple(_parts(one, sorted(edges), later)))


def _ended(one: Directive, other: Directive) -> Iterator[str]:
    """The codes of a comment that ends suppressions for which another one has begun one."""
    begun = tuple(code for code, _ in other.codes)
    if not one.codes:
        yield OURS
    for code, _ in one.codes:
        if not begun or code.startswith(begun) or any(each.startswith(code) for each in begun):
            yield code


def _parts(one: _Comment, edges: Sequence[int], later: Sequence[_Comment]) -> Iterator[Directive]:
    """The directive for each run of rows in which the same codes are off."""
    for start, stop in zip(edges, edges[1:]):
        ends = [other.directive for other in later if start in other.rows]
        if all(other.codes for other in ends):
            excepted = tuple(code for other in ends for code, _ in other.codes)
            yield one.directive.replace(rows=range(start, stop), excepted=excepted)
