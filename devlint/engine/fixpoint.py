"""Fixes one file: choose fixes, splice them in, look again, until nothing is left; the best that can be or nothing."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Sequence

from devlint.core.diagnostic import Applicability, Diagnostic, Edit, Failure, Span
from devlint.core.record import Record
from devlint.engine.finding_filter import Screen
from devlint.sources.source import Source

MAX_PASSES = 10
"""More would be a bug: every fix must be settled, or wait for another one, a few times at most."""


class LintResult(Record):
    """What was found in one file."""

    diagnostics: tuple[Diagnostic, ...]
    failure: Failure | None = None


class FixResult(Record):
    """What became of one file."""

    text: str
    applied: tuple[Diagnostic, ...]
    remaining: tuple[Diagnostic, ...]
    failure: Failure | None = None


class _Blame(Record):
    """Why nothing was fixed: the rules at fault, and what they did."""

    codes: frozenset[str]
    reason: str


Look = Callable[[Source], LintResult]
"""Finds what there is in a text, as far as it passes the screen."""
Judge = Callable[[Source, str], str | None]
"""Says what is wrong with another text for a file that was not wrong with the one it has."""


def settle(source: Source, look: Look, judge: Judge, unsafe: bool, screen: Screen) -> FixResult:
    """Make the fixes of what ``look`` finds until nothing is left, without those of rules that ``judge`` blames."""
    blamed: frozenset[str] = frozenset()
    failure: Failure | None = None
    while True:
        result = _settle(source, look, judge, unsafe, blamed, screen)
        if isinstance(result, FixResult):
            return result.replace(failure=result.failure or failure)
        codes = ", ".join(sorted(result.codes))
        failure = Failure(source.path, f"fix of {codes} not applied, please report it: {result.reason}")
        blamed |= result.codes


def _settle(
    source: Source, look: Look, judge: Judge, unsafe: bool, blamed: frozenset[str], screen: Screen
) -> FixResult | _Blame:
    """Fix in passes, without the fixes of ``blamed`` rules."""
    current = source
    applied: list[Diagnostic] = []
    screen.begin(source)
    for _ in range(MAX_PASSES):
        result = look(current)
        if result.failure is not None:
            return (
                _blame(applied, result.failure.message) if applied else FixResult(source.text, (), (), result.failure)
            )
        chosen = list(_choose(result.diagnostics, unsafe, blamed))
        if not chosen:
            return FixResult(current.text, tuple(applied), result.diagnostics)
        text = splice(current.text, _edits(chosen))
        complaint = judge(current, text)
        if complaint is not None:
            return _culprits(current, chosen, judge, complaint)
        applied += chosen
        screen.edited(_edits(chosen))
        current = current.replace(text=text)
    return _blame(chosen, f"fixes did not settle in {MAX_PASSES} passes")


def splice(text: str, edits: Iterable[Edit]) -> str:
    """``text`` with all ``edits`` made; they must not overlap."""
    pieces: list[str] = []
    at = 0
    for edit in sorted(edits):
        pieces += (text[at : edit.span.start], edit.text)
        at = edit.span.end
    pieces.append(text[at:])
    return "".join(pieces)


def _choose(diagnostics: Iterable[Diagnostic], unsafe: bool, blamed: frozenset[str]) -> Iterator[Diagnostic]:
    """Findings whose fixes can be made together: equal edits merge, touching ones wait for the next pass."""
    taken = _Taken()
    for diagnostic in diagnostics:
        fix = diagnostic.fix
        if fix is None or diagnostic.code in blamed:
            continue
        if fix.applicability is Applicability.UNSAFE and not unsafe:
            continue
        if all(taken.allows(edit) for edit in fix.edits):
            taken.add(fix.edits)
            yield diagnostic


class _Taken:
    """Edits that are to be made together, in order."""

    def __init__(self) -> None:
        self._edits: set[Edit] = set()
        self._spans: list[Span] = []

    def allows(self, edit: Edit) -> bool:
        """Whether an edit is among them already, or touches none of them: only its neighbours can tell."""
        at = bisect_left(self._spans, edit.span)
        near = self._spans[max(at - 2, 0) : at + 2]
        return edit in self._edits or not any(edit.span.overlaps(other) for other in near)

    def add(self, edits: Iterable[Edit]) -> None:
        """Take some more, which it allows."""
        for edit in edits:
            if edit not in self._edits:
                self._edits.add(edit)
                insort(self._spans, edit.span)


def _edits(diagnostics: Iterable[Diagnostic]) -> set[Edit]:
    return {edit for diagnostic in diagnostics if diagnostic.fix for edit in diagnostic.fix.edits}


def _blame(diagnostics: Iterable[Diagnostic], reason: str) -> _Blame:
    return _Blame(frozenset(diagnostic.code for diagnostic in diagnostics), reason)


def _culprits(source: Source, chosen: Sequence[Diagnostic], judge: Judge, complaint: str) -> _Blame:
    """The rules whose own fixes make the file worse; all of them if only their combination does."""
    guilty = []
    for code in sorted({diagnostic.code for diagnostic in chosen}):
        own = [diagnostic for diagnostic in chosen if diagnostic.code == code]
        reason = judge(source, splice(source.text, _edits(own)))
        if reason is not None:
            guilty += own
            complaint = reason
    return _blame(guilty or chosen, complaint)
