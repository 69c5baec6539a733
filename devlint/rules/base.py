"""What a rule is: a LibCST visitor with a code, a manual in its docstring, and findings that are plain values."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, ClassVar

import libcst as cst

from devlint.analysis.cuda.failing.kernel_code import is_beside_kernel, runs_kernels
from devlint.core.diagnostic import Diagnostic, Fix, Span
from devlint.core.lazy_regex import regex
from devlint.core.target import DEFAULT_TORCH_MIN_VERSION, KINDS, TOO_OLD
from devlint.rules.triggers.trigger import Trigger
from devlint.syntax.file_context import FileContext
from devlint.syntax.kept_code import changes_kept_code

_DEVICES = regex(r"\bdevice\b|\.to\(|\bnon_blocking\b|\bmap_location\b|\bdtype\b|\.(?:as_)?tensor\(|\.empty\(")
_SINCE_DEVICES = regex(
    r"^[^#\n]*\btorch\.(?:device|no_grad|tensor|set_grad_enabled|enable_grad|inference_mode|autocast|float(?:16|32|64)"
    r"|int(?:8|16|32|64)|cuda\.amp)\b",
    re.MULTILINE,
)
_ONLY_WITH_MOVES = ("DEV1", "DEV2", "DEV4", "DEV5")
"""The rules whose fixes gain nothing where what moves to CUDA does so still."""
_ASKS_FOR_VERSION = regex(r"\b__version__\b|\bhasattr\(torch\b|\bexcept\b[^\n:]*\b(?:Attribute|Import)Error\b")


class Rule(cst.BatchableCSTVisitor):
    """Base of all rules: define a ``trigger`` and ``check``, and call ``report``.

    The engine walks the tree once for all rules, in source order, and calls every ``visit_`` method; what it returns
    is not looked at. The docstring of a rule is its manual: a summary line, then the sections ``What it does``,
    ``Why is this bad?``, ``Example`` (with ``Use instead``) and ``Fix safety``.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    advice: ClassVar[str]
    """What a person would do where the rule has no fix, in the imperative."""
    default: ClassVar[bool] = True
    """Whether the rule runs without being selected."""
    targets: ClassVar[tuple[str, ...]] = KINDS
    """The kinds of target that the rule is for; with another it does not run."""
    remainder: ClassVar[bool] = False
    """Whether the rule is for what other rules leave: its findings in lines that they report or fix are dropped."""
    gains_with_kernels: ClassVar[bool] = True
    """Whether something is gained by what the rule asks for where a file needs CUDA's kernels (with target cuda)."""
    torch_since: ClassVar[tuple[int, int]] = DEFAULT_TORCH_MIN_VERSION
    """The oldest ``torch-min-version`` with which the rule can find something; its manual's examples are for it."""
    needs_torch_min: ClassVar[bool] = False
    """Whether the rule finds nothing where nobody says which torch is the oldest (``Target.torch_min_is_guess``)."""
    trigger: ClassVar[Trigger]
    """What the rule looks for, made of what devlint.rules.triggers and devlint.torch_api define.

    ``check`` is called for the nodes that it names; ``visit_<Node>`` methods are for what it does not name.
    """

    check: Callable[[Any], None]

    def __init__(self, ctx: FileContext) -> None:
        super().__init__()
        self.ctx = ctx
        self.diagnostics: list[Diagnostic] = []

    def check_trigger(self, node: cst.CSTNode) -> None:
        """Call ``check`` for a node that may be a trigger."""
        if self.trigger.is_at(node):
            self.check(node)

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
        if not self.gains_with_kernels and self.ctx.target.kind == "cuda":
            if runs_kernels(self.ctx) or is_beside_kernel(self.ctx, place):
                return
        if fix is not None and changes_kept_code(self.ctx, fix):
            fix = None
        if fix is not None and fix.is_safe and self.ctx.fact(_may_lack_devices):
            if _needs_devices(fix) or self.code.startswith(_ONLY_WITH_MOVES):
                fix = fix.made_unsafe(TOO_OLD)
        source = self.ctx.source
        first, last = source.location(place.start), source.location(place.end)
        self.diagnostics.append(Diagnostic(source.path, self.code, message, place, first, last, fix))


def _may_lack_devices(ctx: FileContext) -> bool:
    """Whether the file runs with a torch without devices: where its project asks for one, and it uses nothing newer."""
    if not ctx.target.torch_is_before_devices:
        return False
    text = ctx.source.text
    return _SINCE_DEVICES.search(text) is None or _ASKS_FOR_VERSION.search(text) is not None


def _needs_devices(fix: Fix) -> bool:
    """Whether a fix writes what torch has since 0.4."""
    return any(_DEVICES.search(one.text) is not None for one in fix.edits)
