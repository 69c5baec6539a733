"""What a report says, as plain values; every format shows these and computes nothing of its own."""

from __future__ import annotations

from enum import Enum

from devlint.core.record import Record
from devlint.report.tally import Portability, Remedy, Tally, total

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class SourceRow(Record):
    """A row of source text."""

    number: int
    text: str
    marks: tuple[tuple[int, int], ...] = ()
    """Ranges of characters that are found, deleted or inserted."""
    cell: int | None = None
    """In a notebook, the cell in which rows are counted."""


class RowPair(Record):
    """A row before and after a fix, beside each other; None where one of them has none."""

    before: SourceRow | None
    after: SourceRow | None

    @property
    def is_changed(self) -> bool:
        """Whether the fix changes something here."""
        return self.before is None or self.after is None or self.before.text != self.after.text


class ReportedFinding(Record):
    """One finding."""

    path: str
    code: str
    message: str
    place: str
    """``row:column``, in a notebook ``cell 3:row:column``."""
    row: int
    column: int
    cell: int | None
    remedy: Remedy
    fix_message: str
    """What the fix does, and what it may change; empty without one."""
    excerpt: tuple[SourceRow, ...] = ()
    """The rows around it; empty where there is a diff, which shows them."""
    diff: tuple[tuple[RowPair, ...], ...] = ()
    """The places that its fix changes, side by side."""


class BlockerKind(str, Enum):
    """What cannot be repaired by moving tensors."""

    KERNEL = "CUDA kernel"
    EXTENSION = "CUDA extension build"
    TRITON = "Triton kernel"
    LIBRARY = "Library that needs CUDA"
    REQUIREMENT = "Stops without CUDA"

    @property
    def is_code_to_port(self) -> bool:
        """Whether somebody must write it again for another device."""
        return self in (BlockerKind.KERNEL, BlockerKind.EXTENSION, BlockerKind.TRITON)


class Blocker(Record, order=True):
    """Something that needs CUDA itself."""

    path: str
    row: int
    kind: BlockerKind
    detail: str
    is_optional: bool = False
    """Whether the file can be imported and used without it: it stands in a function, a ``try`` or an ``if``."""


class ReportedFile(Record):
    """One file."""

    path: str
    """As devlint names it, from the current folder."""
    name: str
    """Below the folder that the report is about, with ``/``."""
    lines: int
    portability: Portability
    findings: tuple[ReportedFinding, ...] = ()
    blockers: tuple[Blocker, ...] = ()
    problems: tuple[str, ...] = ()
    """Why it could not be read or parsed, or was left alone."""

    @property
    def tally(self) -> Tally:
        """Its counts."""
        remedies = dict.fromkeys(Remedy, 0)
        for one in self.findings:
            remedies[one.remedy] += 1
        hard = sum(not one.is_optional for one in self.blockers)
        return Tally({self.portability: 1}, {self.portability: self.lines}, remedies, hard)


class ReportedFolder(Record):
    """One folder with all below it."""

    name: str
    """With ``/`` at its end; empty for the folder that the report is about."""
    tally: Tally

    @property
    def depth(self) -> int:
        """How many folders it is in."""
        return self.name.count("/")


class RuleCount(Record):
    """The findings of one rule."""

    code: str
    name: str
    summary: str
    advice: str
    """What a person would do where there is no fix."""
    address: str
    """Of the rule's page."""
    findings: Mapping[Remedy, int]
    files: int

    @property
    def count(self) -> int:
        """All of them."""
        return sum(self.findings.values())


class TorchReason(Record, order=True):
    """A name that some torch has first."""

    version: tuple[int, int]
    name: str
    places: tuple[tuple[str, int], ...]
    """Where it stands, or would after fixes: paths and rows, the first few."""
    count: int
    by_fixes: bool
    """Whether fixes would write it, and the code does not have it yet."""


class TorchNeed(Record):
    """The oldest torch that can run the code."""

    now: tuple[int, int]
    """As it is."""
    fixed: tuple[int, int]
    """After all fixes."""
    required: str
    """What the project says itself; empty if it says nothing."""
    reasons: tuple[TorchReason, ...] = ()


class WorkItem(Record):
    """One line of an estimate."""

    key: str
    label: str
    count: int
    low: float
    """Minutes for each, if all goes well."""
    high: float
    assumption: str
    """What is done in that time."""

    @property
    def total_low(self) -> float:
        """Minutes for all, if all goes well."""
        return self.count * self.low

    @property
    def total_high(self) -> float:
        """Minutes for all, otherwise."""
        return self.count * self.high


class ProvenRun(Record):
    """Something that a run has shown."""

    title: str
    holds: bool | None
    """None where it is neither for nor against the fixes."""
    details: tuple[str, ...] = ()


class MigrationReport(Record):
    """All that there is to say about one project."""

    title: str
    version: str
    """Of devlint."""
    paths: tuple[str, ...]
    """What was asked for."""
    target: str
    files: tuple[ReportedFile, ...]
    folders: tuple[ReportedFolder, ...]
    rules: tuple[RuleCount, ...]
    torch: TorchNeed
    work: tuple[WorkItem, ...]
    proofs: tuple[ProvenRun, ...] = ()
    failures: tuple[tuple[str, str], ...] = ()
    """Paths under which something could not be done, and what."""

    @property
    def tally(self) -> Tally:
        """The counts over all files."""
        return total(one.tally for one in self.files)

    @property
    def findings(self) -> list[ReportedFinding]:
        """All findings, by rule and place."""
        found = [one for file in self.files for one in file.findings]
        return sorted(found, key=lambda one: (one.code, one.path, one.cell or 0, one.row, one.column, one.message))

    @property
    def not_analyzed(self) -> list[tuple[str, str]]:
        """The paths of which nothing is known, and why: what could not be done, left alone, or does not parse."""
        unknown = [file for file in self.files if file.portability is Portability.UNKNOWN]
        said = [(file.path, one) for file in unknown for one in file.problems]
        said += [(file.path, one.message) for file in unknown if not file.problems for one in file.findings]
        return list(dict.fromkeys((*self.failures, *said)))

    @property
    def blockers(self) -> list[Blocker]:
        """All blockers: those that are not optional first, then by kind and place."""
        kinds = list(BlockerKind)
        found = [one for file in self.files for one in file.blockers]
        return sorted(found, key=lambda one: (one.is_optional, kinds.index(one.kind), one.path, one.row, one.detail))
