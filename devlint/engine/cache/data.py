"""Findings, and notebooks as programs, as plain values that JSON can hold, and back."""

from __future__ import annotations

from devlint.core.diagnostic import Applicability, Diagnostic, Edit, Fix, Location, Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from devlint.sources.source import Source


def to_data(one: Diagnostic) -> list[Any]:
    """A finding without the path of its file."""
    places = [_location(one.location), _location(one.end_location)]
    return [one.code, one.message, one.span.start, one.span.end, *places, _fix(one.fix)]


def from_data(path: str, data: list[Any]) -> Diagnostic:
    """The finding in the file that is called ``path`` now."""
    code, message, start, end, first, last, fix = data
    return Diagnostic(path, code, message, Span(start, end), Location(*first), Location(*last), _read_fix(fix))


def _location(place: Location) -> list[int | None]:
    return [place.row, place.column] if place.cell is None else [place.row, place.column, place.cell]


def _fix(fix: Fix | None) -> list[Any] | None:
    if fix is None:
        return None
    edits = [[edit.span.start, edit.span.end, edit.text] for edit in fix.edits]
    return [fix.applicability.value, fix.message, edits]


def _read_fix(data: list[Any] | None) -> Fix | None:
    if data is None:
        return None
    applicability, message, edits = data
    made = tuple(Edit(Span(start, end), text) for start, end, text in edits)
    return Fix(made, Applicability(applicability), message)


def program_data(source: Source) -> list[Any]:
    """What only a parser can make of a notebook: the text of its program, and what that masks."""
    from devlint.syntax.notebooks.notebook_source import NotebookSource

    assert isinstance(source, NotebookSource)
    masks = source.masks
    mentions = [[[one.start, one.end, one.name, one.correct_name] for one in found] for found in masks.mentions]
    return [source.text, masks.mark, [*masks.commands], mentions, sorted(masks.whole), sorted(masks.headed)]


def notebook(path: str, data: bytes, program: list[Any]) -> Source:
    """The notebook in a file with these contents, without what is wrong with its cells: that is among the findings."""
    from devlint.sources.environment_mentions import Mention
    from devlint.syntax.notebooks.notebook_file import Notebook
    from devlint.syntax.notebooks.notebook_source import Masks, NotebookSource

    text, mark, commands, mentions, whole, headed = program
    found = tuple(tuple(Mention(*one) for one in command) for command in mentions)
    raw = data.decode("utf-8")
    bom = raw.startswith("\ufeff")
    masks = Masks(mark, tuple(commands), found, frozenset(whole), frozenset(headed))
    return NotebookSource(path, text, "utf-8", bom, Notebook.parse(raw[bom:]), masks)
