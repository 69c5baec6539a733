"""Analyzes the programs inside of documents and docstrings, together with the text around them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

from devlint.core.diagnostic import Diagnostic, Edit, Location
from devlint.core.lazy_regex import regex
from devlint.engine.fixpoint import SUPPRESSION_RULES, Analysis
from devlint.engine.python_programs import ProgramAnalysis
from devlint.engine.request import Result
from devlint.engine.text_files import TextAnalysis
from devlint.sources.encoding import SourceError
from devlint.sources.source import Source
from devlint.sources.suppressions.suppression_syntax import directives_in
from devlint.sources.suppressions.suppressions import Suppressions
from devlint.sources.text_kinds import RULE, TextKind, kind_of
from devlint.syntax.documents.code_blocks import DOCSTRING, MARKDOWN, RST, code_blocks
from devlint.syntax.documents.embedded_programs import EmbeddedProgram, Section
from devlint.syntax.python_tree.python_ast import syntax_tree

_LITERAL = regex(r"(?P<prefix>[rRuU]?)(?P<quotes>\"\"\"|''')")


class Document(Source):
    """A text with programs in it: a document, or a Python file with docstrings."""

    heads: tuple[frozenset[int], ...] | None = None
    """With which blocks programs begin, where fixes have made this of another text; an added import begins none."""

    @property
    def has_programs(self) -> bool:
        """There may be some."""
        return True

    @cached_property
    def kind(self) -> TextKind | None:
        """What kind of text it is; None for a Python file."""
        return kind_of(self.path)

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """The blocks of Python in it."""
        if self.kind is None:
            return tuple(_docstrings(self))
        markup = RST if self.kind.name == "reStructuredText" else MARKDOWN
        return (Section(tuple(code_blocks(self.text, markup))),)

    @cached_property
    def programs(self) -> tuple[EmbeddedProgram, ...]:
        """The programs in it, in order."""
        pairs = zip(self.sections, self.heads or self._own_heads())
        return tuple(one for section, heads in pairs for one in section.programs(self, heads))

    def replace(self, **changes: Any) -> Document:
        """The same with other values; with another text, programs begin with the same blocks as in this one."""
        if "text" in changes and self.heads is None:
            changes["heads"] = self._own_heads()
        return super().replace(**changes)

    def _own_heads(self) -> tuple[frozenset[int], ...]:
        """With which blocks programs begin."""
        return tuple(section.heads() for section in self.sections)


def _docstrings(document: Source) -> Iterator[Section]:
    """The docstrings of a Python file that can hold programs."""
    tree = syntax_tree(document.text)
    for node in ast.walk(tree) if tree is not None else ():
        if not isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) or not node.body:
            continue
        first = node.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            start, end = _place(document, first.value)
            literal = _LITERAL.match(document.text, start)
            if literal is None or document.text.find(literal["quotes"], literal.end(), end) != end - 3:
                continue
            blocks = code_blocks(document.text, DOCSTRING, literal.end(), end - 3)
            escapes = () if literal["prefix"] in ("r", "R") else ("\\",)
            clear = tuple(one for one in blocks if not (escapes and any("\\" in row.text for row in one)))
            if clear:
                yield Section(clear, (*escapes, literal["quotes"]))


def _place(document: Source, node: ast.Constant) -> tuple[int, int]:
    """Where a string begins and ends; its columns count bytes."""
    places = []
    for row, column in ((node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)):
        before = document.line(row).encode()[:column].decode(errors="ignore")
        places.append(document.offset(Location(row, len(before) + 1)))
    return places[0], places[1]


class DocumentAnalysis(Analysis):
    """Looks at the programs in a document, and at what is around them."""

    def findings(self, source: Source) -> Result:
        """All that is found in a text that is not suppressed."""
        assert isinstance(source, Document)
        settings = self.request.suppression_settings
        directives = directives_in(source, source.kind, settings) if source.kind else None
        suppressions = Suppressions(source, settings, directives)
        inner = [one for one in self._in_programs(source) if not _is_suppressed(one, suppressions)]
        outer = self._around(source)
        mentioned = [one.span for one in inner if one.code == RULE]
        kept = [
            one
            for one in outer.diagnostics
            if not any(one.span.overlaps(span) for span in mentioned)
            and not (one.code == "DEV002" and one.span in suppressions.used())
        ]
        return outer.replace(diagnostics=tuple(sorted([*kept, *inner], key=lambda one: one.sort_key)))

    def _in_programs(self, document: Document) -> Iterator[Diagnostic]:
        """The findings in the programs, at their places in the document."""
        # Documentation is full of suppressions.
        request = self.request.replace(enabled=self.request.enabled - SUPPRESSION_RULES)
        for program in document.programs:
            with ProgramAnalysis(request) as analysis:
                found = analysis.findings(program).diagnostics
            yield from (one for one in map(program.in_document, found) if one is not None)

    def _around(self, document: Document) -> Result:
        """The findings in the text around the programs."""
        if document.kind is not None:
            return TextAnalysis(self.request).findings(document)
        with ProgramAnalysis(self.request) as analysis:
            return analysis.findings(document)

    def complaint(self, source: Source, text: str, comment_edits: Iterable[Edit] = ()) -> str | None:
        """What is wrong with another text, or with a program in it, that was not wrong before."""
        assert isinstance(source, Document)
        try:
            source.to_bytes(text)
        except SourceError as error:
            return str(error)
        after = source.replace(text=text)
        if len(after.programs) != len(source.programs):
            return "an example is no longer one"
        pairs: list[tuple[Source, str, Iterable[Edit]]] = [
            (old, new.text, ()) for old, new in zip(source.programs, after.programs) if old.text != new.text
        ]
        if source.kind is None:
            pairs.append((source, text, comment_edits))
        with ProgramAnalysis(self.request) as analysis:
            complaints = [analysis.complaint(*pair) for pair in pairs]
        return next((one for one in complaints if one is not None), None)


def _is_suppressed(one: Diagnostic, suppressions: Suppressions) -> bool:
    return suppressions.suppresses(one.code, one.location.row, one.end_location.row)
