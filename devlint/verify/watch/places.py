"""Where the user's code is running: expressions by the positions that Python keeps of its instructions."""

from __future__ import annotations

import ast
import dis
import linecache
import os
import sysconfig
from collections.abc import Iterator, Sequence
from types import CodeType, FrameType
from typing import Any

import torch

from devlint.verify.expression_place import ExpressionPlace

UNKNOWN = -1
"""A column before Python 3.11, which keeps lines only."""
_LIBRARIES = (os.sep + "site-packages" + os.sep, os.sep + "dist-packages" + os.sep)


class UserCode:
    """Tells the user's code from that of libraries."""

    def __init__(self, roots: Sequence[str]) -> None:
        """``roots`` are the files and folders of the user; without any, all is the user's that is not installed."""
        self._here = os.getcwd()
        self._roots = tuple(roots)
        own = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        packages = os.path.dirname(os.path.dirname(os.path.abspath(torch.__file__)))
        standard = {sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib")}
        self._installed = tuple(folder + os.sep for folder in (own, packages, *standard))
        self._known: dict[CodeType, str] = {}
        self._positions: dict[CodeType, list[Any]] = {}
        self._loops: dict[str, dict[ExpressionPlace, ExpressionPlace]] = {}

    def path(self, code: CodeType) -> str:
        """The absolute path of a code object of the user; empty for another."""
        known = self._known.get(code)
        if known is None:
            known = self._known[code] = self._path(code.co_filename)
        return known

    def _path(self, name: str) -> str:
        if name.startswith("<"):
            return ""
        path = os.path.normpath(os.path.join(self._here, name))
        if self._roots:
            return path if any(path == root or path.startswith(root + os.sep) for root in self._roots) else ""
        installed = path.startswith(self._installed) or any(part in path for part in _LIBRARIES)
        return "" if installed else path

    def frame(self, frame: FrameType | None) -> FrameType | None:
        """The nearest frame of the user's code, from this one outwards."""
        known = self._known
        while frame is not None:
            code = frame.f_code
            path = known.get(code)
            if path is None:
                path = self.path(code)
            if path:
                return frame
            frame = frame.f_back
        return None

    def place(self, frame: FrameType | None) -> ExpressionPlace | None:
        """The expression that the nearest frame of the user is evaluating."""
        frame = self.frame(frame)
        if frame is None:
            return None
        code = frame.f_code
        table = self._positions.get(code)
        if table is None:
            table = self._positions[code] = list(code.co_positions()) if hasattr(code, "co_positions") else []
        if not table:
            return ExpressionPlace(self.path(code), frame.f_lineno, UNKNOWN, frame.f_lineno, UNKNOWN)
        row, end_row, column, end_column = table[frame.f_lasti // 2]
        if column is None or end_column is None:
            column = end_column = UNKNOWN
        row = row or frame.f_lineno
        return ExpressionPlace(self.path(code), row, column, end_row or row, end_column)

    def loop(self, frame: FrameType | None) -> ExpressionPlace | None:
        """The ``for`` statement of which the nearest frame of the user takes the next value.

        Since Python 3.13 the instructions say only where its iterable stands.
        """
        place = self.place(frame)
        if place is None or place.column == UNKNOWN:
            return place
        if place.path not in self._loops:
            self._loops[place.path] = dict(_loops_of(place.path))
        return self._loops[place.path].get(place, place)


def _loops_of(path: str) -> Iterator[tuple[ExpressionPlace, ExpressionPlace]]:
    """The iterables of a file's ``for`` statements, each with its statement."""
    try:
        tree = ast.parse("".join(linecache.getlines(path)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # what ran has changed meanwhile
        return
    for node in ast.walk(tree):
        if isinstance(node, (ast.For, ast.AsyncFor)):
            yield _place_of(path, node.iter), _place_of(path, node)


def _place_of(path: str, node: ast.expr | ast.stmt) -> ExpressionPlace:
    end_row, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return ExpressionPlace(path, node.lineno, node.col_offset, end_row, end_column)


_discarding: dict[CodeType, set[int]] = {}


def discards_result(frame: FrameType) -> bool:
    """Whether the call that a frame is making is a statement of its own."""
    found = _discarding.get(frame.f_code)
    if found is None:
        steps = [step for step in dis.get_instructions(frame.f_code) if step.opname != "CACHE"]
        pairs = [pair for pair in zip(steps, steps[1:]) if "CALL" in pair[0].opname and pair[1].opname == "POP_TOP"]
        # While it calls a function of Python, a frame stands at the end of what the instruction keeps beside it.
        found = {offset for one, after in pairs for offset in range(one.offset, after.offset, 2)}
        _discarding[frame.f_code] = found
    return frame.f_lasti in found
