"""Misspelled environment variables in text: shell commands and scripts, Dockerfiles, YAML, Markdown, strings."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache

from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.sources.text_kinds import Syntax
from devlint.torch_api.environment_variables import LITERALS, is_far, may_hold_variables, meant


class Mention(Record, order=True):
    """One misspelled name in a text."""

    start: int
    end: int
    name: str
    correct_name: str
    """The variable that was meant."""


_ANCHOR = regex("|".join(re.escape(literal.decode()) for literal in LITERALS))
_CHARACTER = regex(r"[\w-]")
_QUOTE = r"[bru]?\\?[\"']?"
_DECLARED = regex(
    r"(?:(?<![\w.-])(?:export|unset|setenv|readonly|printenv|ENV|ARG|declare(?:[ \t]+-\w+)+|typeset[ \t]+-x"
    r"|%(?:set_)?env)[ \t]+|(?:^|\s)(?:-[exE]|--env|--genv|-genv)(?:=|[ \t]+))" + _QUOTE + r"\Z"
)
_NAMED = regex(r"(?:^|[{,\s-])[\"']?name[\"']?:[ \t]*[\"']?\Z")
_IN_PROGRAM = regex(r"(?:\benvironb?(?:\.\w+\(|\[)|\b(?:getenvb?|putenv|unsetenv|setenv|delenv)\()\s*[bru]?\\?[\"']\Z")
_READ = regex(r"\$(?:[{(]|\{?env:)?\Z|%\Z")
_BEFORE_VALUE = regex(r"(?:^|[\s\"'`=;&|({,!])\Z")
_VALUE = regex(r"=(?!=)")
_LINE_START = regex(r"[ \t]*(?:#[ \t]*)?(?:-[ \t]+)?[\"']?\Z")
_ASSIGNED = regex(r"[ \t]*[:?+!]{0,2}=(?!=)")
_ENTRY = regex(r"[\"']?[ \t]*(?:=(?!=)|:(?:\s|\Z))")
_KEY = regex(r"(?P<indent>[ \t]*)(?:-[ \t]+)?(?P<key>\[[^\]]*\]|[\"']?[\w.-]+[\"']?)[ \t]*(?P<mark>[:=]|\Z)")
_ENVIRONMENT = regex(
    r"(?:\b|_)(?:set_?|pass_?)?(?:env|envs|environ|environments?|env_?vars?|\w*_?variables)\b", re.IGNORECASE
)
_SAYS_SO = regex(r"\btypos?\b|misspel|mis-spel|instead of|rather than|\brenam|deprecat", re.IGNORECASE)
_SHOWS = regex(r"\s*(?:[@$>]\s*)?(?:echo|print|printf|#)")
_NEWLINE = regex(r"\r\n|\r|\n")
_JOINS = ("\\\r\n", "\\\r", "\\\n")
_NEAR = 5_000
"""Characters of a line that are looked at before and after a name; a line of a megabyte may hold very many names."""


def mentions(text: str, *syntaxes: Syntax) -> list[Mention]:
    """The misspelled variables that ``text`` sets or reads, without those that it seems to have named itself."""
    blocks = _Blocks(text)
    found = [one for one in _candidates(text) if _is_environment(text, one, syntaxes, blocks)]
    own = {name for name, known in {(one.name, one.correct_name) for one in found} if _is_own(text, name, known)}
    return [one for one in found if one.name not in own]


def may_be_misspelled(data: bytes) -> bool:
    """Whether the bytes of a program may hold a misspelled name, wherever it stands and whatever for."""
    if not may_hold_variables(data):
        return False
    text = re.sub(r"\\[nrtvfab]", "  ", data.decode("utf-8", "replace"))
    words = {text[slice(*_word(text, anchor))] for anchor in _ANCHOR.finditer(text)}
    return any(meant(reading) is not None for word in words for reading in (word, word.partition("-")[0]))


def _candidates(text: str) -> Iterator[Mention]:
    """Every word that is a misspelled name, wherever it stands."""
    last = 0
    for anchor in _ANCHOR.finditer(text):
        if anchor.start() < last:
            continue
        start, last = _word(text, anchor)
        if text[start - 2 : start] == "${" and "-" in text[start:last]:
            last = text.index("-", start)
        name = text[start:last]
        known = meant(name) if not name.islower() else None
        if known is not None:
            yield Mention(start, last, name, known)


def _word(text: str, anchor: re.Match[str]) -> tuple[int, int]:
    """Where the word around an anchor begins and ends."""
    start, end = anchor.span()
    while start > 0 and _CHARACTER.match(text, start - 1):
        start -= 1
    while end < len(text) and _CHARACTER.match(text, end):
        end += 1
    return start, end


def _line(text: str, at: int) -> tuple[str, str]:
    """The line of a character, up to it and from it on, as far as it can matter."""
    starts = _line_starts(text)
    row = bisect_right(starts, at)
    end = starts[row] if row < len(starts) else len(text)
    return text[max(starts[row - 1], at - _NEAR) : at], text[at : min(end, at + _NEAR)].rstrip("\r\n")


@lru_cache(maxsize=2)
def _line_starts(text: str) -> list[int]:
    """Where the lines of a text begin, worked out once for all that stands in it."""
    return [0, *(found.end() for found in _NEWLINE.finditer(text))]


def _is_environment(text: str, one: Mention, syntaxes: tuple[Syntax, ...], blocks: _Blocks) -> bool:
    """Whether a misspelled name stands where the name of a variable of the environment does."""
    before, rest = _line(text, one.start)
    after = rest[one.end - one.start :]
    if _SAYS_SO.search(before) or _SAYS_SO.search(after):
        return False
    if _DECLARED.search(before) or _NAMED.search(before) or _IN_PROGRAM.search(before):
        return True
    if _BEFORE_VALUE.search(before) and _VALUE.match(after):
        return True
    if Syntax.PROSE in syntaxes and before.endswith("`") and after.startswith("`"):
        return not before.endswith("``") and not is_far(one.name)
    if is_far(one.name):
        return False
    if _READ.search(before):
        return not before.endswith("%") or after.startswith("%")
    if Syntax.ASSIGNMENTS in syntaxes and _LINE_START.match(before) and _ASSIGNED.match(after):
        return True
    in_block = Syntax.BLOCKS in syntaxes and _LINE_START.match(before) and _ENTRY.match(after)
    return bool(in_block) and blocks.is_environment(one.start, before)


class _Blocks:
    """The blocks of a text that is indented as YAML is, or has headed sections."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._known: dict[tuple[int, int], bool] = {}
        """By row and indentation: a long block is walked up once and not from every line of it."""

    def is_environment(self, at: int, before: str) -> bool:
        """Whether the block that a line belongs to is called ``env``, ``environment``, ``variables`` or so."""
        indent = len(before) - len(before.lstrip(" \t"))
        starts = _line_starts(self._text)
        below = row = bisect_right(starts, at) - 1
        answer = False
        while row > 0 and (row, indent) not in self._known:
            line = self._text[starts[row - 1] : starts[row]].rstrip("\r\n")
            found = _KEY.match(line)
            if found is not None and not line.lstrip().startswith("#"):
                if found["key"].startswith("[") or (found["mark"] and len(found["indent"]) < indent):
                    answer = _ENVIRONMENT.search(found["key"]) is not None
                    break
            row -= 1
        else:
            answer = self._known.get((row, indent), False)
        self._known[below, indent] = answer
        return answer


