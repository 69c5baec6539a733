"""Keeps what was found in a file for the next run, as long as nothing is different that the result depends on.

The name of a file of the cache tells which code found it under which settings. An entry is a list of its own length,
the size, times and digest of a file, where rules have looked at it of what else they went by, such as the target, and
where they said something of a table with that, and its digest. An entry that is odd in any way is as good as none, and
a finding is only shown for the contents it was found in.
"""

from __future__ import annotations

import os

from devlint.config.finder import ConfigFinder
from devlint.config.settings import Settings
from devlint.core.errors import DevlintError
from devlint.core.file_reading import read_file
from devlint.core.hashing import digest
from devlint.engine.cache.folder import NAME
from devlint.engine.cache.identity import code_digest
from devlint.engine.cache.store import Store
from devlint.engine.report import FileReport, with_questions
from devlint.engine.ruleset import RuleSets
from devlint.sources.discovery import NOTEBOOK, Found

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from devlint.analysis.project.disk import Disk


def folder_of(settings: Settings) -> str:
    """Where results under these settings are kept."""
    return settings.cache_dir or os.path.join(settings.root, NAME)


class Cache:
    """The reports of earlier runs, and of this one for the next."""

    def __init__(self, finder: ConfigFinder, rule_sets: RuleSets, findings: bool = True) -> None:
        """Without ``findings``, for a run that fixes them, only files without any are known."""
        self._finder = finder
        self._rule_sets = rule_sets
        self._findings = findings
        self._code = ""
        self._stores: dict[tuple[str, str], Store] = {}
        self._met: dict[tuple[int, bool, tuple[str, ...]], tuple[Settings, Store]] = {}
        self._targets: dict[tuple[int, str], str] = {}
        self._disk: Disk | None = None

    def report(self, found: Found) -> FileReport | None:
        """The report on a file that a look at it would make now; None where only a look can tell."""
        store = self._store(found)
        entry = store.entries.get(found.absolute)
        if entry is None:
            return None
        try:
            status = os.stat(found.path)
            length, size, mtime, ctime = entry[:4]
            if length != len(entry):
                return None
            is_same = mtime == status.st_mtime_ns and size == status.st_size and ctime == status.st_ctime_ns
            if is_same and length == 5:
                return FileReport(found.path)
            if not is_same and size not in (status.st_size, -1):
                return None
            if length > 5 and entry[5] != self._conditions(found):
                return None
            if is_same and length == 6:
                return FileReport(found.path, unsafe_fixes=found.settings.unsafe_fixes)
            return self._read(store, found, entry, None if is_same else status)
        except (OSError, DevlintError):  # the look itself will tell
            return None
        except (TypeError, ValueError, LookupError, AttributeError):  # whole, but no entry: somebody else's work
            return None

    def keep(self, found: Found, report: FileReport) -> None:
        """Remember a report, if it is one that a later run can show."""
        state = report.file_state
        if state is None or report.failures or report.changed or report.applied:
            return
        if report.diagnostics and not self._findings:
            return
        entry: list[Any] = [0, state.size, state.mtime, state.ctime, state.digest]
        if report.source is not None or report.diagnostics or report.by_target:
            try:
                entry.append(self._conditions(found))
            except DevlintError:
                return
        if report.diagnostics or state.questions or report.baselined:
            from devlint.engine.cache.data import program_data, to_data

            table: dict[str, Any] = {"text": report.source is not None, "found": [*map(to_data, report.diagnostics)]}
            if report.diagnostics and report.source is not None and found.path.endswith(NOTEBOOK):
                table["program"] = program_data(report.source)
            table = {"asked": dict(state.questions), "known": report.baselined, **table}
            entry += [table, _table_digest(table)]
        entry[0] = len(entry)
        self._store(found).put(found.absolute, entry)

    def save(self) -> None:
        """Write what is new; where that is impossible nothing happens."""
        for store in self._stores.values():
            store.save()

    def _read(self, store: Store, found: Found, entry: list[Any], status: os.stat_result | None) -> FileReport | None:
        """The report of an entry, if it holds; ``status`` is that of the file where only its contents can tell."""
        table = entry[6] if len(entry) > 6 else None
        if len(entry) > 6 and (entry[7] != _table_digest(entry[6]) or not self._holds(store, found, entry)):
            return None
        data: bytes | None = None
        if status is not None or (table is not None and table["found"]):
            data = read_file(found.path)
            if digest(data) != entry[4]:
                return None
        if status is not None:
            from devlint.engine.cache.dependencies import reliable_times

            times = reliable_times(status)
            if times != tuple(entry[1:4]):
                store.put(found.absolute, [len(entry), *times, *entry[4:]])
        if table is not None:
            report = _report(found, table, data)
            return report if self._findings else with_questions(report, table["asked"])
        return FileReport(found.path, unsafe_fixes=found.settings.unsafe_fixes and len(entry) > 5)

    def _holds(self, store: Store, found: Found, entry: list[Any]) -> bool:
        """Whether what rules said is of use, and still what they would say of the same contents."""
        table = entry[6]
        if table["found"] and not self._findings:
            return False
        if not table["asked"]:
            return True
        from devlint.analysis.project.disk import Disk
        from devlint.analysis.project.lookups import asked_again

        self._disk = self._disk or Disk()
        asked = asked_again(self._disk, found.settings.file_filter, table["asked"])
        if asked is not None and asked != table["asked"]:
            table["asked"] = asked
            entry[7] = _table_digest(table)
            store.put(found.absolute, entry)
        return asked is not None

    def _store(self, found: Found) -> Store:
        """Where the entry of a file is."""
        settings = found.settings
        ignored = settings.ignored_at(found.absolute)
        key = id(settings), found.explicit, ignored
        if key not in self._met:
            self._code = self._code or code_digest()
            enabled = sorted(self._rule_sets.of(settings, found.absolute).enabled)
            looked_at = settings.document_code, settings.docstring_code, found.explicit
            named = settings.suppression_comments, settings.target.device_name
            context = digest(repr((enabled, *named, looked_at)).encode())
            place = folder_of(settings), context
            if place not in self._stores:
                self._stores[place] = Store(place[0], self._code, context)
            self._met[key] = settings, self._stores[place]
        return self._met[key][1]

    def _conditions(self, found: Found) -> str:
        """What the rules go by besides contents and settings: the target, what is known, and how the file is called."""
        settings, shown = found.settings, os.path.dirname(found.path)
        key = id(settings), shown
        if key not in self._targets:
            target = self._finder.target(settings, found.directory)
            folder = shown.replace("\\", "/").rpartition("/")[2]  # no rule looks at more of the path
            self._targets[key] = digest(repr((target, folder)).encode("utf-8", "surrogatepass"))
        baseline = self._finder.baseline(settings)
        known = sorted(baseline.known(found.absolute).items()) if baseline else None
        listed = digest(repr(known).encode("utf-8", "surrogatepass")) if known else ""
        return self._targets[key] + listed


def _table_digest(table: dict[str, Any]) -> str:
    return digest(repr(table).encode("utf-8", "surrogatepass"))


def _report(found: Found, table: dict[str, Any], data: bytes | None) -> FileReport:
    """The report of an entry that holds, with the text only where it is needed."""
    unsafe_fixes = found.settings.unsafe_fixes and table["text"]
    known = int(table["known"])
    if not table["found"]:
        return FileReport(found.path, unsafe_fixes=unsafe_fixes, baselined=known)
    from devlint.engine.cache.data import from_data, notebook
    from devlint.sources.source import Source

    diagnostics = tuple(from_data(found.path, one) for one in table["found"])
    source: Source | None = None
    if table["text"] and data is not None:
        program = table.get("program")
        source = Source.from_bytes(found.path, data) if program is None else notebook(found.path, data, program)
    return FileReport(found.path, diagnostics, source=source, unsafe_fixes=unsafe_fixes, baselined=known)
