"""One file during analysis: its text, its LibCST module, and facts about it, each computed when first asked."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, wraps
from typing import Any, TypeVar, cast

import libcst as cst

from devlint.core.diagnostic import Span
from devlint.core.target import Target
from devlint.sources.source import Source
from devlint.syntax.positions import Spans
from devlint.syntax.tree import Tree

Fact = TypeVar("Fact")
Node = TypeVar("Node")


class FileContext:
    """What rules and analyses ask about a file."""

    def __init__(
        self,
        source: Source,
        target: Target | None = None,
        module: cst.Module | None = None,
        parsed_text: str = "",
        around: Any = None,
    ) -> None:
        """``around`` is what the run knows of other files: ``devlint.analysis.project.ask`` makes a project of it."""
        self.source = source
        self._parsed_text = parsed_text or source.text
        self.target = target or Target()
        self.around = around
        self.module = cst.parse_module(source.text) if module is None else module
        self._facts: dict[Callable[[FileContext], Any], Any] = {}

    @cached_property
    def tree(self) -> Tree:
        """Nodes by type, and parents."""
        return Tree(self.module)

    @cached_property
    def spans(self) -> Spans:
        """Positions of nodes; the most expensive question after parsing."""
        return Spans(self.module, self._parsed_text, self.tree)

    def fact(self, question: Callable[[FileContext], Fact]) -> Fact:
        """The answer of ``question(self)``, computed once."""
        if question not in self._facts:
            self._facts[question] = question(self)
        return cast(Fact, self._facts[question])

    def forget(self) -> None:
        """Forget the answers: some refer to the context, so only the garbage collector would free the tree."""
        self._facts.clear()

    def span(self, node: cst.CSTNode) -> Span:
        """Where ``node`` stands, without its parentheses."""
        return self.spans.syntactic(node)

    def outer_span(self, node: cst.CSTNode) -> Span:
        """Where the expression ``node`` stands, with its parentheses."""
        return self.spans.parenthesized(node)

    def cell_of(self, node: cst.CSTNode) -> int | None:
        """The cell of a notebook that ``node`` stands in; None in a file without cells."""
        return self.source.place(self.span(node).start).cell

    def text_of(self, node: cst.CSTNode) -> str:
        """The text of an expression as the author wrote it, with its parentheses and comments."""
        if isinstance(node, cst.BaseExpression):
            code = self.module.code_for_node(node)
            if "\n" not in code and "\r" not in code:  # else the lines below begin with the indentation around it
                return code
        span = self.outer_span(node)
        return self.source.text[span.start : span.end]

    def one_line_of(self, node: cst.CSTNode) -> str:
        """The text of an expression in one line, for messages."""
        return " ".join(self.text_of(node).split())


def fact(question: Callable[[FileContext], Fact]) -> Callable[[FileContext], Fact]:
    """Decorate a function of a file whose answer is to be computed once: ``FileContext.fact`` keeps it."""

    @wraps(question)
    def answer(ctx: FileContext) -> Fact:
        return ctx.fact(question)

    return answer


def fact_of(question: Callable[[FileContext, Node], Fact]) -> Callable[[FileContext, Node], Fact]:
    """Decorate a function of a file and a node, scope or name of it, whose answer is to be computed once for each."""

    def answers(ctx: FileContext) -> dict[object, tuple[Node, Fact]]:
        return {}

    @wraps(question)
    def answer(ctx: FileContext, node: Node) -> Fact:
        known = ctx.fact(answers)
        key = node if isinstance(node, str) else id(node)
        if key not in known:
            known[key] = node, question(ctx, node)  # the node is kept: nothing else gets its id
        return known[key][1]

    return answer
