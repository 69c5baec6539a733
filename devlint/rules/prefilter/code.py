"""The text of a program, asked for regular expressions: first as it is, then without comments and long strings."""

from __future__ import annotations

from devlint.syntax.python_tree.code_text import POSSESSIVE, code_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable

    from devlint.analysis.project.project import Project

    GivesProject = Callable[[], Project] | None

_SPECIAL = frozenset(r"\.^$*+?{}[]()|")
"""Characters that say something else than themselves in a pattern."""
_MOST_BYTES = 20_000_000
"""Of a file that is asked for patterns; no parser takes one half as large."""
_MANY_COMMENTS = 1_000
"""Patterns skip comments, and from each word in one all those that follow: where there are many, they go first."""


class Code:
    """The bytes of a program; what was looked for in them is looked for once."""

    def __init__(self, data: bytes, gives_project: GivesProject = None) -> None:
        """``gives_project`` gives the project of the file, where that may be asked."""
        self.data = data
        self.gives_project = gives_project
        self._in_data: dict[str, bool] = {}
        self._in_code: dict[str, bool] = {}
        self._without_comments: bytes | None = None
        self.is_searched = POSSESSIVE and len(data) <= _MOST_BYTES
        """Whether regular expressions are asked at all; where they are not, they may all match."""
        self._comments: int | None = None

    def holds(self, pattern: str | tuple[str, ...]) -> bool:
        """Whether the code holds a pattern, or all of several; yes where it is not to be asked."""
        if not self.is_searched:
            return True
        every = pattern if isinstance(pattern, tuple) else (pattern,)
        # A file holds a pattern in its comments at most seldom, and most files hold it nowhere.
        for one in () if self._is_commented else every:
            if not _holds(self.data, one, self._in_data):
                return False
        return all(_holds(self.text, one, self._in_code) for one in every)

    def holds_where(self, patterns: Iterable[str], is_meant: Callable[[bytes, int, int], bool]) -> bool:
        """Whether one of the patterns matches where a function of the text, of its start and of its end says yes."""
        if not self.is_searched:
            return True
        every = [*map(_compiled, patterns)]

        def matches(text: bytes) -> bool:
            return any(is_meant(text, *one.span()) for each in every for one in each.finditer(text))

        return (self._is_commented or matches(self.data)) and matches(self.text)

    @property
    def text(self) -> bytes:
        """The program without its comments and long strings."""
        if self._without_comments is None:
            self._without_comments = code_of(self.data)
        return self._without_comments

    @property
    def _is_commented(self) -> bool:
        """Whether there are too many comments to look for patterns among them."""
        if self._comments is None:
            self._comments = self.data.count(b"#")
        return self._comments > _MANY_COMMENTS


def _holds(text: bytes, pattern: str, known: dict[str, bool]) -> bool:
    """Whether a text holds a pattern, looked up once."""
    if pattern not in known:
        known[pattern] = bool(_search(pattern)(text))
    return known[pattern]


_SEARCHES: dict[str, Callable[..., object]] = {}
_COMPILED: dict[str, re.Pattern[bytes]] = {}


def _search(pattern: str) -> Callable[..., object]:
    """What looks for a pattern, made once; plain words that are not there need no regular expression."""
    if pattern not in _SEARCHES:
        from devlint.core.regex_fragments import any_of, words_of

        word = pattern.encode()
        words = words_of(pattern)
        if _SPECIAL.isdisjoint(pattern):
            _SEARCHES[pattern] = lambda data: word in data
        elif len(words) > 1:
            ends = [(one.encode(), any_of([one])) for one in words]
            _SEARCHES[pattern] = lambda data: any(one in data and _compiled(end).search(data) for one, end in ends)
        else:
            _SEARCHES[pattern] = _compiled(pattern).search
    return _SEARCHES[pattern]


def _compiled(pattern: str) -> re.Pattern[bytes]:
    if pattern not in _COMPILED:
        import re

        _COMPILED[pattern] = re.compile(pattern.encode())
    return _COMPILED[pattern]
