"""The GitLab format: a code quality report, which GitLab compares between two branches by its fingerprints."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from devlint.cli.output.findings import FileFindings, RenderContext
from devlint.cli.output.fingerprint import Fingerprints
from devlint.cli.output.paths import portable


def stream(files: Iterable[FileFindings], context: RenderContext) -> Iterator[str]:
    """The whole report, at the end."""
    fingerprints = Fingerprints()
    issues = [issue for file in files for issue in _issues(file, context, fingerprints)]
    yield json.dumps(issues, indent=2) + "\n"


def _issues(file: FileFindings, context: RenderContext, fingerprints: Fingerprints) -> Iterator[dict[str, object]]:
    """The findings and failures of one file."""
    for failure in file.failures:
        path = portable(failure.path, context.root)
        yield {
            "description": failure.message,
            "check_name": "failure",
            "fingerprint": fingerprints.of(path, "failure", failure.message),
            "severity": "blocker",
            "location": {"path": path, "lines": {"begin": 1, "end": 1}},
        }
    path = portable(file.path, context.root)
    for one, fingerprint in fingerprints.of_findings(file, path):
        yield {
            "description": f"{one.code}: {one.message}",
            "check_name": one.code,
            "fingerprint": fingerprint,
            "severity": "major",
            "location": {"path": path, "lines": {"begin": one.location.row, "end": one.end_location.row}},
        }
