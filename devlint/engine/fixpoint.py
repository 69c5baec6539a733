"""Applies the fixes of one file in passes, until no finding has one; fixes that make the file worse are left out."""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_left, insort
from contextlib import ExitStack

from devlint.core.diagnostic import Failure
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.engine.request import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from devlint.core.diagnostic import Diagnostic, Edit, Span
    from devlint.engine.request import Request
    from devlint.sources.source import Source

MAX_PASSES = 10
"""More would be a bug: a fix is made at once, or waits a few times for others that it touches."""
SUPPRESSION_RULES = frozenset({"DEV002", "DEV003", "DEV004"})
"""The rules about comments that suppress findings."""
_CHANGE_COMMENTS = SUPPRESSION_RULES | {"DEV301"}
"""They, and the one that corrects commands of notebooks, each of which stands as a comment in the program."""
_ASSIGNMENT = regex(r"(?m)^(?P<indent>[ \t]*)(?P<name>\w+) = ")
_UNINDENTED = regex(r"(?m)^(?=[\w@])")
TOO_DEEP = "is nested too deeply, left alone"


class Analysis(ExitStack):
    """Finds what there is in one kind of file, and judges what fixes make of it; used in a ``with``."""

    def __init__(self, request: Request) -> None:
        super().__init__()
        self.request = request

    @abstractmethod
    def findings(self, source: Source) -> Result:
        """All that is found in a text that is not suppressed."""

    @abstractmethod
    def complaint(self, source: Source, text: str, comment_edits: Iterable[Edit] = ()) -> str | None:
        """What is wrong with another text for the file that was not wrong with the one it has; None for nothing.

        No comment may be missing but those that ``comment_edits`` are meant to change.
        """

    def misplacement(self, source: Source, edits: Iterable[Edit], text: str) -> str | None:
        """What is elsewhere in another text, or gone, though none of the edits that made it touches it."""
        return None

    def layout(self, source: Source, text: str) -> Sequence[Edit]:
        """Edits that change how the text that fixes made of ``source`` is written, and nothing else."""
        return ()


class _Blame(Record):
    """Why nothing was fixed: the rules at fault, and what they did."""

    codes: frozenset[str]
    reason: str


def apply_fixes(source: Source, analysis: Analysis) -> Result:
    """Make fixes until no finding has one, but none of rules whose fixes make the file worse."""
    blamed: frozenset[str] = frozenset()
    failure: Failure | None = None
    while True:
        result = _Passes(source, analysis, blamed).run()
        if isinstance(result, Result):
            return result.replace(failure=result.failure or failure)
        codes = ", ".join(sorted(result.codes))
        failure = Failure(source.path, f"fix of {codes} not applied, please report it: {result.reason}")
        blamed |= result.codes


