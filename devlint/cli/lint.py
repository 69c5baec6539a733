"""A run of ``devlint check`` or ``devlint fix``, from the values of its options to its exit code; knows no click."""

from __future__ import annotations

import sys

from devlint.cli.printer import Printer
from devlint.cli.terminal import is_terminal
from devlint.config.finder import ConfigFinder
from devlint.config.option_table import overrides
from devlint.core.errors import DevlintError
from devlint.core.file_reading import read_stream
from devlint.engine.report import Mode
from devlint.engine.runner import Runner
from devlint.engine.summary import Summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from devlint.cli.output_file import OutputFile
    from devlint.cli.progress import Progress
    from devlint.engine.report import FileReport
    from devlint.sources.changed_lines import Changes

_STDIN = "-"


def run_lint(
    paths: tuple[str, ...],
    mode: Mode,
    values: dict[str, Any],
    fixed: list[FileReport] | None = None,
    own_process: bool = False,
    dropped: int = 0,
) -> int:
    """Run over the paths, print, and return the exit code.

    ``fixed`` are the reports where fixes are made already, without the ``dropped`` ones; ``own_process`` where nobody
    else's code is in it.
    """
    mode = Mode.DIFF if values["diff"] else Mode.FIX if values["fix_only"] else mode
    finder = ConfigFinder(overrides(values), values["config"], values["isolated"], observed=values["observed"])
    if values["show_files"] or values["show_settings"]:
        return _show(paths or (".",), finder, values)
    file = _output_file(values["output_file"])
    changes = changes_since(paths, values)
    caching = not values["no_cache"] and not values["observed"]
    runner = Runner(finder, mode, changes=changes, caching=caching, alone=own_process)
    summary = Summary(mode, dropped, values["fix_only"])
    from_stdin = _is_stdin(paths, values)
    progress = None if from_stdin else progress_bar(paths or (".",), finder, values["quiet"])
    printer = Printer(summary, values, from_stdin and mode is Mode.FIX, progress, None if file is None else file.text)
    if from_stdin:
        printer.show([_of_standard_input(runner, values, mode)])
    else:
        watch = progress.watch if progress else iter
        run = runner.run(paths or (".",), values["jobs"], watch) if fixed is None else None
        reports = run or (runner.written(one) for one in fixed or ())
        try:
            printer.show(reports)
        finally:  # an interrupted run has other processes to end, and has done something too
            reports.close()
            runner.save()
    if file is not None:
        file.write()
    return summary.exit_code(values["exit_zero"], values["exit_non_zero_on_fix"])


def _of_standard_input(runner: Runner, values: dict[str, Any], mode: Mode) -> FileReport:
    """The report on what standard input holds, which is passed on with its fixes where those are asked for."""
    data = _standard_input()
    report = runner.text(values["stdin_filename"] or _STDIN, data)
    if mode is Mode.FIX:
        _pass_on(report, data)
    return report


def _is_stdin(paths: tuple[str, ...], values: dict[str, Any]) -> bool:
    """Whether to look at standard input."""
    if _STDIN in paths and len(paths) > 1:
        raise DevlintError("- for standard input cannot be mixed with other paths")
    return _STDIN in paths or (values["stdin_filename"] is not None and not paths)


def _output_file(path: str | None) -> OutputFile | None:
    """What takes the output in place of standard output, if a file is to."""
    if path is None:
        return None
    from devlint.cli.output_file import OutputFile

    return OutputFile(path)


def _show(paths: tuple[str, ...], finder: ConfigFinder, values: dict[str, Any]) -> int:
    """Print what a run would look at, or with which settings, and return the exit code."""
    from devlint.cli.shown_settings import file_lines, setting_lines

    complaints: list[str] = []
    lines = file_lines if values["show_files"] else setting_lines
    for line in lines(paths, finder, complaints.append):
        sys.stdout.write(line + "\n")
    for one in complaints:
        sys.stderr.write(f"error: {one}\n")
    return 2 if complaints else 0


def changes_since(paths: tuple[str, ...], values: dict[str, Any]) -> Changes | None:
    """What changed since the revision that the options name, if they do."""
    if values["baseline"] and values["no_baseline"]:
        raise DevlintError("--baseline and --no-baseline exclude each other")
    if values["diff_base"] is None:
        return None
    from devlint.sources.changed_lines import Changes

    name = values["stdin_filename"]
    if _STDIN in paths and name is None:
        raise DevlintError("--diff-base needs --stdin-filename to know what standard input is")
    changes = Changes(values["diff_base"])
    changes.check([name] if name is not None and paths in ((), (_STDIN,)) else paths)
    return changes


def _standard_input() -> bytes:
    """What comes in; raises DevlintError where nothing can, or too much does."""
    if sys.stdin is None:
        raise DevlintError("standard input is closed")
    try:
        return read_stream(sys.stdin.buffer, _STDIN)
    except OSError as error:
        raise DevlintError(f"{_STDIN}: {error.strerror}") from None


def progress_bar(paths: tuple[str, ...], finder: ConfigFinder, quiet: bool) -> Progress | None:
    """A bar, where there is someone to see it."""
    if quiet or not is_terminal(sys.stderr):
        return None
    from devlint.cli.progress import Progress
    from devlint.sources.discovery import discover, is_looked_at

    return Progress(sys.stderr, lambda: sum(1 for _ in discover(paths, finder, is_looked_at)))


def _pass_on(report: FileReport, data: bytes) -> None:
    """Write the fixed text to standard output, or the very bytes that came in where nothing was fixed."""
    fixed = report.source is not None and report.changed
    sys.stdout.buffer.write(report.source.to_bytes(report.after_text) if fixed and report.source else data)
    sys.stdout.buffer.flush()
