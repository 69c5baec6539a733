"""Parts of lines that need not be executed when their lines are: ``if cuda: x = x.cuda()``, ``lambda x: x.cuda()``."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from types import CodeType

from devlint.verify.executed_lines import Spot, instructions

_NEWLINE = re.compile(rb"\r\n?|\n")


class OptionalParts:
    """Those of a program; none where Python keeps no columns of instructions (before 3.11)."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = _NEWLINE.split(text.encode("utf-8", "surrogatepass"))
        try:
            nodes = [part for node in ast.walk(ast.parse(text)) for part in self._optional(node)]
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            nodes = []
        self._parts = [(one.lineno, one.col_offset, one.end_lineno or 0, one.end_col_offset or 0) for one in nodes]

    def around(self, row: int, before: str, after: str) -> Spot | None:
        """The smallest part that holds what has changed in a line."""
        start = len(os.path.commonprefix((before, after)))
        kept = len(os.path.commonprefix((before[start:][::-1], after[start:][::-1])))
        first, last = (len(after[:column].encode("utf-8", "surrogatepass")) for column in (start, len(after) - kept))
        found = [part for part in self._parts if part[:2] <= (row, first) and (row, last) <= part[2:]]
        part = max(found, key=lambda part: (part[:2], (-part[2], -part[3])), default=None)
        is_code = part is not None and any(part[:2] <= begin and end <= part[2:] for begin, end in self._places())
        return part if is_code else None

    def _places(self) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
        code = compile(self._text, "program", "exec", dont_inherit=True)
        return ((begin, end) for one in _codes(code) for _, begin, end in instructions(one))

    def _optional(self, node: ast.AST) -> Iterator[ast.expr | ast.stmt]:
        """The parts of a node that its line may be executed without."""
        if isinstance(node, ast.Lambda):
            yield node.body
        elif isinstance(node, ast.IfExp):
            yield from (node.body, node.orelse)
        elif isinstance(node, ast.BoolOp):
            yield from node.values[1:]
        elif isinstance(node, ast.Assert):
            yield from () if node.msg is None else (node.msg,)
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
            yield from _of_each_round(node)
        elif isinstance(node, (ast.stmt, ast.excepthandler, ast.match_case)):
            inner = [one for name in ("body", "orelse", "finalbody") for one in getattr(node, name, None) or ()]
            yield from (one for one in inner if self._lines[one.lineno - 1][: one.col_offset].strip())


def _of_each_round(node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Iterator[ast.expr]:
    """What a comprehension executes for what it goes through, and not for none."""
    yield from (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
    for one in node.generators:
        yield from one.ifs
    yield from (one.iter for one in node.generators[1:])


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)
