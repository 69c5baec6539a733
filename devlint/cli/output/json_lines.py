"""The JSON Lines format: the objects of the JSON format, each on a line and as soon as its file is done."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from devlint.cli.output.findings import FileFindings, RenderContext
from devlint.cli.output.json import objects


def stream(files: Iterable[FileFindings], context: RenderContext) -> Iterator[str]:
    """A line a finding, and a line a failure."""
    for found in objects(files, context):
        yield json.dumps(found) + "\n"
