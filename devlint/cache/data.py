"""Reports as plain values that JSON can hold, and back, exactly."""

from __future__ import annotations

from devlint.diagnostic import Applicability, Diagnostic, Edit, Fix, Location, Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional


def to_data(one: Diagnostic) -> list[Any]:
    """A finding without the path of its file."""
    places = [_location(one.location), _location(one.end_location)]
    return [one.code, one.message, one.span.start, one.span.end, *places, _fix(one.fix)]


def from_data(path: str, data: list[Any]) -> Diagnostic:
    """The finding in the file that is called ``path`` now."""
    code, message, start, end, first, last, fix = data
    return Diagnostic(path, code, message, Span(start, end), Location(*first), Location(*last), _read_fix(fix))


def _location(place: Location) -> list[Optional[int]]:
    return [place.row, place.column] if place.cell is None else [place.row, place.column, place.cell]


def _fix(fix: Optional[Fix]) -> Optional[list[Any]]:
    if fix is None:
        return None
    edits = [[edit.span.start, edit.span.end, edit.text] for edit in fix.edits]
    return [fix.applicability.value, fix.message, edits]


def _read_fix(data: Optional[list[Any]]) -> Optional[Fix]:
    if data is None:
        return None
    applicability, message, edits = data
    made = tuple(Edit(Span(start, end), text) for start, end, text in edits)
    return Fix(made, Applicability(applicability), message)
