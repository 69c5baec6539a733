"""Pieces of the regular expressions by which a rule says without which code it finds nothing (``Rule.patterns``).

They are matched with bytes that may be anything, so repetitions are possessive where they can be: nothing is tried
twice. An expression that begins with letters is looked for some ten times faster than one that does not.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

GAP = r"(?:[\s\\]|#.*\n)*+"
"""What may stand between two tokens: white space, comments, the backslash before a newline."""
CLOSED = r"(?:[\s\\)]|#.*\n)*+"
"""The same with parentheses around what stands before."""
OPENED = r"(?:[\s\\(]|#.*\n)*+"
"""The same with parentheses around what comes next."""
DOT = rf"{CLOSED}\.{GAP}"
CALL = rf"{CLOSED}\("
"""What follows a name that is called, up to the opening parenthesis."""
ASSIGNED = r"(?<![=!<>])=(?!=)"
"""The sign of an assignment or a keyword argument, and no comparison."""
QUOTE = r"[\"']"
OPEN, CLOSE = rf"[rRuUbBfF]*+{QUOTE}++", rf"{QUOTE}++"
"""Where a string begins and ends, whatever its quotes."""
_STRING = (
    r"(?:\"\"\"(?:[^\"\\]|\\(?s:.)|\"(?!\"\"))*+\"\"\"|'{3}(?:[^'\\]|\\(?s:.)|'(?!''))*+'{3}"
    r"|\"(?:[^\"\\\n]|\\(?s:.))*+\"|'(?:[^'\\\n]|\\(?s:.))*+')"
)
_NO_BRACKET = r"[^()\[\]{}\"'#]"
_DEPTH = 6
"""Brackets nested deeper stand in no line that anybody reads."""


_ANY, _WHOLE = "(?:", r")(?!\w)"


def any_of(names: Iterable[str]) -> str:
    """One of ``names``, as a whole."""
    return f"{_ANY}{'|'.join(sorted(set(names)))}{_WHOLE}"


def at_word(text: str) -> str:
    """A text that begins with a word: what Python finds ten times faster than a pattern that begins with ``\\b``."""
    return rf"{text}(?<!\w{text})"


def words_of(pattern: str) -> list[str]:
    """The names that a pattern of ``any_of`` looks for; none where it is any other pattern."""
    names = pattern[len(_ANY) : -len(_WHOLE)].split("|")
    is_any = pattern.startswith(_ANY) and pattern.endswith(_WHOLE) and all(one.isidentifier() for one in names)
    return names if is_any else []


def brackets(inside: str = _NO_BRACKET) -> str:
    """A pair of brackets with all that is in it; right between them stand brackets and characters like ``inside``."""
    pair = r"(?!)"
    for level in range(_DEPTH):
        character = inside if level == _DEPTH - 1 else _NO_BRACKET
        pair = rf"[(\[{{](?:{character}|{_STRING}|#[^\n]*\n|{pair})*+[)\]}}]"
    return pair


def imported(module: str, names: Iterable[str]) -> str:
    """``from module import name``, whatever ``as`` makes of it."""
    listed = r"(?:[\s\\]*+\((?:[^)#]|#[^\n]*\n)*?|(?:[^\n(#]|(?<=\\)\r?\n)*?)"
    return rf"from[\s\\]++{module}[\s\\]++import\b{listed}\b{any_of(names)}"


NEAR = r"(?:(?s:.{0,1000}?)|(?:[^#]|#.*\n){0,1000}?)"
"""What lies between two parts of one expression: for a pattern that says where a dearer one is worth it.

A thousand characters are more than any expression has on which a rule is to find something, without its comments.
"""
