"""Misspelled environment variables in text: shell commands and scripts, Dockerfiles, YAML, Markdown, strings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Optional

from devlint.text_kinds import Syntax
from devlint.variable_names import LITERALS, is_far, meant


@dataclass(frozen=True, order=True)
class Mention:
    """One misspelled name in a text."""

    start: int
    end: int
    name: str
    known: str
    """The variable that was meant."""


_ANCHOR = re.compile("|".join(re.escape(literal.decode()) for literal in LITERALS))
_CHARACTER = re.compile(r"[\w-]")
_QUOTE = r"[bru]?\\?[\"']?"
_DECLARED = re.compile(
    r"(?:(?<![\w.-])(?:export|unset|setenv|readonly|printenv|ENV|ARG|declare(?:[ \t]+-\w+)+|typeset[ \t]+-x"
    r"|%(?:set_)?env)[ \t]+|(?:^|\s)(?:-[exE]|--env|--genv|-genv)(?:=|[ \t]+))" + _QUOTE + r"\Z"
)
_NAMED = re.compile(r"(?:^|[{,\s-])[\"']?name[\"']?:[ \t]*[\"']?\Z")
_IN_PROGRAM = re.compile(
    r"(?:\benvironb?(?:\.\w+\(|\[)|\b(?:getenvb?|putenv|unsetenv|setenv|delenv)\()\s*[bru]?\\?[\"']\Z"
)
_READ = re.compile(r"\$(?:[{(]|\{?env:)?\Z|%\Z")
_BEFORE_VALUE = re.compile(r"(?:^|[\s\"'`=;&|({,!])\Z")
_VALUE = re.compile(r"=(?!=)")
_LINE_START = re.compile(r"[ \t]*(?:#[ \t]*)?(?:-[ \t]+)?[\"']?\Z")
_ASSIGNED = re.compile(r"[ \t]*[:?+!]{0,2}=(?!=)")
_ENTRY = re.compile(r"[\"']?[ \t]*(?:=(?!=)|:(?:\s|\Z))")
_KEY = re.compile(r"(?P<indent>[ \t]*)(?:-[ \t]+)?(?P<key>\[[^\]]*\]|[\"']?[\w.-]+[\"']?)[ \t]*(?P<mark>[:=]|\Z)")
_ENVIRONMENT = re.compile(
    r"(?:\b|_)(?:set_?|pass_?)?(?:env|envs|environ|environments?|env_?vars?|\w*_?variables)\b", re.IGNORECASE
)
_SAYS_SO = re.compile(r"\btypos?\b|misspel|mis-spel|instead of|rather than|\brenam|deprecat", re.IGNORECASE)
_SHOWS = re.compile(r"\s*(?:[@$>]\s*)?(?:echo|print|printf|#)")


def mentions(text: str, *syntaxes: Syntax) -> list[Mention]:
    """The misspelled variables that ``text`` sets or reads, without those that it seems to have named itself."""
    found = [one for one in _candidates(text) if _is_environment(text, one, syntaxes)]
    return [one for one in found if not _is_own(text, one)]


def _candidates(text: str) -> Iterator[Mention]:
    """Every word that is a misspelled name, wherever it stands."""
    last = 0
    for anchor in _ANCHOR.finditer(text):
        if anchor.start() < last:
            continue
        start, last = anchor.span()
        while start > 0 and _CHARACTER.match(text, start - 1):
            start -= 1
        while last < len(text) and _CHARACTER.match(text, last):
            last += 1
        if text[start - 2 : start] == "${" and "-" in text[start:last]:
            last = text.index("-", start)
        name = text[start:last]
        known = meant(name) if not name.islower() else None
        if known is not None:
            yield Mention(start, last, name, known)


def _line(text: str, at: int) -> tuple[str, str]:
    """The line of a character, up to it and from it on."""
    start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    end = re.compile(r"[\r\n]|\Z").search(text, at)
    return text[start:at], text[at : end.start() if end else len(text)]


def _is_environment(text: str, one: Mention, syntaxes: tuple[Syntax, ...]) -> bool:
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
    return bool(in_block) and _in_environment_block(text[: one.start - len(before)], before)


def _in_environment_block(above: str, before: str) -> bool:
    """Whether the block that a line belongs to is called ``env``, ``environment``, ``variables`` or so."""
    indent = len(before) - len(before.lstrip(" \t"))
    for line in reversed(above.splitlines()):
        found = _KEY.match(line)
        if found is None or line.lstrip().startswith("#"):
            continue
        heads = found["key"].startswith("[") or (found["mark"] and len(found["indent"]) < indent)
        if heads:
            return _ENVIRONMENT.search(found["key"]) is not None
    return False


def is_turned(text: str, name: str, known: str) -> bool:
    """Whether a line of the text holds both a misspelled name and the right one: it turns one into the other."""
    right = re.compile(rf"(?<![\w-]){known}(?![\w-])")
    around = (_whole_line(text, found.start()) for found in _words(text, name))
    return any(right.search(before) or right.search(rest) for before, rest in around)


def _words(text: str, name: str) -> Iterator[re.Match[str]]:
    return re.finditer(rf"(?<![\w-]){re.escape(name)}(?!\w)", text)


def _is_own(text: str, one: Mention) -> bool:
    """Whether the text turns a name into the right one, or sets it and reads it again."""
    if is_turned(text, one.name, one.known):
        return True
    assigned = read = False
    for found in _words(text, one.name):
        before, rest = _whole_line(text, found.start())
        reads = _READ.search(before) is not None
        read = read or (reads and not _SHOWS.match(before))
        assigned = assigned or (not reads and _ASSIGNED.match(rest[len(one.name) :]) is not None)
    return assigned and read


def _whole_line(text: str, at: int) -> tuple[str, str]:
    """The line of a character with those that backslashes join to it."""
    before, rest = _line(text, at)
    start, end = at - len(before), at + len(rest)
    while (above := _above(text, start)) is not None:
        start = above
    while text[start:end].endswith("\\") and end < len(text):
        end = end + len(_NEXT_LINE.match(text, end).group())  # type: ignore[union-attr]
    return text[start:at], text[at:end]


_NEXT_LINE = re.compile(r"(?:\r\n|\r|\n)[^\r\n]*")
_JOINED = re.compile(r"[^\r\n]*\\(?:\r\n|\r|\n)\Z")


def _above(text: str, start: int) -> Optional[int]:
    """Where the line above begins, if a backslash joins it to the one that begins at ``start``."""
    if start < 2:
        return None
    begin = max(text.rfind("\n", 0, start - 2), text.rfind("\r", 0, start - 2)) + 1
    return begin if _JOINED.match(text[begin:start]) else None
