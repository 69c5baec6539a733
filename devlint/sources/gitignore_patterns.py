"""Patterns as git has them, by pathspec, matched in bounded time.

A pattern is a regular expression to pathspec. One with several stars would try every way to divide a name among them,
which never ends for ``*a*a*a*a*a*a*b`` and a name of a hundred letters. But what stands between two stars may always
match as early as it can, since the second star takes whatever is left; so does what stands between two ``**``.
"""

from __future__ import annotations

import re
import sys
import warnings

from devlint.core.lazy_regex import regex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from pathspec import GitIgnoreSpec

MAX_PATTERN = 10_000
"""Characters of one pattern; no path is as long."""
_STAR, _ANY, _GAP, _HEAD = "[^/]*", "[^/]", "(?:/.+)?", "(?:.+/)?"
"""What pathspec writes for ``*``, ``?``, an inner ``/**`` and a ``**/`` at the head."""
_NO_SLASH = "(?!/)"
_CLASS = regex(r"\\.|\[\^?\]?[^\]]*\]")
"""A set of characters, or something that looks like the beginning of one and is none."""
_FEW = 2
"""Stars that a name, and double stars that a path, is divided among fast enough."""


def git_spec(lines: Iterable[str]) -> GitIgnoreSpec:
    """The patterns in some lines; raises ValueError where one is none."""
    from pathspec import GitIgnoreSpec

    patterns = []
    with warnings.catch_warnings():
        # Of sets such as `[[]` Python says that they may mean something else one day.
        warnings.simplefilter("ignore", FutureWarning)
        for one in GitIgnoreSpec.from_lines(lines).patterns:
            text = "" if one.regex is None else one.regex.pattern
            if text.count(_STAR) > _FEW or text.count(_GAP) + text.count(_HEAD) > _FEW:
                one = one.__class__(re.compile(quick(text)), one.include)
            patterns.append(one)
    return GitIgnoreSpec(patterns, backend="simple")


def quick(text: str) -> str:
    """A regular expression of pathspec's that matches the same, and gives up soon; a set has no slash, as for git."""
    text = _CLASS.sub(lambda found: found[0] if found[0][0] == "\\" or found[0] == _ANY else _NO_SLASH + found[0], text)
    first, *rest = text.split(_STAR)
    names = [first]
    for number, piece in enumerate(rest):
        ends_name = number == len(rest) - 1 or "/" in piece.replace(_ANY, "").replace(_NO_SLASH, "")
        names.append(_STAR + piece if ends_name else _once(f"{_ANY}*?{piece}", f"n{number}"))
    first, *rest = "".join(names).split(_GAP)
    if rest and _HEAD in first:
        first = _once(first.replace(_HEAD, "(?:.+?/)??") + "(?=/)", "h")
    paths = [first]
    for number, piece in enumerate(rest):
        is_last = number == len(rest) - 1
        paths.append(_GAP + piece if is_last else _once(f"(?:/.+?)??{piece}(?=/)", f"p{number}"))
    return "".join(paths)


def _once(text: str, name: str) -> str:
    """An expression that is not tried in another way once it has matched."""
    return f"(?>{text})" if sys.version_info >= (3, 11) else f"(?=(?P<{name}>{text}))(?P={name})"
