"""Where nodes stand in the text of their module: the code of the statement around a node, looked up in the text.

To generate the code of a whole file takes half as long as to parse it, and few nodes are ever asked for.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import Any

import libcst as cst
from libcst._nodes.internal import CodegenState

from devlint.core.diagnostic import Span
from devlint.core.lazy_regex import regex
from devlint.syntax.tree import Tree

_BLOCKS: frozenset[type] = frozenset({cst.IndentedBlock, cst.Module})
MOST_STATEMENTS = 64
"""Statements that are looked up, each in the whole text; after so many the code of the module is generated at once."""

_FORM_FEEDS_BEFORE_CODE = regex(r"^\f+(?=[^\s])", re.MULTILINE)


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

    def record_syntactic_position(
        self,
        node: cst.CSTNode,
        *,
        start_node: cst.CSTNode | None = None,
        end_node: cst.CSTNode | None = None,
    ) -> Any:
        return _Position(self, node, start_node, end_node)


class _Position:
    """The context in which a node without its parentheses and white space is generated."""

    __slots__ = ("_end_node", "_first", "_node", "_recorder", "_start_node")

    def __init__(
        self, recorder: _Recorder, node: cst.CSTNode, start: cst.CSTNode | None, end: cst.CSTNode | None
    ) -> None:
        self._recorder = recorder
        self._node = node
        self._start_node = start
        self._end_node = end

    def __enter__(self) -> None:
        self._first = len(self._recorder.tokens)

    def __exit__(self, *_: object) -> None:
        recorder = self._recorder
        start = self._first if self._start_node is None else recorder.outer[id(self._start_node)][0]
        end = len(recorder.tokens) if self._end_node is None else recorder.outer[id(self._end_node)][1]
        recorder.inner[id(self._node)] = (start, end)


class _GeneratedCode:
    """Generated code, with the offset in the text that it begins at."""

    def __init__(self, recorder: _Recorder, start: int = 0) -> None:
        self.outer = recorder.outer
        self.inner = recorder.inner
        self.offsets = [*accumulate(map(len, recorder.tokens), initial=start)]


class Spans:
    """The places of the nodes of one module, as character offsets into the text it was parsed from."""

    def __init__(self, module: cst.Module, text: str, tree: Tree | None = None) -> None:
        """Without the ``tree`` of the module its code is generated as a whole."""
        self._module = module
        self._text = text
        self._tree = tree if "\f" not in text else None
        self._generated: dict[int, _GeneratedCode] = {}
        """By the nodes that are in them."""
        self._tries = 0
        self._dropped: list[int] | None = []

    @property
    def exact(self) -> bool:
        """Whether LibCST gives back the very text it read, where it was asked, but for what it is known to drop."""
        if not self._generated:
            self._generate_all()
        return self._dropped is not None

    def syntactic(self, node: cst.CSTNode) -> Span:
        """The node without its parentheses, leading lines and trailing white space."""
        code = self._code_around(node)
        return self._span(code, *(code.inner.get(id(node)) or code.outer[id(node)]))

    def parenthesized(self, node: cst.CSTNode) -> Span:
        """An expression with its own parentheses."""
        code = self._code_around(node)
        return self._span(code, *code.outer[id(node)])

    def _code_around(self, node: cst.CSTNode) -> _GeneratedCode:
        """The code around ``node``."""
        code = self._generated.get(id(node))
        if code is None and self._tree is not None:
            for unit in self._units(self._tree, node):
                code = self._found(self._tree, unit) if self._tries < MOST_STATEMENTS else None
                if code is not None:
                    break
        return code or self._generate_all()

    def _units(self, tree: Tree, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """The statement that holds ``node``, the functions around it, and the statement of the module."""
        is_first = True
        for child, parent in tree.path_up(node):
            if parent.__class__ not in _BLOCKS:
                continue
            if is_first or child.__class__ is cst.FunctionDef or parent is self._module:
                yield child
            is_first = False

    def _found(self, tree: Tree, unit: cst.CSTNode) -> _GeneratedCode | None:
        """The code of a statement, where the text holds it once."""
        self._tries += 1
        recorder = _Recorder(self._module)
        blocks = [one for one in tree.ancestors(unit) if isinstance(one, cst.IndentedBlock)]
        for block in reversed(blocks):
            recorder.increase_indent(self._module.default_indent if block.indent is None else block.indent)
        unit._codegen(recorder)
        code = "".join(recorder.tokens)
        # The last line may have no newline, where generated code has one; an equal line above must not pass for it.
        text = self._text if self._module.has_trailing_newline else self._text + self._module.default_newline
        start = text.find(code)
        if start < 0 or text.find(code, start + 1) >= 0 or text[max(start - 1, 0) : start] not in ("", "\n", "\r"):
            return None
        return self._noted(_GeneratedCode(recorder, start))

    def _generate_all(self) -> _GeneratedCode:
        """The code of the module."""
        recorder = _Recorder(self._module)
        self._module._codegen(recorder)
        code = _GeneratedCode(recorder)
        self._dropped = _dropped_form_feeds("".join(recorder.tokens), self._text)
        if self._dropped is None and self._module.body:
            _, last = recorder.outer[id(self._module.body[-1])]
            if self._text.startswith("".join(recorder.tokens[:last])):
                self._dropped = []  # blank lines above a last comment that is indented less than the block
        return self._noted(code)

    def _noted(self, code: _GeneratedCode) -> _GeneratedCode:
        self._generated.update(dict.fromkeys(code.outer, code))
        return code

    def _span(self, code: _GeneratedCode, first: int, last: int) -> Span:
        offsets = code.offsets
        return Span(self._to_text(offsets[first]), self._to_text(offsets[min(last, len(offsets) - 1)]))

    def _to_text(self, offset: int) -> int:
        """Count the form feeds LibCST dropped before ``offset``."""
        return min(offset + bisect_right(self._dropped, offset) if self._dropped else offset, len(self._text))


def _dropped_form_feeds(code: str, text: str) -> list[int] | None:
    """Offsets into ``code`` where ``text`` has a form feed more; None where the two differ otherwise."""
    if code == text:
        return []
    # LibCST drops a form feed before code at the start of a line; on a line of its own it is kept.
    dropped: list[int] = []
    for match in _FORM_FEEDS_BEFORE_CODE.finditer(text):
        dropped.extend([match.start() - len(dropped)] * (match.end() - match.start()))
    return dropped if dropped and _FORM_FEEDS_BEFORE_CODE.sub("", text) == code else None
