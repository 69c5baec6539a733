"""What a rule is: a LibCST visitor with a code, a manual in its docstring, and findings that are plain values."""

from __future__ import annotations

from typing import ClassVar

import libcst as cst

from devlint.core.diagnostic import Diagnostic, Fix, Span
from devlint.core.target import DEFAULT_TORCH_MIN_VERSION, KINDS
from devlint.syntax.file_context import FileContext

Patterns = tuple[str | tuple[str, ...], ...]
"""Regular expressions; a tuple stands for all that are in it."""


class Rule(cst.BatchableCSTVisitor):
    """Base of all rules: define ``visit_<Node>`` methods and call ``report``.

    The engine walks the tree once for all rules, in source order, and calls every ``visit_`` method; what it returns
    is not looked at. The docstring of a rule is its manual: a summary line, then the sections ``What it does``,
    ``Why is this bad?``, ``Example`` (with ``Use instead``) and ``Fix safety``.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    default: ClassVar[bool] = True
    """Whether the rule runs without being selected."""
    targets: ClassVar[tuple[str, ...]] = KINDS
    """The kinds of target that the rule is for; with another it does not run."""
    torch_since: ClassVar[tuple[int, int]] = DEFAULT_TORCH_MIN_VERSION
    """The oldest ``torch-min-version`` with which the rule can find something; its manual's examples are for it."""
    needs_torch_min: ClassVar[bool] = False
    """Whether the rule finds nothing where nobody says which torch is the oldest (``Target.torch_min_is_guess``)."""
    literals: ClassVar[tuple[bytes, ...]] = ()
    """The rule cannot fire in a file that has none of these bytes; empty for a rule that must see every file."""
    patterns: ClassVar[Patterns] = ()
    """For speed alone: the rule finds nothing in code without one of these regular expressions, or all of a tuple.

    They are matched with bytes: first those of the file, then its code without comments and docstrings, which the
    rule must not look at then. devlint.core.regex_fragments has the pieces.
    """
    precheck: ClassVar[str] = ""
    """For speed alone: ``module:function`` that says of the bytes of a file whether the rule may find something."""
    look: ClassVar[str] = ""
    """For speed alone: ``module:function`` that says so of Python's own syntax tree, and is asked last."""
    sure: ClassVar[Patterns] = ()
    """For speed alone: code in which the rule finds something so often that its look need not be asked."""

    def __init__(self, ctx: FileContext) -> None:
        super().__init__()
        self.ctx = ctx
        self.diagnostics: list[Diagnostic] = []

    def report(
        self, node: cst.CSTNode, message: str, fix: Fix | None = None, *, end: cst.CSTNode | None = None
    ) -> None:
        """Add a finding that begins with ``node`` and ends with it, or with ``end``."""
        place = self.ctx.span(node)
        if end is not None:
            place = Span(place.start, self.ctx.span(end).end)
        self.report_at(place, message, fix)

    def report_at(self, place: Span, message: str, fix: Fix | None = None) -> None:
        """Add a finding at a place that is no node's."""
        source = self.ctx.source
        first, last = source.location(place.start), source.location(place.end)
        self.diagnostics.append(Diagnostic(source.path, self.code, message, place, first, last, fix))
