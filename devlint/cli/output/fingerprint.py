"""Fingerprints: the same finding has the same one in the next run, though the lines above it have changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from devlint.cli.output.findings import FileFindings
from devlint.core.diagnostic import Diagnostic


class Fingerprints:
    """Hands out fingerprints that are unique within a run."""

    def __init__(self) -> None:
        self._met: Counter[tuple[str, ...]] = Counter()

    def of(self, path: str, *what: str) -> str:
        """Made of a path and words about a finding; where they are equal the first, the second … are told apart."""
        import hashlib

        key = (path, *what)
        self._met[key] += 1
        words = "\0".join((*key, str(self._met[key])))
        return hashlib.sha256(words.encode("utf-8", "surrogateescape")).hexdigest()[:32]

    def of_findings(self, file: FileFindings, path: str) -> Iterator[tuple[Diagnostic, str]]:
        """Every finding of a file, with a fingerprint of its rule and of the text of its first row."""
        for one in file.diagnostics:
            row = file.line(one.location.row).strip() if file.line else ""
            yield one, self.of(path, one.code, row)
