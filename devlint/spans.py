"""Where the nodes of a module stand in its text: one code generation that notes the place of every node."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import accumulate
from typing import Optional

import libcst as cst
from libcst._nodes.internal import CodegenState

from devlint.diagnostic import Span

_FORM_FEEDS_BEFORE_CODE = re.compile(r"^\f+(?=[^\s])", re.MULTILINE)


class _Recorder(CodegenState):
    """Generates code and notes, for each node, the tokens it begins and ends at."""

    def __init__(self, module: cst.Module) -> None:
        super().__init__(default_indent=module.default_indent, default_newline=module.default_newline)
        self.outer: dict[int, list[int]] = {}
        self.inner: dict[int, tuple[int, int]] = {}

    def before_codegen(self, node: cst.CSTNode) -> None:
        self.outer[id(node)] = [len(self.tokens), 0]

    def after_codegen(self, node: cst.CSTNode) -> None:
        self.outer[id(node)][1] = len(self.tokens)

    @contextmanager
    def record_syntactic_position(
        self,
        node: cst.CSTNode,
        *,
        start_node: Optional[cst.CSTNode] = None,
        end_node: Optional[cst.CSTNode] = None,
    ) -> Iterator[None]:
        first = len(self.tokens)
        yield
        start = first if start_node is None else self.outer[id(start_node)][0]
        end = len(self.tokens) if end_node is None else self.outer[id(end_node)][1]
        self.inner[id(node)] = (start, end)


class Spans:
    """The places of all nodes of one module, as character offsets into the text it was parsed from."""

    def __init__(self, module: cst.Module, text: str) -> None:
        recorder = _Recorder(module)
        module._codegen(recorder)
        self._offsets = [0, *accumulate(map(len, recorder.tokens))]
        self._outer = recorder.outer
        self._inner = recorder.inner
        code = "".join(recorder.tokens)
        self._dropped = _dropped_form_feeds(code, text)
        self.exact = self._dropped is not None
        """Whether LibCST gives back the very text it read, form feeds at the start of a line apart."""

    def syntactic(self, node: cst.CSTNode) -> Span:
        """The node without its parentheses, leading lines and trailing white space."""
        tokens = self._inner.get(id(node))
        return self._span(*(tokens if tokens is not None else self._outer[id(node)]))

    def parenthesized(self, node: cst.CSTNode) -> Span:
        """An expression with its own parentheses."""
        return self._span(*self._outer[id(node)])

    def _span(self, first: int, last: int) -> Span:
        last_offset = self._offsets[min(last, len(self._offsets) - 1)]
        return Span(self._to_text(self._offsets[first]), self._to_text(last_offset))

    def _to_text(self, offset: int) -> int:
        """Count the form feeds LibCST dropped before ``offset``."""
        return offset + bisect_right(self._dropped, offset) if self._dropped else offset


def _dropped_form_feeds(code: str, text: str) -> Optional[list[int]]:
    """Offsets into ``code`` where ``text`` has a form feed more; None where the two differ otherwise."""
    if code == text:
        return []
    # LibCST drops a form feed before code at the start of a line; on a line of its own it is kept.
    dropped: list[int] = []
    for match in _FORM_FEEDS_BEFORE_CODE.finditer(text):
        dropped.extend([match.start() - len(dropped)] * (match.end() - match.start()))
    return dropped if dropped and _FORM_FEEDS_BEFORE_CODE.sub("", text) == code else None
