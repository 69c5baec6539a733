"""Writes the strings that fixes add with the quotes that the file uses."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator

from devlint.core.lazy_regex import regex
from devlint.core.line_matches import LineMatcher
from devlint.syntax.python_tree.python_ast import has_same_tree

_ENOUGH = 4
"""How many strings in single quotes show how a file is written."""
_PREFIXED = regex(r"\b[bfru]{1,2}\"[^\"\n]*\"", re.IGNORECASE)
"""A string with a prefix, in double quotes: ``f"cuda:{i}"``."""


def in_own_quotes(before: str, after: str) -> str:
    """The text ``after``, where strings that are not in ``before`` have single quotes if nearly all of that has.

    In a row that keeps a string in double quotes, others have double quotes, too.
    """
    if before.count("'") < 2 * _ENOUGH or "\f" in after:
        return after
    known = [one.string for one in _plain_strings(before)]
    single = sum(one.startswith("'") for one in known)
    if single < _ENOUGH or single < 4 * (len(known) - single):
        return after
    old, new = before.split("\n"), after.split("\n")
    added: dict[int, str] = {}
    for kind, first, last, start, end in LineMatcher(old, new, autojunk=False).get_opcodes():
        if kind in ("replace", "insert"):
            added.update(dict.fromkeys(range(start, end), "\n".join(old[first:last])))
    found = [(one.start[0] - 1, one) for one in _plain_strings(after) if one.string.startswith('"')]
    kept = {row for row, one in found if row in added and one.string in added[row]}
    rows = {row for row, _ in found} & added.keys()
    kept |= {row for row in rows if any(one in before for one in _PREFIXED.findall(new[row]))}
    for row, one in reversed(found):
        column = one.start[1]
        inside = one.string[1:-1]
        if row in added and row not in kept:
            if not set(inside) & {"'", '"', "\\"}:
                end = column + len(one.string)
                new[row] = f"{new[row][:column]}'{inside}'{new[row][end:]}"
    result = "\n".join(new)
    return result if has_same_tree(after, result) else after


def _plain_strings(text: str) -> Iterator[tokenize.TokenInfo]:
    """The strings of one line without a prefix that are part of no other; none where Python cannot read the text."""
    depth = 0
    found = []
    try:
        for one in tokenize.generate_tokens(io.StringIO(text).readline):
            name = tokenize.tok_name[one.type]
            depth += name.endswith("STRING_START") - name.endswith("STRING_END")
            if one.type == tokenize.STRING and depth == 0 and one.string[0] in "'\"" and one.start[0] == one.end[0]:
                if not one.string.startswith(('"""', "'''")):
                    found.append(one)
    except (tokenize.TokenError, SyntaxError):
        return
    yield from found
