"""Baselines: files that list the findings a project knows of, by path, code and line, so that only new ones show.

Such a file is JSON with one finding a line and a last line that says what it is, so that git can merge two of them.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from sys import intern
from typing import Any, NamedTuple

from devlint.core.errors import ConfigError, readable
from devlint.core.file_reading import read_file
from devlint.sources.comments import comments
from devlint.sources.source import Source

FILE_NAME = "devlint-baseline.json"
FORMAT = "devlint-baseline"
VERSION = 1
_LONGEST = 200
"""Characters of a line; what follows does not tell findings apart that people would."""


class Entry(NamedTuple):
    """Findings that are the same to a baseline."""

    path: str
    """From the folder of the baseline, with slashes."""
    code: str
    line: str


class Baseline:
    """The findings that one file lists."""

    def __init__(self, path: str, counts: Mapping[Entry, int]) -> None:
        self.path = path
        self.folder = os.path.dirname(os.path.realpath(path))
        self.counts = counts
        self._by_path: dict[str, list[Entry]] = {}
        for entry in counts:
            self._by_path.setdefault(entry.path, []).append(entry)

    @classmethod
    def read(cls, path: str) -> Baseline:
        """The baseline at an absolute path; raises ConfigError where that is none."""
        try:
            return cls(path, _counts(path, read_file(path)))
        except FileNotFoundError:
            raise ConfigError(path, "no such baseline; `devlint baseline` writes one") from None
        except OSError as error:
            raise ConfigError(path, f"cannot be read: {error.strerror}") from None

    def check(self) -> Baseline:
        """The same; raises ConfigError where it must be of another project."""
        paths = {entry.path for entry in self.counts}
        if paths and not any(map(self.has, paths)):
            one = f"{readable(min(paths))}, which it lists, does not exist"
            what = "no file that it lists exists" if len(paths) > 1 else one
            raise ConfigError(self.path, f"{what}: is it of another project? `devlint baseline` writes a new one")
        return self

    def has(self, name: str) -> bool:
        """Whether a file of that name exists."""
        return os.path.exists(os.path.join(self.folder, name))

    def name_of(self, path: str) -> str:
        """What an absolute path is called here."""
        real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        try:
            return os.path.relpath(real, self.folder).replace(os.sep, "/")
        except ValueError:  # another drive
            return real.replace(os.sep, "/")

    def known(self, path: str) -> Counter[tuple[str, str]]:
        """How often each code is known on each line of text of the absolute ``path``."""
        entries = self._by_path.get(self.name_of(path), ())
        return Counter({(entry.code, entry.line): self.counts[entry] for entry in entries})


class Lines:
    """The lines of a file as a baseline knows them: without indentation, comments and the width of spaces."""

    def __init__(self, source: Source | None) -> None:
        """None where the file is no text."""
        self._source = source
        self._comments: dict[int, int] | None = None

    def at(self, offset: int) -> str:
        """The line that holds a character."""
        if self._source is None:
            return ""
        row = self._source.location(offset).row
        line = self._source.line(row)
        if "#" in line:
            line = line[: self._comment(self._source, row)].rstrip() or line
        return " ".join(line.split())[:_LONGEST]

    def _comment(self, source: Source, row: int) -> int | None:
        """Where in a row its comment begins."""
        if self._comments is None:
            try:
                places = [source.location(one.start) for one in comments(source)]
            except ValueError:
                places = []
            self._comments = {place.row: place.column - 1 for place in places}
        return self._comments.get(row)


def _counts(path: str, data: bytes) -> dict[Entry, int]:
    """What the bytes of a baseline say; raises ConfigError where they are none."""
    import json

    try:
        rows = json.loads(data.decode("utf-8"), object_hook=_row)
    except (ValueError, RecursionError):
        hint = ": it has the marks of a merge that is not finished" if b"\n<<<<<<< " in b"\n" + data else ""
        raise ConfigError(path, f"is no baseline{hint or ', but text that is no JSON'}") from None
    marks = [row for row in rows if _is_mark(row)] if isinstance(rows, list) else []
    if not marks:
        raise ConfigError(path, "is no baseline of devlint's; `devlint baseline --output FILE` writes one")
    for mark in marks:
        if mark.get("version") != VERSION:
            version = readable(mark.get("version"))
            raise ConfigError(path, f"is a baseline of version {version}, but this devlint reads version {VERSION}")
    return _merged(path, (row for row in rows if not _is_mark(row)))


def _merged(path: str, rows: Iterable[Any]) -> dict[Entry, int]:
    """The entries; of two that are the same but for their counts, as a merge may leave them, the greater counts."""
    counts: dict[Entry, int] = {}
    for row in rows:
        if not isinstance(row, tuple):
            raise ConfigError(path, f"has an entry that is none: {readable(row)}")
        entry, count = row
        counts[entry] = max(count, counts.get(entry, 0))
    return counts


def _row(fields: dict[str, Any]) -> tuple[Entry, int] | dict[str, Any]:
    """An entry with its count, which takes a third of the memory; the same where it is none."""
    path, code, line, count = map(fields.get, ("path", "code", "line", "count"))
    if not (isinstance(path, str) and isinstance(code, str) and isinstance(line, str)):
        return fields
    if type(count) is not int or count < 1:
        return fields
    return Entry(intern(path), intern(code), line), count


def _is_mark(row: object) -> bool:
    """Whether this is the line that says what the file is."""
    return isinstance(row, dict) and row.get("format") == FORMAT
