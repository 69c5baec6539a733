"""What is known of a rule without importing it, and so without importing LibCST."""

from __future__ import annotations

from devlint.core.record import Record
from devlint.core.target import KINDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass


class RuleInfo(Record):
    """One row of the catalogue."""

    code: str
    name: str
    summary: str
    """First line of the rule's docstring."""
    fix: str
    """``safe``, ``mostly safe``, ``unsafe``, or ``none`` where it only reports."""
    default: bool
    """Whether the rule runs without being selected."""
    literals: tuple[bytes, ...]
    """The rule cannot fire in a file that has none of these bytes; empty for a rule that must see every file."""
    module: str
    """Where the rule's class is."""
    targets: tuple[str, ...] = KINDS
    """The kinds of target that the rule is for; with another it does not run."""
    patterns: tuple[str | tuple[str, ...], ...] = ()
    """The rule cannot fire in code that matches none of these regular expressions, or all of a tuple of them."""
    precheck: str = ""
    """``module:function`` that says of bytes whether the rule can fire."""
    look: str = ""
    """``module:function`` that says so of Python's own syntax tree."""
    sure: tuple[str | tuple[str, ...], ...] = ()
    """Code that makes its look needless: the rule nearly always fires in it."""
    needs_torch_min: bool = False
    """Whether the rule finds nothing where nobody says which torch is the oldest."""