def is_turned(text: str, name: str, known: str) -> bool:
    """Whether a line of the text holds both a misspelled name and the right one: it turns one into the other."""
    right = re.compile(rf"(?<![\w-]){known}(?![\w-])")
    lines = dict.fromkeys((start, end) for _, start, end in _on_lines(text, name))
    return any(right.search(text, start, end) for start, end in lines)


def _words(text: str, name: str) -> Iterator[re.Match[str]]:
    return re.finditer(rf"(?<![\w-]){re.escape(name)}(?!\w)", text)


def _is_own(text: str, name: str, known: str) -> bool:
    """Whether the text turns a name into the right one, or sets it and reads it again."""
    if is_turned(text, name, known):
        return True
    assigned = read = False
    for found, start, _ in _on_lines(text, name):
        reads = _READ.search(text[max(start, found.start() - _NEAR) : found.start()]) is not None
        read = read or (reads and not _SHOWS.match(text[start : min(found.start(), start + _NEAR)]))
        assigned = assigned or (not reads and _ASSIGNED.match(text, found.end()) is not None)
    return assigned and read


def _on_lines(text: str, name: str) -> Iterator[tuple[re.Match[str], int, int]]:
    """Where a name stands, with the start and the end of the line, which backslashes may have joined of several."""
    starts = _line_starts(text)
    start = end = 0
    for found in _words(text, name):
        if found.start() >= end:
            row = bisect_right(starts, found.start())
            first, last = row, row
            while first > 1 and _is_joined(text, starts[first - 1]):
                first -= 1
            while last < len(starts) and _is_joined(text, starts[last]):
                last += 1
            start, end = starts[first - 1], starts[last] if last < len(starts) else len(text)
        yield found, start, end


def _is_joined(text: str, start: int) -> bool:
    """Whether a backslash joins the line above to the one that begins at ``start``."""
    return text.endswith(_JOINS, 0, start)
