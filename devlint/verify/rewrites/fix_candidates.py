"""The fixes that ``devlint fix --verify`` tries, told apart so that one of them can be dropped and the others made."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from devlint.core.diagnostic import Diagnostic, Edit, Span

if TYPE_CHECKING:
    from devlint.engine.request import FixChoice


@dataclass(frozen=True, order=True)
class Candidate:
    """A fix of one rule in one file; findings that share its edits are one candidate."""

    path: str
    """The absolute path."""
    span: Span
    """The place of its first finding in the file before any fix was made."""
    code: str


class Candidates:
    """All fixes that the engine has asked about."""

    def __init__(self) -> None:
        self._by_place: dict[tuple[str, Span, str], Candidate] = {}
        self._by_edits: dict[tuple[str, str, tuple[Edit, ...]], Candidate] = {}

    def all(self) -> list[Candidate]:
        """The candidates by file and place."""
        return sorted(set(self._by_place.values()))

    def all_but(self, dropped: Collection[Candidate]) -> FixChoice:
        """Chooses all fixes but some, and takes note of those that are new."""
        return lambda diagnostic, origin: self._candidate(diagnostic, origin) not in dropped

    def _candidate(self, diagnostic: Diagnostic, origin: Span) -> Candidate:
        """The candidate that the fix of a finding belongs to."""
        path = os.path.abspath(diagnostic.path)
        edits = diagnostic.fix.edits if diagnostic.fix else ()
        candidate = self._by_place.get((path, origin, diagnostic.code))
        if candidate is None:
            new = Candidate(path, origin, diagnostic.code)
            candidate = self._by_edits.setdefault((path, diagnostic.code, edits), new)
            self._by_place[path, origin, diagnostic.code] = candidate
        return candidate
