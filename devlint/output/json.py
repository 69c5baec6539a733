"""The JSON format: an array of objects with the names that Ruff's users know."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import Any, Callable

from devlint.diagnostic import Diagnostic, Edit, Location

LocationOf = Callable[[int], Location]
"""The place of a character."""


def as_object(diagnostic: Diagnostic, name: str, location_of: LocationOf) -> dict[str, Any]:
    """One finding; ``location_of`` belongs to the text that it and its edits speak of."""
    fix = diagnostic.fix
    return {
        "code": diagnostic.code,
        "name": name,
        "message": diagnostic.message,
        "filename": diagnostic.path if diagnostic.path == "-" else os.path.abspath(diagnostic.path),
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
    }


def render(objects: Iterable[Mapping[str, Any]]) -> str:
    """The array, an object to a few lines, ending in a newline."""
    return json.dumps(list(objects), indent=2) + "\n"


def _edit(edit: Edit, location_of: LocationOf) -> dict[str, Any]:
    return {
        "content": edit.text,
        "location": _location(location_of(edit.span.start)),
        "end_location": _location(location_of(edit.span.end)),
    }


def _location(location: Location) -> dict[str, int]:
    return {"row": location.row, "column": location.column}
