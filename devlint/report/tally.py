"""Counts over files: of a folder, of a project, of many projects; what they are of, and how they are shown."""

from __future__ import annotations

from enum import Enum

from devlint.core.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Portability(str, Enum):
    """What a file needs before it runs on any device, from nothing to most."""

    PORTABLE = "portable"
    SAFE = "safe"
    UNSAFE = "unsafe"
    HAND = "hand"
    BLOCKED = "blocked"
    UNKNOWN = "unknown"
    """It could not be read or parsed."""
    NO_TORCH = "no-torch"

    @property
    def label(self) -> str:
        """The words for it in tables and legends."""
        return _LABELS[self]

    @property
    def counts(self) -> bool:
        """Whether lines of such files count in shares: those of files without torch say nothing."""
        return self is not Portability.NO_TORCH


_LABELS = {
    Portability.PORTABLE: "Portable as it is",
    Portability.SAFE: "Portable after safe fixes",
    Portability.UNSAFE: "Portable after unsafe fixes",
    Portability.HAND: "Work by hand",
    Portability.BLOCKED: "Blocked: needs CUDA",
    Portability.UNKNOWN: "Could not be analyzed",
    Portability.NO_TORCH: "Does not use torch",
}


class Remedy(str, Enum):
    """Who repairs a finding."""

    SAFE = "safe"
    UNSAFE = "unsafe"
    HAND = "hand"

    @property
    def label(self) -> str:
        """The words for it in tables."""
        return {"safe": "safe fix", "unsafe": "unsafe fix", "hand": "by hand"}[self.value]


class BarPart(Record):
    """A part of a bar that shows shares."""

    kind: Portability
    start: float
    width: float


class Tally(Record):
    """Counts over some files: of a folder, a project or many projects."""

    files: Mapping[Portability, int]
    lines: Mapping[Portability, int]
    findings: Mapping[Remedy, int]
    blockers: int = 0
    """Those that are not optional."""

    @property
    def file_count(self) -> int:
        """All files."""
        return sum(self.files.values())

    @property
    def line_count(self) -> int:
        """All lines."""
        return sum(self.lines.values())

    @property
    def finding_count(self) -> int:
        """All findings."""
        return sum(self.findings.values())

    @property
    def counted_lines(self) -> int:
        """The lines of files that use torch, of which shares are taken."""
        return sum(number for kind, number in self.lines.items() if kind.counts)

    def share(self, *kinds: Portability) -> float:
        """The part of the lines that count, from 0 to 1, in files of these kinds; 1 where no line counts."""
        counted = self.counted_lines
        return sum(self.lines.get(kind, 0) for kind in kinds) / counted if counted else 1.0

    @property
    def bar(self) -> list[BarPart]:
        """The shares of all kinds as parts of a bar that is a thousand wide."""
        parts: list[BarPart] = []
        at = 0.0
        for kind in Portability:
            share = self.share(kind) if kind.counts and self.lines.get(kind) else 0.0
            if share:
                parts.append(BarPart(kind, round(at, 1), round(share * 1000, 1)))
                at += share * 1000
        return parts

    @property
    def said(self) -> str:
        """The shares in words."""
        shares = (f"{self.share(one.kind):.0%} {one.kind.label.lower()}" for one in self.bar)
        return ", ".join(shares) or "no lines that use torch"

    @property
    def portable_share(self) -> float:
        """The share of lines in files that run on any device as they are."""
        return self.share(Portability.PORTABLE)

    @property
    def safe_share(self) -> float:
        """The same after ``devlint fix``."""
        return self.share(Portability.PORTABLE, Portability.SAFE)

    @property
    def unsafe_share(self) -> float:
        """The same after ``devlint fix --unsafe-fixes``."""
        return self.share(Portability.PORTABLE, Portability.SAFE, Portability.UNSAFE)


def total(tallies: Iterable[Tally]) -> Tally:
    """The sum of counts."""
    files = dict.fromkeys(Portability, 0)
    lines = dict.fromkeys(Portability, 0)
    findings = dict.fromkeys(Remedy, 0)
    blockers = 0
    for one in tallies:
        for kind in Portability:
            files[kind] += one.files.get(kind, 0)
            lines[kind] += one.lines.get(kind, 0)
        for remedy in Remedy:
            findings[remedy] += one.findings.get(remedy, 0)
        blockers += one.blockers
    return Tally(files, lines, findings, blockers)
