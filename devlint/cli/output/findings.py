"""What a renderer is given: the findings of one file after the other, and what it may ask about them."""

from __future__ import annotations

from devlint.core.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from devlint.cli.output.style import Style
    from devlint.core.diagnostic import Diagnostic, Failure, Fix, Location

    LineLookup = Callable[[int], str]
    """A row's text, without its line ending."""
    LocationOf = Callable[[int], Location]
    """The place of a character."""


class Change(Record):
    """A piece of a file that a fix changes."""

    part: str
    """The name of the cell of a notebook; empty elsewhere."""
    row: int
    """Where it begins before the fix."""
    new_row: int
    """Where it begins after the fix."""
    before: str
    after: str


class FileFindings(Record):
    """All that is to be shown of one file."""

    path: str
    diagnostics: tuple[Diagnostic, ...]
    failures: tuple[Failure, ...] = ()
    line: LineLookup | None = None
    """None where the text is not known, as ``location``."""
    location: LocationOf | None = None
    unsafe_fixes: bool = False
    """Whether unsafe fixes count as fixes here."""
    changes: Callable[[Fix], Iterable[Change]] | None = None
    """What a fix changes; None where the text is not known."""

    def location_of(self, diagnostic: Diagnostic) -> LocationOf:
        """The place of characters in the text that a finding and its edits speak of."""
        return self.location or (lambda _: diagnostic.location)


class RenderContext(Record):
    """What is the same for all files of a run."""

    style: Style
    names: Mapping[str, str]
    """The name of each rule by its code."""
    manual: Callable[[str], str]
    """The manual of the rule with a code, in Markdown; its first line says what the rule finds."""
    version: str
    """Of devlint."""
    root: str
    """The folder that paths in reports start from: the repository's in CI, else the current one."""
    advice: Mapping[str, str] = {}
    """What a person would do about a finding without a fix, by the code of its rule."""
    longest_diff: int = 0
    """The most lines of a fix's diff that are shown under its finding."""
