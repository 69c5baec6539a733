"""A program with a comment wherever Python allows one: above, behind and, within brackets, in every statement."""

from __future__ import annotations

import ast
import io
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence

from tests.support.disguises import expressions, is_python, split

Gap = tuple[int, str, str]
"""Where a comment goes, and what is put before and behind it."""


def comments_in(text: str) -> Counter[str]:
    """Each comment of ``text``, and how often it has it."""
    return Counter(one.string for one in comment_tokens(text))


def comment_tokens(text: str) -> list[tokenize.TokenInfo]:
    """The comments of ``text`` with their places."""
    return [one for one in tokenize.generate_tokens(io.StringIO(text).readline) if one.type == tokenize.COMMENT]


def comment_gaps(text: str) -> list[tuple[str, list[Gap]]]:
    """``text``, as it is and with each value in parentheses, with all of its gaps at once and with each alone."""
    found: list[tuple[str, list[Gap]]] = []
    for base in _parenthesized(text):
        gaps = sorted({*_between_tokens(base), *_above_statements(base)})
        found += [(base, gaps), *((base, [one]) for one in gaps)]
    return found


def with_comments(text: str, gaps: Sequence[Gap]) -> str | None:
    """``text`` with a comment in each of the gaps; None where that is no Python, as within an f-string."""
    for number, (at, before, behind) in sorted(enumerate(gaps), key=lambda one: one[1], reverse=True):
        text = f"{text[:at]}{before}# remark {number}{behind}{text[at:]}"
    return text if is_python(text) else None


def _parenthesized(text: str) -> Iterator[str]:
    """``text``, and with one statement's value in parentheses each."""
    yield text
    program = split(text)
    for start, end, expression in expressions(program.body):
        yield f"{program.imports}{program.body[:start]}({expression}){program.body[end:]}"


def _line_starts(text: str) -> list[int]:
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return starts


def _between_tokens(text: str) -> Iterator[Gap]:
    """The ends of statements, and the gaps between tokens in brackets."""
    starts, depth = _line_starts(text), 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        at = starts[token.start[0] - 1] + token.start[1]
        if token.type == tokenize.NEWLINE:
            yield at, "  ", ""
        elif depth > 0 and token.type not in (tokenize.NL, tokenize.COMMENT):
            yield at, " ", "\n        "
        if token.type == tokenize.OP:
            depth += (token.string in "([{") - (token.string in ")]}")


def _above_statements(text: str) -> Iterator[Gap]:
    starts, lines = _line_starts(text), text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.stmt):
            row = min(one.lineno for one in (node, *getattr(node, "decorator_list", [])))
            indent = lines[row - 1][: node.col_offset]
            if not indent.strip():
                yield starts[row - 1], indent, "\n"
    yield len(text), "", "\n"
