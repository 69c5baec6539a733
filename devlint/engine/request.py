"""What the engine is asked about one file, and what it answers."""

from __future__ import annotations

from devlint.core.record import Record
from devlint.core.target import Target
from devlint.sources.suppressions.suppression_settings import DEFAULT_SUPPRESSIONS, SuppressionSettings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from devlint.analysis.project.project import Index
    from devlint.core.diagnostic import Diagnostic, Failure, Span
    from devlint.core.observed_tensors import ObservedFile
    from devlint.engine.finding_filter import FindingFilter
    from devlint.rules.base import Rule
    from devlint.sources.gitignore import FileFilter

    FixChoice = Callable[[Diagnostic, Span], bool]
    """Says whether to make the fix of a finding; the span is its place in the file before any fix was made."""


class Request(Record, eq=False):
    """What to do with one file."""

    finding_filter: FindingFilter
    """Which findings count."""
    rules: Sequence[type[Rule]] = ()
    """The rules to run; none in a file that is no Python."""
    target: Target = Target()
    enabled: frozenset[str] = frozenset()
    """The codes of all enabled rules, devlint's own (DEV001 to DEV004) among them."""
    suppression_settings: SuppressionSettings = DEFAULT_SUPPRESSIONS
    fix: bool = False
    """Whether to make fixes; the new text is returned, nothing is written."""
    unsafe_fixes: bool = False
    chooses_fix: FixChoice | None = None
    """Which of the fixes to make; None for all."""
    around: tuple[Index, FileFilter] | None = None
    """What the run knows of other files, and which of them count; see ``devlint.analysis.project``."""
    observed: ObservedFile | None = None
    """What `devlint observe` has seen of the file as it is."""
    is_stopped: Callable[[], bool] | None = None
    """Asked again and again while rules run; once it says so, Stopped is raised."""
    parsed_text: str = ""
    """What LibCST parses in place of the file's text: that without functions in which no rule finds anything."""


class Result(Record):
    """What was found in one file, and what fixes made of it."""

    text: str
    diagnostics: tuple[Diagnostic, ...] = ()
    """The findings; after fixes, those that remain."""
    applied: tuple[Diagnostic, ...] = ()
    """The findings that were fixed; their places are those of the pass that fixed them."""
    first: tuple[Diagnostic, ...] | None = None
    """The findings before any fix; None where they were not kept."""
    failure: Failure | None = None
