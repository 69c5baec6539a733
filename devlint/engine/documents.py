"""Lints and fixes the programs inside of documents and docstrings, together with what is around them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cached_property

from devlint.core.diagnostic import Diagnostic, Location
from devlint.core.lazy_regex import regex
from devlint.core.target import Target
from devlint.engine import lint as engine
from devlint.engine.finding_filter import Screen
from devlint.engine.fixpoint import FixResult, LintResult, settle
from devlint.engine.text_lint import lint_text
from devlint.rules.base import Rule
from devlint.sources.encoding import SourceError
from devlint.sources.source import Source
from devlint.sources.suppression_settings import USUAL, Heeded
from devlint.sources.suppression_syntax import directives_in
from devlint.sources.suppressions import Suppressions
from devlint.sources.text_kinds import RULE, TextKind
from devlint.syntax.documents.code_blocks import DOCSTRING, MARKDOWN, RST, code_blocks
from devlint.syntax.documents.embedded_programs import Program, Section
from devlint.syntax.python_ast import syntax_tree

_LITERAL = regex(r"(?P<prefix>[rRuU]?)(?P<quotes>\"\"\"|''')")
_JUDGE_COMMENTS = frozenset({"DEV002", "DEV003"})
"""Not asked of examples: documentation is full of suppressions."""


class Document(Source):
    """A text with programs in it: a document, or a Python file with docstrings."""

    kind: TextKind | None = None
    """None for a Python file."""

    @property
    def has_programs(self) -> bool:
        """There may be some."""
        return True

    heads: tuple[frozenset[int], ...] | None = None
    """With which blocks programs begin, where fixes have made this of another text; an added import begins none."""

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """The blocks of Python in it."""
        if self.kind is None:
            return tuple(_docstrings(self))
        markup = RST if self.kind.name == "reStructuredText" else MARKDOWN
        return (Section(tuple(code_blocks(self.text, markup))),)

    @cached_property
    def programs(self) -> tuple[Program, ...]:
        """The programs in it, in order."""
        pairs = zip(self.sections, self.heads or self.own_heads())
        return tuple(one for section, heads in pairs for one in section.programs(self, heads))

    def own_heads(self) -> tuple[frozenset[int], ...]:
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


def lint(
    document: Source,
    rules: Sequence[type[Rule]],
    target: Target,
    enabled: frozenset[str],
    heeded: Heeded = USUAL,
    screen: Screen | None = None,
) -> LintResult:
    """The findings in a document, and in the programs inside it."""
    screen = screen or Screen()
    screen.begin(document)
    assert isinstance(document, Document)
    return _look(document, rules, target, enabled, heeded, screen)


def fix(
    document: Source,
    rules: Sequence[type[Rule]],
    target: Target,
    unsafe: bool,
    enabled: frozenset[str],
    heeded: Heeded = USUAL,
    screen: Screen | None = None,
) -> FixResult:
    """Apply the fixes of what there is in a document."""
    screen = screen or Screen()
    assert isinstance(document, Document)
    document = document.replace(heads=document.own_heads())

    def look(current: Source) -> LintResult:
        assert isinstance(current, Document)
        return _look(current, rules, target, enabled, heeded, screen)

    def judge(current: Source, text: str) -> str | None:
        assert isinstance(current, Document)
        return _worse(current, text, target)

    return settle(document, look, judge, unsafe, screen)


def _look(
    document: Document,
    rules: Sequence[type[Rule]],
    target: Target,
    enabled: frozenset[str],
    heeded: Heeded,
    screen: Screen,
) -> LintResult:
    """What is found around the programs, and in them."""
    inner: list[Diagnostic] = []
    for program in document.programs:
        found = engine.lint(program, rules, target, enabled - _JUDGE_COMMENTS, heeded).diagnostics
        inner += (one for one in map(program.in_document, found) if one is not None)
    suppressions = Suppressions(
        document, heeded, directives_in(document, document.kind, heeded) if document.kind else None
    )
    inner = [one for one in inner if not _is_suppressed(one, suppressions)]
    if document.kind is not None:
        outer = LintResult(lint_text(document, document.kind, enabled, heeded))
    else:
        outer = engine.lint(document, rules, target, enabled, heeded)
    mentioned = [one.span for one in inner if one.code == RULE]
    kept = [
        one
        for one in outer.diagnostics
        if not any(one.span.overlaps(span) for span in mentioned)
        and not (one.code == "DEV002" and one.span in suppressions.used())
    ]
    return outer.replace(diagnostics=screen.passing(sorted([*kept, *inner], key=lambda one: one.sort_key)))


def _is_suppressed(one: Diagnostic, suppressions: Suppressions) -> bool:
    return suppressions.suppresses(one.code, one.location.row, one.end_location.row)


def _worse(document: Document, text: str, target: Target) -> str | None:
    """What is wrong with ``text``, or with a program in it, that was not wrong before."""
    try:
        document.to_bytes(text)
    except SourceError as error:
        return str(error)
    after = document.replace(text=text)
    if len(after.programs) != len(document.programs):
        return "an example is no longer one"
    pairs = [(old, new) for old, new in zip(document.programs, after.programs) if old.text != new.text]
    complaints = [engine.worse(old, new.text, target) for old, new in pairs]
    if document.kind is None:
        complaints.append(engine.worse(document, text, target))
    return next((one for one in complaints if one is not None), None)
