"""The cheap look at the bytes of a file that says which rules may find something in it, without parsing it."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Mapping, Sequence
    from typing import Callable, Optional, Union

    from devlint.looks.syntax_tree import SyntaxTree
    from devlint.rule_info import RuleInfo

POSSESSIVE = sys.version_info >= (3, 11)
"""Whether regular expressions may be possessive; without that words alone decide, which is slower and as right."""
_CAPITALS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ_"
_NO_CAPITALS = bytes(set(range(256)) - set(_CAPITALS))
_SPECIAL = frozenset(r"\.^$*+?{}[]()|")
"""Characters that say something else than themselves in a pattern."""
_PROSE_LENGTH = 46
"""A longer string holds no name of a device."""
_FORMATTED = r"[fFtT][rR]?[\"']"
"""Begins a string with code in it, which may hold the same quotes again: what follows on its line is no prose."""
_SHORT = (
    rb"\"(?!\"\")(?=[^\"\n]{0,%(n)d}\")(?:[^\"\\\n]++|\\.)*+\"|'(?!'')(?=[^'\n]{0,%(n)d}')(?:[^'\\\n]++|\\.)*+'"
    % {b"n": _PROSE_LENGTH}
)
_LONG = (
    rb"\"\"\"(?:[^\"\\]++|\\.|\"(?!\"\"))*+\"\"\"|'''(?:[^'\\]++|\\.|'(?!''))*+'''"
    rb"|\"(?!\"\")(?:[^\"\\\n]++|\\.)*+\"|'(?!'')(?:[^'\\\n]++|\\.)*+'"
)


def code_of(data: bytes) -> bytes:
    """A Python program without its comments and long strings; short ones stay, and all that follows on an f-string."""
    pieces = []
    start = 0
    for match in _lexemes().finditer(data):
        kind = match.lastindex
        if kind is None or kind > 2:
            continue
        at = match.start(kind)
        if kind == 2 and match.end() - at <= _PROSE_LENGTH:
            continue
        if _search(_FORMATTED)(data, data.rfind(b"\n", 0, at) + 1, at + 1):
            continue
        pieces.append(data[start:at])
        start = match.end()
        if kind == 2:
            pieces.append(b'""')
    return b"".join((*pieces, data[start:])) if pieces else data


class Prefilter:
    """Chooses among rules by what stands in a file."""

    def __init__(self, rules: Sequence[RuleInfo]) -> None:
        self._rules = rules
        words = {literal for rule in rules for literal in rule.literals}
        # A word is not looked for where a part of it is known to be missing.
        self._parts = {word: [one for one in words if one in word and one != word] for word in words}

    def by_words(self, data: bytes) -> list[RuleInfo]:
        """The rules one of whose words is in any file."""
        look = _Look(data, self._parts)
        return [rule for rule in self._rules if not rule.literals or look.has_word(rule)]

    def by_code(self, data: bytes) -> list[RuleInfo]:
        """The rules that may find something in a Python program."""
        look = _Look(data, self._parts)
        return [
            rule
            for rule in self._rules
            if (not rule.literals or look.has_word(rule)) and (not POSSESSIVE or look.has_pattern(rule))
        ]


class _Look:
    """One file, asked for words and patterns."""

    def __init__(self, data: bytes, parts: Mapping[bytes, Sequence[bytes]]) -> None:
        self._data = data
        self._parts = parts
        self._words: dict[bytes, bool] = {}
        self._in_data: dict[str, bool] = {}
        self._in_code: dict[str, bool] = {}
        self._capitals: Optional[bytes] = None
        """The capitals of the file: a few bytes, and those of any word that is in the file are in them."""
        self._code: Optional[bytes] = None
        self._is_parsed = False
        self._parsed: Optional[SyntaxTree] = None

    def has_word(self, rule: RuleInfo) -> bool:
        """Whether one of the rule's words is in the file."""
        words = self._words
        for literal in rule.literals:
            known = words.get(literal)
            if known or (known is None and self._holds(literal)):
                return True
        return False

    def _holds(self, literal: bytes) -> bool:
        """Whether a word is in the file, looked up once."""
        found = all(self._words.get(part, True) for part in self._parts[literal])
        capitals = literal.translate(None, _NO_CAPITALS)
        if found and capitals:
            if self._capitals is None:
                self._capitals = self._data.translate(None, _NO_CAPITALS)
            found = capitals in self._capitals
        found = found and literal in self._data
        self._words[literal] = found
        return found

    def has_pattern(self, rule: RuleInfo) -> bool:
        """Whether the code holds a pattern of the rule, and its own looks agree."""
        if rule.patterns and not any(self._matches(pattern) for pattern in rule.patterns):
            return False
        if rule.precheck and not _function(rule.precheck)(self._data):
            return False
        return not rule.look or self._may(rule.look)

    def _may(self, look: str) -> bool:
        """What a look says of the syntax tree; yes where the Python that runs makes none, or cannot go that deep."""
        tree = self._tree
        try:
            return tree is None or _function(look)(tree)
        except RecursionError:
            return True

    @property
    def _tree(self) -> Optional[SyntaxTree]:
        """Python's own syntax tree of the file, made once; None where there is none."""
        if not self._is_parsed:
            from devlint.looks.syntax_tree import parse

            self._is_parsed = True
            self._parsed = parse(self._data)
        return self._parsed

    def _matches(self, pattern: Union[str, tuple[str, ...]]) -> bool:
        """Whether the code holds a pattern, or all of several."""
        every = pattern if isinstance(pattern, tuple) else (pattern,)
        # A file holds a pattern in its comments at most seldom, and most files hold it nowhere.
        if not all(_holds(self._data, one, self._in_data) for one in every):
            return False
        return all(_holds(self._text(), one, self._in_code) for one in every)

    def _text(self) -> bytes:
        """The code of the file, taken out of it once."""
        if self._code is None:
            self._code = code_of(self._data)
        return self._code


def _holds(text: bytes, pattern: str, known: dict[str, bool]) -> bool:
    """Whether a text holds a pattern, looked up once."""
    if pattern not in known:
        known[pattern] = bool(_search(pattern)(text))
    return known[pattern]


_SEARCHES: dict[str, Callable[..., object]] = {}
_CHECKS: dict[str, Callable[..., bool]] = {}
_LEXEMES: list[re.Pattern[bytes]] = []


def _search(pattern: str) -> Callable[..., object]:
    """What looks for a pattern, made once; a plain word needs no regular expression."""
    if pattern not in _SEARCHES and _SPECIAL.isdisjoint(pattern):
        word = pattern.encode()
        _SEARCHES[pattern] = lambda data: word in data
    elif pattern not in _SEARCHES:
        import re

        _SEARCHES[pattern] = re.compile(pattern.encode()).search
    return _SEARCHES[pattern]


def _lexemes() -> re.Pattern[bytes]:
    """Finds the next comment or long string, past all code and short strings."""
    if not _LEXEMES:
        import re

        between = rb"(?:[^\"'#]++|" + _SHORT + rb")*+"
        _LEXEMES.append(re.compile(rb"(?s)" + between + rb"(?:(#[^\n]*+)|(" + _LONG + rb")|([\"']))?+"))
    return _LEXEMES[0]


def _function(name: str) -> Callable[..., bool]:
    """The function that ``module:function`` names."""
    if name not in _CHECKS:
        from importlib import import_module

        module, _, function = name.partition(":")
        _CHECKS[name] = getattr(import_module(module), function)
    return _CHECKS[name]
