"""The JSON format: an array of objects with the names that Ruff's users know."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from devlint.cli.output.findings import FileFindings, RenderContext
from devlint.core.addresses import rule_address
from devlint.core.diagnostic import Diagnostic, Edit, Failure, Location

if TYPE_CHECKING:
    from devlint.cli.output.findings import LocationOf


def stream(files: Iterable[FileFindings], context: RenderContext) -> Iterator[str]:
    """The whole array, at the end."""
    yield render(objects(files, context))


def objects(files: Iterable[FileFindings], context: RenderContext) -> Iterator[dict[str, Any]]:
    """An object for every failure and finding, as the files come."""
    for file in files:
        yield from map(_failed, file.failures)
        for one in file.diagnostics:
            yield as_object(one, context.names.get(one.code, ""), file.location_of(one))


def as_object(diagnostic: Diagnostic, name: str, location_of: LocationOf) -> dict[str, Any]:
    """One finding; ``location_of`` belongs to the text that it and its edits speak of."""
    fix = diagnostic.fix
    return {
        "cell": diagnostic.location.cell,
        "code": diagnostic.code,
        "name": name,
        "message": diagnostic.message,
        "filename": _filename(diagnostic.path),
        "location": _location(diagnostic.location),
        "end_location": _location(diagnostic.end_location),
        "fix": None
        if fix is None
        else {
            "applicability": fix.applicability.value,
            "message": fix.message,
            "edits": [_edit(edit, location_of) for edit in fix.edits],
        },
        "noqa_row": diagnostic.location.row,
        "url": rule_address(diagnostic.code),
    }


def render(objects: Iterable[Mapping[str, Any]]) -> str:
    """The array, ending in a newline."""
    return json.dumps(list(objects), indent=2) + "\n"


def _failed(failure: Failure) -> dict[str, Any]:
    """What devlint could not do: like a finding at the start of the file, but of no rule."""
    return {
        "cell": None,
        "code": None,
        "name": "failure",
        "message": failure.message,
        "filename": _filename(failure.path),
        "location": {"row": 1, "column": 1},
        "end_location": {"row": 1, "column": 1},
        "fix": None,
        "noqa_row": None,
        "url": None,
    }


def _filename(path: str) -> str:
    return path if path == "-" else os.path.abspath(path)


def _edit(edit: Edit, location_of: LocationOf) -> dict[str, Any]:
    start, end = location_of(edit.span.start), location_of(edit.span.end)
    found = {"content": edit.text, "location": _location(start), "end_location": _location(end)}
    return found if start.cell is None else {"cell": start.cell, **found}


def _location(location: Location) -> dict[str, int]:
    return {"row": location.row, "column": location.column}
