"""Runs the engine over a project and puts together what a report says of it."""

from __future__ import annotations

import os
from collections import Counter

from devlint import __version__
from devlint.config.selection import catalogue
from devlint.core.addresses import rule_address
from devlint.core.characters import without_controls
from devlint.engine.runner import Runner
from devlint.report.estimate import estimated_work
from devlint.report.files import cuda_file, is_cuda_file, surveyed_file
from devlint.report.folders import folders_of, named_below
from devlint.report.model import MigrationReport, ReportedFile, RuleCount
from devlint.report.tally import Remedy
from devlint.report.torch_need import accelerator_names, torch_need
from devlint.sources.discovery import Found, discover

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from devlint.config.finder import ConfigFinder
    from devlint.engine.report import FileReport
    from devlint.engine.runner import Watch
    from devlint.report.files import SurveyedFile


def migration_report(
    paths: Sequence[str],
    finder: ConfigFinder,
    jobs: int | None = 1,
    caching: bool = False,
    watch: Watch = iter,
    title: str = "",
    without: str = "",
) -> MigrationReport:
    """The report on all files below some paths, by that many processes; ``watch`` sees the files as they come.

    ``without`` is the absolute path of a file that is left out: an older report is no part of the project.
    """
    runner = Runner(finder, caching=caching)
    reports = runner.run(paths, jobs)
    try:
        found = _surveyed(one for one in watch(reports) if os.path.abspath(one.path) != without)
    finally:
        reports.close()
        runner.save()
    in_cuda = (cuda_file(one.path) for one in discover(paths, finder, is_cuda_file) if _is_cuda(one))
    entries = [*(one.file for one in found if one.file is not None), *in_cuda]
    files = sorted(named_below([one for one in entries if _is_file(one)]), key=lambda one: one.name)
    names = [name for one in found for name in one.torch_names]
    names += accelerator_names([one.path for one in found if one.mentions_accelerator])
    return MigrationReport(
        title or _title(paths),
        __version__,
        tuple(map(without_controls, paths)),
        _target(paths, finder),
        tuple(files),
        folders_of(files),
        rule_counts(files),
        torch_need(names, _required(paths, finder)),
        estimated_work(files),
        (),
        tuple(failure for one in found for failure in one.failures),
    )


def _surveyed(reports: Iterable[FileReport]) -> list[SurveyedFile]:
    """What there is to say of each file; the files' texts are let go."""
    return [surveyed_file(one) for one in reports]


def _is_cuda(found: object) -> bool:
    return isinstance(found, Found) and is_cuda_file(found.path)


def _is_file(file: ReportedFile) -> bool:
    """Whether an entry is of a file, not of a folder that cannot be read or of a path that is not there."""
    return bool(file.lines or not file.problems) or os.path.isfile(file.path)


def rule_counts(files: Iterable[ReportedFile]) -> tuple[RuleCount, ...]:
    """The rules that found something, the busiest first."""
    counts: dict[str, Counter[Remedy]] = {}
    where: dict[str, set[str]] = {}
    for file in files:
        for one in file.findings:
            counts.setdefault(one.code, Counter())[one.remedy] += 1
            where.setdefault(one.code, set()).add(file.path)
    known = {rule.code: rule for rule in catalogue()}
    rules = (
        RuleCount(
            code,
            known[code].name,
            known[code].summary,
            known[code].advice,
            rule_address(code),
            dict(found),
            len(where[code]),
        )
        for code, found in counts.items()
        if code in known
    )
    return tuple(sorted(rules, key=lambda one: (-one.count, one.code)))


def _title(paths: Sequence[str]) -> str:
    """The name of the folder, or of the first of several paths."""
    name = os.path.basename(os.path.abspath(paths[0] if paths else os.curdir)) or "project"
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return without_controls(name) + more


def _folder(paths: Sequence[str]) -> str:
    first = os.path.abspath(paths[0] if paths else os.curdir)
    return first if os.path.isdir(first) else os.path.dirname(first)


def _target(paths: Sequence[str], finder: ConfigFinder) -> str:
    """The device that fixes write, where the report begins."""
    return finder.settings(_folder(paths)).target.kind


def _required(paths: Sequence[str], finder: ConfigFinder) -> str:
    """The oldest torch that the project says it supports, where the report begins; empty if it says nothing."""
    folder = _folder(paths)
    settings = finder.settings(folder)
    if settings.torch_min_version is not None:
        return ".".join(map(str, settings.torch_min_version))
    target = finder.target(settings, folder)
    return "" if target.torch_min_is_guess else ".".join(map(str, target.torch_min_version))
