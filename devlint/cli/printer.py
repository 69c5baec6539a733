"""Prints the reports of a run, each as it comes, and the summary."""

from __future__ import annotations

import os
import sys

from devlint import __version__
from devlint.cli.output.formats import render
from devlint.cli.output.style import Style, visible
from devlint.cli.terminal import is_terminal, use_colour, use_links
from devlint.config.option_table import FORMATS
from devlint.config.selection import catalogue
from devlint.core.errors import DevlintError
from devlint.core.record import lazy_attribute
from devlint.engine.report import Mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any, TextIO

    from devlint.cli.output.findings import FileFindings, RenderContext
    from devlint.cli.progress import Progress
    from devlint.engine.report import FileReport
    from devlint.engine.summary import Summary

_ROOTS = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR", "BUILD_SOURCESDIRECTORY")
"""Where GitHub, GitLab and Azure say that the repository is."""


UNSETTLED = "other files that it uses have changed since it was fixed; run `devlint fix` again"
_SHORT_DIFF, _ANY_DIFF = 16, 1 << 31
"""How many lines of a fix's diff are shown on a terminal, and wherever they are asked for."""


class Printer:
    """Counts and prints reports as the options ask."""

    def __init__(
        self,
        summary: Summary,
        options: Mapping[str, Any],
        findings_to_stderr: bool = False,
        progress: Progress | None = None,
        file: TextIO | None = None,
    ) -> None:
        """``file`` takes what would go to standard output."""
        self._summary = summary
        self._format: str = options["output_format"]
        self._statistics: bool = options["statistics"]
        self._quiet: bool = options["quiet"]
        self._out = file or (sys.stderr if findings_to_stderr else sys.stdout)
        self._failure_style = Style(use_colour(options["color"], sys.stderr))
        self._progress = progress
        self._error: OSError | None = None
        """Why the findings can no longer be printed."""
        self._fixes: list[FileReport] | None = [] if options["show_fixes"] else None
        """The reports on files that were fixed, if they are to be listed."""
        self._style = Style(use_colour(options["color"], self._out), use_links(options["color"], self._out))
        self._longest_diff = _longest_diff(options["show_diff"], self._out)
        self._knows_cells = FORMATS[self._format].for_people or self._format.startswith("json")
        if self._statistics and not self._knows_cells:
            raise DevlintError(f"--statistics cannot be shown as {self._format}")
        if options["show_fixes"] and not FORMATS[self._format].for_people:
            raise DevlintError(f"--show-fixes cannot be shown as {self._format}")
        if options["show_diff"] and self._format != "text":
            raise DevlintError(f"--show-diff cannot be shown as {self._format}")

    @lazy_attribute
    def _context(self) -> RenderContext:
        """What is the same for all findings."""
        from devlint.cli.output.findings import RenderContext

        names = {rule.code: rule.name for rule in catalogue()}
        advice = {rule.code: rule.advice for rule in catalogue()}
        return RenderContext(self._style, names, _manual, __version__, _root(), advice, self._longest_diff)

    def show(self, reports: Iterable[FileReport]) -> None:
        """Count and print every report, at once where the format allows it, and what can only be said at the end.

        If the output cannot be written, OSError is raised: at once or, where files are fixed, after the last one.
        """
        # Where files are fixed, they are counted as they are analyzed, before any is shown.
        watched = self._progress.watch(reports) if self._progress and self._summary.mode is Mode.CHECK else reports
        findings = self._count_and_report(watched)
        if self._summary.mode is Mode.DIFF or self._statistics:
            for _ in findings:
                pass
        else:
            shown = _nothing_of(findings) if self._summary.only_fixes else findings
            for text in render(self._format, shown, lambda: self._context):
                self._write(text)
        if self._statistics and self._summary.mode is not Mode.DIFF:
            self._write(self._counts())
        if self._summary.mode is Mode.DIFF or FORMATS[self._format].for_people:
            self._write_summary(sys.stderr if self._summary.mode is Mode.DIFF else self._out)
        if self._error is not None:
            raise self._error

    def _count_and_report(self, reports: Iterable[FileReport]) -> Iterator[FileFindings]:
        """The findings of each file that has some, after what is said of it whatever the format."""
        for report in reports:
            self._summary.add(report)
            if report.skipped:
                self._write(f"warning: {visible(report.path)}: {visible(report.skipped)}\n", sys.stderr)
            if report.is_unsettled:
                self._write(f"warning: {visible(report.path)}: {UNSETTLED}\n", sys.stderr)
            for failure in report.failures:
                label = self._failure_style("error", "bold", "red")
                self._write(f"{label}: {visible(failure.path)}: {failure.message}\n", sys.stderr)
            if self._fixes is not None and report.fixed and report.changed:
                self._fixes.append(report.replace(source=None))
            if self._summary.mode is Mode.DIFF:
                from devlint.cli.output import diff

                for part in report.parts():
                    self._write(diff.render(*part, self._style, escapes=self._out.isatty()))
            elif report.diagnostics or report.failures:
                from devlint.cli.file_findings import file_findings

                yield from file_findings(report, self._knows_cells)

    def _write(self, text: str, stream: TextIO | None = None) -> None:
        """Write to a stream, or wherever the findings go, without the progress bar in between."""
        stream = stream or self._out
        if not text or (stream is self._out and self._error is not None):
            return
        if self._progress:
            self._progress.clear()
        try:
            if stream is not self._out and self._error is None:
                self._out.flush()  # lines of two streams stay in order
            stream.write(text)
            if self._progress:
                self._out.flush()
        except OSError as error:
            if self._summary.mode is not Mode.FIX:
                raise
            self._error = error

    def _counts(self) -> str:
        """The findings by rule, as a table or as JSON."""
        from devlint.cli.output import statistics

        rows = statistics.rows(self._summary.found, self._summary.fixable, self._context.names)
        if FORMATS[self._format].for_people:
            return statistics.render(rows, self._style)
        import json

        return json.dumps(rows, indent=2) + "\n" if self._format == "json" else "".join(map(_json_line, rows))

    def _write_summary(self, stream: TextIO) -> None:
        """Print the last lines."""
        if self._quiet:
            return
        if not self._summary.files and not self._summary.failures:
            self._write("warning: no Python files found under the given paths\n", sys.stderr)
        for line in (*self._fix_lines(), *self._summary.lines()):
            self._write(line + "\n", stream)

    def _fix_lines(self) -> Iterator[str]:
        """What was fixed in each file, most frequent rules first."""
        for report in self._fixes or ():
            yield f"{self._style(visible(report.path), 'bold')}:"
            for code, count in sorted(report.fixed.items(), key=lambda item: (-item[1], item[0])):
                yield f"  {count} × {self._style(code, 'bold', 'red')} ({self._context.names.get(code, '')})"


def _nothing_of(findings: Iterator[FileFindings]) -> Iterator[FileFindings]:
    """None of the findings, each of which is counted."""
    for _ in findings:
        pass
    yield from ()


def _longest_diff(wanted: bool | None, stream: TextIO) -> int:
    """The most lines of a fix's diff to show under its finding."""
    return (_SHORT_DIFF if is_terminal(stream) else 0) if wanted is None else _ANY_DIFF if wanted else 0


def _manual(code: str) -> str:
    """The manual of a rule, in Markdown."""
    from devlint.engine.ruleset import load_rule
    from devlint.rules.manual import markdown

    return next((markdown(load_rule(rule).__doc__ or rule.summary) for rule in catalogue() if rule.code == code), code)


def _root() -> str:
    """The folder of the repository where CI says so and this is in it, else the current one."""
    here = os.getcwd()
    for name in _ROOTS:
        root = os.environ.get(name, "")
        if os.path.isabs(root) and (here + os.sep).startswith(root.rstrip(os.sep) + os.sep):
            return root
    return here


def _json_line(row: dict[str, object]) -> str:
    import json

    return json.dumps(row) + "\n"
