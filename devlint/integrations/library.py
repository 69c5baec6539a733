"""devlint for other programs: two functions that take text or a path and give back values."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Literal, Union

from devlint.config.finder import ConfigFinder
from devlint.core.diagnostic import Diagnostic, Failure
from devlint.core.file_reading import read_file
from devlint.core.record import Record
from devlint.engine.report import FileReport, Mode
from devlint.engine.runner import Runner
from devlint.sources.source import Source, SourceError

Input = Union[str, "os.PathLike[str]"]
"""A ``str`` is always the text of a program; a file or folder is a ``pathlib.Path``."""
FileName = Union[str, "os.PathLike[str]"]
TargetKind = Literal["cuda", "accelerator", "project"]
Codes = str | Iterable[str]
"""Codes, prefixes of codes or ALL, one by one or in a text with commas: ``["DEV101", "DEV2"]``, ``"DEV101,DEV2"``."""


class CheckResult(Record):
    """What ``check`` found."""

    diagnostics: tuple[Diagnostic, ...]
    """The findings, in order; a text that is no Python has one, DEV001."""
    failures: tuple[Failure, ...] = ()
    """What could not be looked at, and why."""


class FixResult(Record):
    """What ``fix`` made of a program."""

    text: str
    """The program with all fixes made; as it was where none could be, and empty where a file holds no text."""
    applied: tuple[Diagnostic, ...] = ()
    """The findings that were fixed; their places are those in the text as it was in the pass that fixed them."""
    remaining: tuple[Diagnostic, ...] = ()
    """The findings that are left; their places are those in ``text``."""
    failure: Failure | None = None
    """What devlint could not do, and why."""


def check(
    source: Input,
    *,
    filename: FileName | None = None,
    select: Codes | None = None,
    extend_select: Codes = (),
    ignore: Codes = (),
    target: TargetKind | None = None,
    device: str | None = None,
    device_import: str | None = None,
    torch_min_version: str | None = None,
    isolated: bool = False,
) -> CheckResult:
    """Find what ties a program, or all programs in a folder, to one kind of device.

    The options are those of the command line and go before the configuration files that hold for a path. Text has a
    configuration only if ``filename`` says where it belongs; with ``isolated`` nothing has. Raises ConfigError for an
    option that is wrong, and nothing for whatever a file holds: see ``failures``.
    """
    overrides = _overrides(
        select=None if select is None else _listed(select),
        extend_select=_listed(extend_select),
        ignore=_listed(ignore),
        target=target,
        device=device,
        device_import=device_import,
        torch_min_version=torch_min_version,
    )
    runner = Runner(_finder(overrides, source, filename, isolated))
    if isinstance(source, str):
        reports = [runner.text(_name(filename), source)]
    else:
        reports = list(runner.run([os.fspath(source)]))
    return CheckResult(
        tuple(one for report in reports for one in report.diagnostics),
        tuple(one for report in reports for one in report.failures),
    )


def fix(
    source: Input,
    *,
    filename: FileName | None = None,
    unsafe: bool | None = None,
    write: bool = False,
    select: Codes | None = None,
    extend_select: Codes = (),
    ignore: Codes = (),
    target: TargetKind | None = None,
    device: str | None = None,
    device_import: str | None = None,
    torch_min_version: str | None = None,
    isolated: bool = False,
) -> FixResult:
    """Rewrite a program so that it runs on any device; the file is written only if ``write`` is true.

    ``unsafe`` also makes fixes that may change what the program does. Other options and errors are those of ``check``;
    besides, OSError is raised where a file cannot be read, and ValueError where ``write`` is asked for text.
    """
    overrides = _overrides(
        unsafe_fixes=unsafe,
        select=None if select is None else _listed(select),
        extend_select=_listed(extend_select),
        ignore=_listed(ignore),
        target=target,
        device=device,
        device_import=device_import,
        torch_min_version=torch_min_version,
    )
    finder = _finder(overrides, source, filename, isolated)
    if not isinstance(source, str):
        return _fix_file(os.fspath(source), Runner(finder, Mode.FIX if write else Mode.DIFF))
    if write:
        raise ValueError("only a file can be written: give a pathlib.Path, not its name or its text")
    return _result(source, Runner(finder, Mode.DIFF).text(_name(filename), source))


def _fix_file(path: str, runner: Runner) -> FixResult:
    """Fix one file, for which the file itself is asked what it held before."""
    data = read_file(path)
    try:
        text = Source.from_bytes(path, data).text
    except SourceError:
        text = ""
    return _result(text, next(iter(runner.run([path])), FileReport(path)))


def _result(text: str, report: FileReport) -> FixResult:
    """A report on ``text`` as a caller of the library wants it."""
    if report.changed and report.source is not None:
        text = ("\ufeff" if text.startswith("\ufeff") else "") + report.source.written(report.after_text)
    return FixResult(text, report.applied, report.diagnostics, next(iter(report.failures), None))


def _name(filename: FileName | None) -> str:
    """What text is called."""
    return "<text>" if filename is None else os.fspath(filename)


def _finder(overrides: dict[str, object], source: Input, filename: FileName | None, isolated: bool) -> ConfigFinder:
    """Where the settings for ``source`` are: its configuration files, if it has a place, and the options over them."""
    nowhere = isinstance(source, str) and filename is None
    return ConfigFinder(overrides, isolated=isolated or nowhere, origin="devlint", on_disk=not nowhere)


def _overrides(**given: object) -> dict[str, object]:
    """The options that were given, under the keys of a configuration file."""
    return {key.replace("_", "-"): value for key, value in given.items() if value is not None}


def _listed(codes: Codes) -> list[str]:
    """Codes as a list."""
    return [one for one in map(str.strip, codes.split(",")) if one] if isinstance(codes, str) else list(codes)
