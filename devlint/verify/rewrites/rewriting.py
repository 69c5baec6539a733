"""What there is to compare: files and what devlint makes of them, cases with both, or two folders."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from pathlib import Path

from devlint.config.finder import ConfigFinder
from devlint.core.diagnostic import Failure
from devlint.engine.report import FileReport, Mode
from devlint.engine.runner import Runner
from devlint.sources.discovery import Found, Skipped, discover, is_at_or_below
from devlint.verify.comparing.verdict import Outcome, Verdict, Word
from devlint.verify.errors import VerifyError
from devlint.verify.matrix import Task
from devlint.verify.program import Program
from devlint.verify.rewrites.cases import find_cases, is_case_folder
from devlint.verify.rewrites.changed_lines import ChangedLine, changed_lines
from devlint.verify.rewrites.project_mirror import imported_files, mirror, project_of

Item = Task | Verdict
"""Something to compare, or the verdict where that needs no run."""
_RUNS_OTHERS = re.compile(rb"import_module|__import__|runpy|spec_from_file_location|subprocess|\bexec|os\.system|spawn")
"""What a program may run files by that it does not import; without it no run is needed where nothing changes."""
_MOST_FILES = 2000
"""What is looked at in a folder that may be no project, but somebody's home."""


class Rewriter:
    """Makes tasks of paths; rewritten copies are written below ``folder``."""

    def __init__(
        self, finder: ConfigFinder, folder: str, args: tuple[str, ...] = (), data: tuple[str, ...] = ()
    ) -> None:
        self._finder = finder
        self._runner = Runner(finder, Mode.DIFF)
        self._folder = folder
        self._args = args
        self._data = data
        self._count = 0

    def items(self, paths: Iterable[str]) -> Iterator[Item]:
        """What there is to compare in files, folders, and folders of cases."""
        for path in paths:
            if os.path.isdir(path) and is_case_folder(Path(path)):
                for case in find_cases(Path(path)):
                    yield from (case.task(run) for run in case.runs)
            else:
                for found in discover([path], self._finder):
                    yield from self._of_found(found)

    def _of_found(self, found: Found | Failure | Skipped) -> Iterator[Item]:
        if not isinstance(found, Found):
            yield _untried(found.path, Word.UNCOMPARED, found.message)
        elif os.path.splitext(found.path)[1] not in (".py", ".pyw", ""):
            if found.explicit:
                yield _untried(found.path, Word.UNCOMPARED, _no_script(found.path))
        else:
            report = self._runner.file(found)
            broken = [one.message for one in report.diagnostics if one.code == "DEV001"]
            broken += [one.message for one in report.failures]
            if broken:
                yield _untried(found.path, Word.UNCOMPARED, broken[0])
            elif report.changed or found.explicit:
                yield self._task_or_verdict(found.path, report)

    def _task_or_verdict(self, path: str, report: FileReport) -> Item:
        """Compare a script with its copy in a mirror of the project, where what it imports is rewritten too."""
        script = os.path.abspath(path)
        project = project_of(script)
        reports = {script: report, **self._reports(imported_files(script, project)[1:])}
        if not any(one.changed for one in reports.values()) and not self._may_run_others(reports, project):
            return _untried(path, Word.SAME, "devlint rewrites nothing here")
        return self._task(path, project, reports)

    def _may_run_others(self, known: Iterable[str], project: str) -> bool:
        """Whether these files may run others of the project, which devlint changes: only a run shows which."""
        if not any(_RUNS_OTHERS.search(_bytes(Path(file))) for file in known):
            return False
        files = itertools.islice(discover([project], self._finder), _MOST_FILES)
        found = (one for one in files if isinstance(one, Found) and one.path.endswith(".py"))
        return any(self._runner.file(one).changed for one in found)

    def _reports(self, files: Iterable[str]) -> dict[str, FileReport]:
        return {
            file: self._runner.file(found)
            for file in files
            for found in itertools.islice(discover([file], self._finder), 1)
            if isinstance(found, Found)
        }

    def _task(self, path: str, project: str, reports: Mapping[str, FileReport]) -> Task:
        script = os.path.abspath(path)

        def wider(files: Set[str]) -> Task | None:
            more = self._reports(sorted(file for file in files - reports.keys() if _is_own(file, project)))
            changed = any(one.changed for one in more.values())
            return self._task(path, project, {**reports, **more}) if changed else None

        # Files that are not rewritten, too: "scripts/.." of a linked folder would lead back to the original project.
        contents = {
            file: _bytes(Path(file)) if one.source is None else one.source.to_bytes(one.after_text)
            for file, one in reports.items()
        }
        self._count += 1
        copy = os.path.join(self._folder, str(self._count), os.path.basename(project) or "root")
        mirror(project, copy, contents)
        here = os.getcwd()
        there = os.path.join(copy, os.path.relpath(here, project)) if is_at_or_below(here, project) else here
        before = Program(
            script, self._args, data=self._data, project=project, started_in=here, original_project=project
        )
        rewritten = os.path.join(copy, os.path.relpath(script, project))
        after = Program(
            rewritten, self._args, data=self._data, project=copy, started_in=there, original_project=project
        )
        changes = [
            change
            for file, one in reports.items()
            if one.changed
            for change in changed_lines(
                _shown(one.path),
                (file, one.before_text),
                (os.path.join(copy, os.path.relpath(file, project)), one.after_text),
            )
        ]
        return Task(path, before, after, wider=wider).watching(changes)


