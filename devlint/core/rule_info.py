"""What is known of a rule without importing it, and so without importing LibCST."""

from __future__ import annotations

from devlint.core.record import Record
from devlint.core.target import KINDS


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
    module: str
    """Where the rule's class is."""
    words: tuple[bytes, ...] = ()
    """The rule cannot fire in a file that has none of these bytes; empty for a rule that must see every file."""
    trigger: str = ""
    """The source text of what the rule looks for; its names are those of modules that define triggers."""
    targets: tuple[str, ...] = KINDS
    """The kinds of target that the rule is for; with another it does not run."""
    needs_torch_min: bool = False
    """Whether the rule finds nothing where nobody says which torch is the oldest."""
    advice: str = ""
    """What a person would do about a finding without a fix."""
