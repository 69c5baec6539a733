"""Python in what is no program: fenced blocks of Markdown, directives of reStructuredText, and ``>>>`` prompts."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property
from os.path import commonprefix

from devlint.core.lazy_regex import regex
from devlint.core.record import Record

_LINE = regex(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_QUOTED = r"[ \t]*(?:>[ \t]*)*"
_FENCE = regex(rf"(?P<before>{_QUOTED})(?P<fence>`{{3,}}(?=[^`]*\Z)|~{{3,}})[ \t]*(?P<info>.*)", re.DOTALL)
_CLOSER = regex(rf"{_QUOTED}(`+|~+)\s*\Z")
_DIRECTIVE = regex(
    r"(?P<indent>[ \t]*)\.\. (?:code-block|code|sourcecode|testcode|doctest|prompt)::[ \t]*(?P<language>\S*)"
)
_LANGUAGE = regex(
    r"(?:\{?\.?(?:python3?|py3?|pycon3?|ipython3?|pytb)(?![\w.+-])|\{(?:code-cell|code-block|code|sourcecode)\}"
    r"[ \t]*(?:i?python3?|py)\b|\{(?:testcode|doctest)\})",
    re.IGNORECASE,
)
_RST_LANGUAGES = frozenset("python python3 py py3 pycon ipython ipython3 doctest".split())
_OPTION = regex(r"[ \t]*:[\w-]+:(?:[ \t]|$)")
_PROMPT = regex(r"(?P<before>[ \t]*)(?P<prompt>>>>|\.\.\.)(?: (?P<code>.*)|)\Z")


class Row(Record):
    """One row of Python."""

    text: str
    start: int
    """Where the text begins in the document."""
    line: int
    """Where its line begins there."""
    after: int
    """Where a row below it would begin, below what it prints; -1 where the line is the last and has no end."""
    before: str
    """What stands before the rows of its block, apart from prompts."""
    prompt: str = ""
    """``>>>`` or ``...`` where there is one."""
    prints: bool = False
    """Whether what it prints stands below it."""


Block = tuple[Row, ...]


class Markup(Record):
    """How Python is marked in a document."""

    fences: bool = False
    directives: bool = False
    prompts: bool = False
    """Whether prompts need nothing around them."""


MARKDOWN = Markup(fences=True)
RST = Markup(directives=True, prompts=True)
DOCSTRING = Markup(fences=True, directives=True, prompts=True)


class _Line(Record):
    """A line of a document without its ending, and where it begins and the next one does."""

    text: str
    start: int
    after: int


def code_blocks(text: str, markup: Markup, start: int = 0, end: int | None = None) -> Iterator[Block]:
    """The blocks of Python in a document, or in a part of it, whatever they hold."""
    lines = list(_lines(text, start, len(text) if end is None else end))
    closers = _Closers(lines)
    at = 0
    while at < len(lines):
        fence = _FENCE.match(lines[at].text) if markup.fences else None
        directive = _DIRECTIVE.match(lines[at].text) if markup.directives else None
        stop = None
        if fence is not None:
            stop = closers.below(at, fence["fence"])
            if stop is not None and _LANGUAGE.match(fence["info"]):
                yield from _block(_without_options(lines[at + 1 : stop]), fence["before"])
            stop = None if stop is None else stop + 1
        elif directive is not None:
            stop = _outdented(lines, at + 1, len(directive["indent"].expandtabs()))
            if directive["language"].lower() in _RST_LANGUAGES or "doctest::" in directive[0]:
                yield from _block(_without_options(lines[at + 1 : stop]), "")
        elif markup.prompts and (found := _PROMPT.match(lines[at].text)) and found["prompt"] == ">>>":
            stop = next((row for row in range(at, len(lines)) if not lines[row].text.strip()), len(lines))
            yield from _block(lines[at:stop], found["before"])
        at = at + 1 if stop is None else max(stop, at + 1)


def _lines(text: str, start: int, end: int) -> Iterator[_Line]:
    for found in _LINE.finditer(text, start, end):
        line = found.group()
        bare = line.rstrip("\r\n")
        yield _Line(bare, found.start(), -1 if bare == line else found.end())


class _Closers:
    """The lines that close fences, each looked at once however many fences nothing closes."""

    def __init__(self, lines: Sequence[_Line]) -> None:
        self._lines = lines
        self._open: dict[str, int] = {}
        """By character, the length of the shortest fence that nothing closed: nothing below closes a longer one."""

    def below(self, at: int, fence: str) -> int | None:
        """The line that closes the fence in a line."""
        character, length = fence[0], len(fence)
        if length >= self._open.get(character, length + 1):
            return None
        rows = self._rows[character]
        for index in range(bisect_left(rows, (at + 1,)), len(rows)):
            if rows[index][1] >= length:
                return rows[index][0]
        self._open[character] = length
        return None

    @cached_property
    def _rows(self) -> dict[str, list[tuple[int, int]]]:
        """By character, the lines that hold nothing else, with how often."""
        found: dict[str, list[tuple[int, int]]] = {"`": [], "~": []}
        for row, line in enumerate(self._lines):
            closer = _CLOSER.match(line.text)
            if closer is not None:
                found[closer[1][0]].append((row, len(closer[1])))
        return found


def _outdented(lines: Sequence[_Line], at: int, width: int) -> int:
    """The line below those that stand further right than ``width``."""
    for row in range(at, len(lines)):
        text = lines[row].text.expandtabs()
        if text.strip() and len(text) - len(text.lstrip()) <= width:
            return row
    return len(lines)


def _without_options(lines: Sequence[_Line]) -> Sequence[_Line]:
    """The lines of a directive below its options."""
    at = 0
    if lines and lines[0].text.strip() == "---":
        at = next((row + 1 for row in range(1, len(lines)) if lines[row].text.strip() == "---"), 0)
    while at < len(lines) and _OPTION.match(lines[at].text):
        at += 1
    return lines[at:]


def _block(lines: Sequence[_Line], before: str) -> Iterator[Block]:
    """The rows of a block, if there are some, whose lines begin with ``before`` or as far as they have it."""
    margin = _margin([line.text for line in lines if line.text.strip(" \t>")], before)
    prompted = any(line.text[len(margin) :].startswith(">>>") for line in lines if line.text.startswith(margin))
    rows = list(_prompted(lines, margin) if prompted else (_plain(line, margin) for line in lines))
    if any(row.text.strip() for row in rows):
        yield tuple(rows)


def _margin(texts: Sequence[str], before: str) -> str:
    """What all lines begin with that is no code: quotation marks of a block quote, and white space."""
    quotes = before[: before.rfind(">") + 1]
    if not all(text.startswith(quotes) for text in texts):
        return ""
    rests = [text[len(quotes) :] for text in texts]
    margin = re.match(r"[ \t]*", rests[0]).group() if rests else ""  # type: ignore[union-attr]
    return quotes + commonprefix([margin, *rests])


def _plain(line: _Line, margin: str) -> Row:
    """A row of a block without prompts; a blank one may be shorter than its margin."""
    inner = line.text[len(margin) :] if line.text.startswith(margin) else ""
    return Row(inner, line.start + len(line.text) - len(inner), line.start, line.after, margin)


def _prompted(lines: Sequence[_Line], margin: str) -> Iterator[Row]:
    """The rows of a session; what stands below one, down to an empty line, is what it prints."""
    waiting: Row | None = None
    is_open = False
    for line in lines:
        found = _PROMPT.match(line.text, len(margin)) if line.text.startswith(margin) else None
        if found and (found["prompt"] == ">>>" or (is_open and waiting and not waiting.prints)):
            if waiting is not None:
                yield waiting
            code = found["code"] or ""
            at = line.start + len(line.text) - len(code)
            waiting = Row(code, at, line.start, line.after, line.text[: found.start("prompt")], found["prompt"])
            is_open = True
        elif not line.text.strip(" \t>"):
            is_open = False
        elif waiting is not None and is_open:
            waiting = waiting.replace(after=line.after, prints=True)
    if waiting is not None:
        yield waiting