def folders(
    before: str, after: str, names: Iterable[str], args: tuple[str, ...] = (), data: tuple[str, ...] = ()
) -> Iterator[Item]:
    """The programs that are in two folders and not the same in them, or those that are named."""
    chosen = list(names) or sorted(
        str(path.relative_to(before))
        for path in Path(before).rglob("*.py")
        if _bytes(path) != _bytes(Path(after, path.relative_to(before)), b"")
    )
    if not chosen:
        raise VerifyError(f"no Python file differs between {before} and {after}")
    for name in chosen:
        paths = [os.path.abspath(os.path.join(folder, name)) for folder in (before, after)]
        missing = [path for path in paths if not os.path.isfile(path)]
        if missing:
            yield _untried(name, Word.UNCOMPARED, f"there is no {os.path.relpath(missing[0])}")
        else:
            old, new = (Program(path, args, data=data) for path in paths)
            imported = {
                os.path.relpath(file, os.path.abspath(folder))
                for path, folder in zip(paths, (before, after))
                for file in imported_files(path, os.path.abspath(folder))
            }
            yield Task(name, old, new).watching(
                list(_changed_files(before, after, imported)) or _changed_files(before, after)
            )


def _changed_files(before: str, after: str, names: Collection[str] | None = None) -> Iterator[ChangedLine]:
    """The changed lines of all Python files that are in both of two folders, or of those that are named."""
    for path in sorted(Path(before).rglob("*.py")):
        name = path.relative_to(before)
        if names is not None and str(name) not in names:
            continue
        texts = [_bytes(folder / name).decode("utf-8", "replace") for folder in (Path(before), Path(after))]
        if texts[0] != texts[1] and texts[1] != "\0":
            old, new = (str(folder.absolute() / name) for folder in (Path(before), Path(after)))
            yield from changed_lines(str(name), (old, texts[0]), (new, texts[1]))


def _is_own(path: str, project: str) -> bool:
    """Whether a file is one that the project's authors write, and not of a package in an environment in its folder."""
    folders = os.path.relpath(path, project).split(os.sep)[:-1]
    above = itertools.accumulate(folders, os.path.join, initial=project)
    is_installed = "site-packages" in folders or any(os.path.isfile(os.path.join(one, "pyvenv.cfg")) for one in above)
    return not is_installed and os.path.isfile(path)


def _shown(path: str) -> str:
    """A path relative to the current folder, if it is in there."""
    relative = os.path.relpath(path)
    return path if relative.startswith(os.pardir) else relative


def _bytes(path: Path, default: bytes = b"\0") -> bytes:
    return path.read_bytes() if path.is_file() else default


def _no_script(path: str) -> str:
    if path.endswith(".ipynb"):
        return "is a notebook, which is not run: devlint fix --verify COMMAND, with a command that runs it"
    return "is no script"


def _untried(name: str, word: Word, why: str) -> Verdict:
    return Verdict(name, (Outcome("-", word, why),))