class _Passes:
    """Fixes a file pass by pass, without the fixes of ``blamed`` rules."""

    def __init__(self, source: Source, analysis: Analysis, blamed: frozenset[str]) -> None:
        self._source = source
        self._analysis = analysis
        self._request = analysis.request
        self._filter = analysis.request.finding_filter
        self._blamed = blamed

    def run(self) -> Result | _Blame:
        """The file once no finding has a fix, or the rules whose fixes are at fault."""
        current = self._source
        applied: list[Diagnostic] = []
        first: tuple[Diagnostic, ...] | None = None
        is_laid_out = False
        self._filter.begin(current)
        for _ in range(MAX_PASSES):
            result = self._analysis.findings(current)
            if result.failure is not None:
                if applied:
                    return _blame(applied, result.failure.message)
                return Result(current.text, failure=result.failure)
            found = self._filter.passing(result.diagnostics)
            first = found if first is None else first
            chosen = list(self._choose(current.text, found))
            is_settled = applied and not chosen and not is_laid_out
            layout = self._analysis.layout(self._source, current.text) if is_settled else ()
            if not chosen and not layout:
                return Result(current.text, found, tuple(applied), first=first if applied else None)
            if not chosen:
                is_laid_out = True
                self._filter.edited(layout)
                current = current.replace(text=splice(current.text, layout))
                continue
            made, complaint = _harmless(current, chosen, self._analysis)
            if not made:
                return _blame(chosen[:1], complaint)
            applied += made
            self._filter.edited(_edits(made))
            current = current.replace(text=splice(current.text, _edits(made)))
        return _blame(chosen, f"fixes did not settle in {MAX_PASSES} passes")

    def _choose(self, text: str, diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
        """Findings whose fixes can be made together: equal edits merge, touching ones wait for the next pass."""
        taken = _Taken(text)
        for diagnostic in diagnostics:
            fix = diagnostic.fix
            if fix is None or diagnostic.code in self._blamed or not self._is_wanted(diagnostic):
                continue
            if taken.allows(fix.edits):
                taken.add(fix.edits)
                yield diagnostic

    def _is_wanted(self, diagnostic: Diagnostic) -> bool:
        """Whether the request is to make the fix of a finding."""
        if diagnostic.fix is None or not (diagnostic.fix.is_safe or self._request.unsafe_fixes):
            return False
        chooses = self._request.chooses_fix
        return chooses is None or chooses(diagnostic, self._filter.origin(diagnostic.span))


def splice(text: str, edits: Iterable[Edit]) -> str:
    """``text`` with all ``edits`` made; they must not overlap."""
    pieces: list[str] = []
    at = 0
    for edit in sorted(edits):
        pieces += (text[at : edit.span.start], edit.text)
        at = edit.span.end
    pieces.append(text[at:])
    return "".join(pieces)


class _Taken:
    """Edits of a text that are to be made together, in order."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._edits: set[Edit] = set()
        self._spans: list[Span] = []
        self._names: set[tuple[str, bool, int]] = set()
        self._blocks: list[int] = []

    def allows(self, edits: Iterable[Edit]) -> bool:
        """Whether more can be made with them: none touches them, nor hides a name that others of them define."""
        return all(map(self._allows_edit, edits)) and not any(
            (name, not is_inner, block) in self._names for name, is_inner, block in self._defined(edits)
        )

    def _allows_edit(self, edit: Edit) -> bool:
        """Whether an edit is among them already, or touches none of them: only its neighbours can tell."""
        at = bisect_left(self._spans, edit.span)
        near = self._spans[max(at - 2, 0) : at + 2]
        return edit in self._edits or not any(edit.span.overlaps(other) for other in near)

    def add(self, edits: Iterable[Edit]) -> None:
        """Take some more, which it allows."""
        self._names |= self._defined(edits)
        for edit in edits:
            if edit not in self._edits:
                self._edits.add(edit)
                insort(self._spans, edit.span)

    def _defined(self, edits: Iterable[Edit]) -> set[tuple[str, bool, int]]:
        """The names that new rows assign, whether these are indented, and what of the module they are for."""
        rows = [(row, edit) for edit in edits if " = " in edit.text for row in _ASSIGNMENT.finditer(edit.text)]
        return {
            (row["name"], bool(row["indent"]), self._block(one.span.start))
            for row, edit in rows
            for one in ((edit,) if row["indent"] else edits)
        }

    def _block(self, offset: int) -> int:
        """Where the row that is not indented above a place begins."""
        if not self._blocks:
            self._blocks = [0, *(row.start() for row in _UNINDENTED.finditer(self._text))]
        return self._blocks[max(bisect_left(self._blocks, offset) - 1, 0)]


def _edits(diagnostics: Iterable[Diagnostic]) -> set[Edit]:
    return {edit for diagnostic in diagnostics if diagnostic.fix for edit in diagnostic.fix.edits}


def _comment_edits(diagnostics: Iterable[Diagnostic]) -> set[Edit]:
    """The edits of fixes that are meant to change comments."""
    return _edits(one for one in diagnostics if one.code in _CHANGE_COMMENTS)


def _blame(diagnostics: Iterable[Diagnostic], reason: str) -> _Blame:
    return _Blame(frozenset(diagnostic.code for diagnostic in diagnostics), reason)


def _complaint(source: Source, made: Sequence[Diagnostic], analysis: Analysis) -> str | None:
    """What is wrong with the text that the fixes of some findings make; None for nothing."""
    text = splice(source.text, _edits(made))
    complaint = analysis.complaint(source, text, _comment_edits(made))
    return complaint or analysis.misplacement(source, _edits(made), text)


def _harmless(source: Source, chosen: Sequence[Diagnostic], analysis: Analysis) -> tuple[Sequence[Diagnostic], str]:
    """The findings whose fixes make the file no worse, all or as many of the first; and what the next one makes worse.

    Fixes that are right but do not go together, as two that define the same name, so follow each other in passes.
    """
    complaint = _complaint(source, chosen, analysis)
    if complaint is None:
        return chosen, ""
    good, bad = 0, len(chosen)
    while bad - good > 1:
        count = (good + bad) // 2
        found = _complaint(source, chosen[:count], analysis)
        good, bad, complaint = (count, bad, complaint) if found is None else (good, count, found)
    return chosen[:good], complaint
