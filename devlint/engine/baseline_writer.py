"""Makes baselines: what the findings in some paths are to one, what it knows that is no more, and its text."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping

from devlint.config.baseline import FORMAT, VERSION, Baseline, Entry, Lines
from devlint.config.finder import ConfigFinder
from devlint.core.diagnostic import Failure
from devlint.core.errors import DevlintError
from devlint.core.file_reading import real_path
from devlint.engine.report import FileReport
from devlint.engine.runner import Runner
from devlint.sources.discovery import Found, discover, is_at_or_below, is_looked_at


class Update:
    """A baseline that exists, or does not yet, and what it would be after a look at some paths."""

    def __init__(self, old: Baseline, paths: Iterable[str], finder: ConfigFinder, only: bool) -> None:
        """With ``only``, files for which another baseline is configured are left out."""
        self.old = old
        self.new: Counter[Entry] = Counter()
        self.failures: list[Failure] = []
        self._finder = finder
        self._look(list(paths), only)

    @property
    def gone(self) -> dict[Entry, int]:
        """How many of the known findings are no more."""
        return _more(self.old.counts, self.new)

    @property
    def added(self) -> dict[Entry, int]:
        """How many findings were not known."""
        return _more(self.new, self.old.counts)

    def write(self) -> None:
        """Write the baseline; a file that would stay as it is, is not touched."""
        path, data = self.old.path, dumped(self.new)
        try:
            if os.path.exists(path):
                with open(path, "rb") as file:
                    if file.read() == data:
                        return
            with open(path, "wb") as file:
                file.write(data)
        except OSError as error:
            raise DevlintError(f"{path}: cannot be written: {error.strerror}") from None

    def _look(self, paths: list[str], only: bool) -> None:
        """Count the findings in ``paths``, and keep what is known of files elsewhere."""
        runner = Runner(self._finder)
        own = self._finder.settings(os.getcwd()).baseline
        for found in discover(paths, self._finder, is_looked_at):
            if isinstance(found, Failure):
                self.failures.append(found)
            elif isinstance(found, Found) and (not only or found.settings.baseline == own):
                self._count(runner.file(found), self.old.name_of(found.absolute))
        seen = [real_path(path) for path in paths]
        for entry, count in self.old.counts.items():
            path = os.path.join(self.old.folder, entry.path)
            if os.path.exists(path) and not any(is_at_or_below(os.path.realpath(path), one) for one in seen):
                self.new[entry] = count

    def _count(self, report: FileReport, name: str) -> None:
        """Count the findings of one file."""
        self.failures += report.failures
        lines = Lines(report.source)
        self.new.update(Entry(name, one.code, lines.at(one.span.start)) for one in report.diagnostics)


def dumped(counts: Mapping[Entry, int]) -> bytes:
    """The contents of a baseline."""
    import json

    rows: list[dict[str, object]] = [{**entry._asdict(), "count": count} for entry, count in sorted(counts.items())]
    rows.append({"format": FORMAT, "version": VERSION})
    return ("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n").encode("ascii")


def _more(counts: Mapping[Entry, int], others: Mapping[Entry, int]) -> dict[Entry, int]:
    """By how much counts are above others."""
    differences = {entry: count - others.get(entry, 0) for entry, count in sorted(counts.items())}
    return {entry: count for entry, count in differences.items() if count > 0}
