"""The lines that a rewrite changes, and the lines whose execution shows that they ran."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import Any

from devlint.core.line_matches import LineMatcher
from devlint.verify.executed_lines import Spot
from devlint.verify.rewrites.optional_parts import OptionalParts

_NEWLINE = re.compile(r"\r\n?|\n")


@dataclass(frozen=True)
class ChangedLine:
    """One changed line of a program."""

    path: str
    """The original file, as people are told of it."""
    row: int
    """The line in the original file."""
    file: str
    """The file that is executed: the rewritten one, or the original where lines were only removed."""
    spots: frozenset[Spot]
    """Any of these lines or parts of ``file``, if executed, shows that the change was."""

    @property
    def place(self) -> str:
        """The file and line, as people are told of them."""
        return f"{self.path}:{self.row}"


def changed_lines(path: str, before: tuple[str, str], after: tuple[str, str]) -> list[ChangedLine]:
    """The changed lines of a file that can be executed, given the path and text of it before and after a rewrite.

    Lines that are only added, such as the definition of ``device``, count where no other line has changed.
    """
    old_text, new_text = (_NEWLINE.split(text) for _, text in (before, after))
    changes = LineMatcher(old_text, new_text, autojunk=False).get_opcodes()
    old_lines, new_lines, new_parts = _statements(before[1]), _statements(after[1]), OptionalParts(after[1])
    found: dict[tuple[str, frozenset[Spot]], ChangedLine] = {}
    added: dict[tuple[str, frozenset[Spot]], ChangedLine] = {}
    for tag, old_start, old_end, new_start, new_end in changes:
        if tag == "equal":
            continue
        first = max(new_start, new_end - (old_end - old_start))  # definitions are added above what they are used in
        for row in range(new_start, new_end):
            shown = new_lines.get(row + 1)
            if shown:
                old_row = max(1, min(old_end - new_end + row + 1, old_end)) if row >= first else max(1, old_start)
                part = new_parts.around(row + 1, old_text[old_row - 1], new_text[row]) if row >= first else None
                shown = shown if part is None else frozenset({part})
                change = ChangedLine(path, old_row, after[0], shown)
                (found if row >= first else added).setdefault((after[0], shown), change)
        for row in range(old_start, old_end) if new_start == new_end else ():
            shown = old_lines.get(row + 1)
            if shown:
                found.setdefault((before[0], shown), ChangedLine(path, row + 1, before[0], shown))
    return list((found or added).values())


def watched_lines(changes: Iterable[ChangedLine]) -> dict[str, list[Spot]]:
    """The lines and parts to watch in each file."""
    watched: dict[str, set[Spot]] = {}
    for change in changes:
        watched.setdefault(change.file, set()).update(change.spots)
    return {file: sorted(spots, key=str) for file, spots in watched.items()}


def _statements(text: str) -> dict[int, frozenset[Spot]]:
    """For each line, the executable lines of the innermost statement around it; of a function, of its first one."""
    try:
        tree, code = ast.parse(text), compile(text, "program", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    executable = set(_executable_lines(code))
    found: dict[int, frozenset[Spot]] = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.stmt, ast.excepthandler, ast.match_case)):
            shown: frozenset[Spot] = frozenset(executable.intersection(_lines(_what_runs(node))))
            found.update(dict.fromkeys(_lines(node), shown))
    return found


def _executable_lines(code: CodeType) -> Iterator[int]:
    yield from (line for _, _, line in code.co_lines() if line)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _executable_lines(constant)


def _what_runs(node: ast.AST) -> ast.AST:
    """The statement that runs if a statement has an effect: of a function, the first one in it."""
    while isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        body = node.body
        is_docstring = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
        node = body[1] if is_docstring and len(body) > 1 else body[0]
    return node


def _lines(node: Any) -> range:
    """The lines of a simple statement, and of a compound one those above its body."""
    decorators: Sequence[ast.expr] = getattr(node, "decorator_list", ())
    if isinstance(node, ast.match_case):
        node = node.pattern
    start = min([node.lineno, *(one.lineno for one in decorators)])
    body = getattr(node, "body", None) or getattr(node, "cases", None)
    if not body:
        return range(start, node.end_lineno + 1)
    return range(start, max(start + 1, min(_lines(part).start for part in body[:1])))
