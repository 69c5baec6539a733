"""The cheap look at the bytes of a file that says which rules may find something in it, without parsing it."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from devlint.core.rule_info import RuleInfo
    from devlint.rules.prefilter.looks.syntax_tree import SyntaxTree

POSSESSIVE = sys.version_info >= (3, 11)
"""Whether regular expressions may be possessive; without that words alone decide, which is slower and as right."""
_CAPITALS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ_"
_NO_CAPITALS = bytes(set(range(256)) - set(_CAPITALS))
_SPECIAL = frozenset(r"\.^$*+?{}[]()|")
"""Characters that say something else than themselves in a pattern."""
_MOST_BYTES = 20_000_000
"""Of a file that is asked for patterns; no parser takes one half as large."""
MANY_COMMENTS = 1_000
"""Patterns skip comments, and from each word in one all those that follow: where there are many, they go first."""
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

    def __init__(self, rules: Sequence[RuleInfo], device: str = "") -> None:
        """``device`` is the name by which the project has its device, if the configuration says so."""
        self._device = device
        self._rules: dict[tuple[bytes, ...], list[RuleInfo]] = {}
        """Rules that share their words are asked for them once."""
        for rule in rules:
            self._rules.setdefault(rule.literals, []).append(rule)
        words = {word for literals in self._rules for word in literals}
        self._words = {word: _Word(word, words) for word in words}

    def by_words(self, data: bytes) -> list[RuleInfo]:
        """The rules one of whose words is in any file."""
        return sorted(self._with_words(_Look(data, self._words)), key=_code)

    def by_code(self, data: bytes, can: Callable[[RuleInfo], bool] = lambda _: True) -> list[RuleInfo]:
        """The rules that may find something in a Python program, of those that ``can``."""
        if not POSSESSIVE:
            return [*filter(can, self.by_words(data))]
        look = _Look(data, self._words, self._device)
        rules = sorted((one for one in self._with_words(look) if look.has_pattern(one) and can(one)), key=_code)
        return rules if look.is_worth_parsing(rules) else []

    def _with_words(self, look: _Look) -> Iterator[RuleInfo]:
        for literals, rules in self._rules.items():
            if not literals or any(map(look.has, literals)):
                yield from rules


class _Word:
    """What a word must have in it to be in a file."""

    def __init__(self, word: bytes, words: Iterable[bytes]) -> None:
        self.parts = sorted((one for one in words if one in word and one != word), key=len)
        """Other words, which are looked for anyway."""
        self.capitals = word.translate(None, _NO_CAPITALS)


class _Look:
    """One file, asked for words and patterns."""

    def __init__(self, data: bytes, words: Mapping[bytes, _Word], device: str = "") -> None:
        self._data = data
        self._device = device
        self._words = words
        self._has: dict[bytes, bool] = {}
        self._in_data: dict[str, bool] = {}
        self._in_code: dict[str, bool] = {}
        self._capitals = data.translate(None, _NO_CAPITALS)
        """The capitals of the file: a few bytes, and those of any word that is in the file are in them."""
        self._code: bytes | None = None
        self._comments: int | None = None
        self._is_parsed = False
        self._parsed: SyntaxTree | None = None

    def has(self, word: bytes) -> bool:
        """Whether a word is in the file, looked up once, and only where nothing that is part of it is missing."""
        found = self._has.get(word)
        if found is None:
            known = self._words[word]
            found = all(map(self.has, known.parts)) and known.capitals in self._capitals and word in self._data
            self._has[word] = found
        return found

    def has_pattern(self, rule: RuleInfo) -> bool:
        """Whether the code holds a pattern of the rule, and its own look at the bytes agrees."""
        if rule.patterns and not any(map(self._matches, rule.patterns)):
            return False
        return not rule.precheck or _function(rule.precheck)(self._data)

    def is_worth_parsing(self, rules: Sequence[RuleInfo]) -> bool:
        """Whether the syntax tree speaks for one of the rules, or need not be asked for one.

        A tree costs far more than what the other rules do in a file that is parsed for one of them.
        """
        if any(not rule.look or any(map(self._matches, rule.sure)) for rule in rules):
            return True
        return any(self._may(rule.look) for rule in rules)

    def _may(self, look: str) -> bool:
        """What a look says of the syntax tree; yes where the Python that runs makes none, or cannot go that deep."""
        tree = self._tree
        try:
            return tree is None or _function(look)(tree)
        except RecursionError:
            return True

    @property
    def _tree(self) -> SyntaxTree | None:
        """Python's own syntax tree of the file, made once; None where there is none."""
        if not self._is_parsed:
            from devlint.rules.prefilter.looks.syntax_tree import parse

            self._is_parsed = True
            self._parsed = parse(self._data, self._device)
        return self._parsed

    def _matches(self, pattern: str | tuple[str, ...]) -> bool:
        """Whether the code holds a pattern, or all of several."""
        if len(self._data) > _MOST_BYTES:
            return True
        every = pattern if isinstance(pattern, tuple) else (pattern,)
        # A file holds a pattern in its comments at most seldom, and most files hold it nowhere.
        for one in () if self._is_commented else every:
            if not _holds(self._data, one, self._in_data):
                return False
        return all(_holds(self._text(), one, self._in_code) for one in every)

    @property
    def _is_commented(self) -> bool:
        """Whether there are too many comments to look for patterns among them."""
        if self._comments is None:
            self._comments = self._data.count(b"#")
        return self._comments > MANY_COMMENTS

    def _text(self) -> bytes:
        """The code of the file, taken out of it once."""
        if self._code is None:
            self._code = code_of(self._data)
        return self._code


def _code(rule: RuleInfo) -> str:
    return rule.code


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
