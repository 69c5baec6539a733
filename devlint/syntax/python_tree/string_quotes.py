"""Writes the strings that fixes add with the quotes that the file uses."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterator

from devlint.core.line_matches import LineMatcher
from devlint.syntax.python_tree.python_ast import has_same_tree

_ENOUGH = 4
"""How many strings in single quotes show how a file is written."""


def in_own_quotes(before: str, after: str) -> str:
    """The text ``after``, where strings that are new have the quotes of those beside them, or of the file."""
    if "'" not in before or "\f" in after:
        return after
    new, changed = after.split("\n"), _changed_lines(before, after)
    is_single = _prefers_single(before)
    if not is_single and not any("'" in new[row] and '"' in new[row] for row in changed):
        return after
    strings = [one for one in _plain_strings(after) if one.start[0] - 1 in changed]
    beside: dict[int, set[str]] = {}
    for one in strings:
        row = one.start[0] - 1
        if one.string in changed[row]:
            beside.setdefault(row, set()).add(one.string[0])
    for one in reversed(strings):
        row, (start, end) = one.start[0] - 1, (one.start[1], one.end[1])
        quotes = beside.get(row, set())
        inside = one.string[1:-1]
        wants_single = "'" in quotes if len(quotes) == 1 else is_single
        if wants_single and one.string[0] == '"' and one.string not in changed[row]:
            if not set(inside) & {"'", '"', "\\"}:
                new[row] = f"{new[row][:start]}'{inside}'{new[row][end:]}"
    result = "\n".join(new)
    return result if has_same_tree(after, result) else after


def _prefers_single(text: str) -> bool:
    """Whether nearly all strings of a file have single quotes."""
    if text.count("'") < 2 * _ENOUGH:
        return False
    single = [one.string[0] == "'" for one in _plain_strings(text)]
    return sum(single) >= max(_ENOUGH, 4 * (len(single) - sum(single)))


def _changed_lines(before: str, after: str) -> dict[int, str]:
    """The lines of ``after`` that are new, each with those of ``before`` that it may have been made from."""
    old, new = before.split("\n"), after.split("\n")
    found: dict[int, str] = {}
    for kind, first, last, start, end in LineMatcher(old, new, autojunk=False).get_opcodes():
        if kind in ("replace", "insert"):
            found.update(dict.fromkeys(range(start, end), "\n".join(old[first:last])))
    return found


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
