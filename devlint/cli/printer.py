"""Prints the reports of a run, each as it comes, and the summary."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any, TextIO

from devlint.output import concise, diff, statistics, text
from devlint.output.style import Style, visible
from devlint.report import FileReport, Mode
from devlint.selection import catalogue
from devlint.tally import Tally


class Printer:
    """Counts and prints reports as the options ask."""

    def __init__(self, tally: Tally, options: Mapping[str, Any], findings_to_stderr: bool = False) -> None:
        self._tally = tally
        self._format: str = options["output_format"]
        self._statistics: bool = options["statistics"]
        self._quiet: bool = options["quiet"]
        self._out = sys.stderr if findings_to_stderr else sys.stdout
        self._style = Style(coloured(options["color"], self._out))
        self._failure_style = Style(coloured(options["color"], sys.stderr))
        self._names = {rule.code: rule.name for rule in catalogue()}
        self._objects: list[Mapping[str, Any]] = []

    def show(self, report: FileReport) -> None:
        """Count one report and print what is to be seen of it at once."""
        self._tally.add(report)
        for failure in report.failures:
            self._out.flush()
            label = self._failure_style("error", "bold", "red")
            sys.stderr.write(f"{label}: {visible(failure.path)}: {failure.message}\n")
        if self._tally.mode is Mode.DIFF:
            self._out.write(diff.render(report.path, report.before_text, report.after_text, self._style))
        elif not self._statistics:
            self._findings(report)

    def finish(self) -> None:
        """Print what can only be said at the end."""
        if self._tally.mode is Mode.DIFF:
            self._summary(sys.stderr)
            return
        if self._statistics:
            rows = statistics.rows(self._tally.found, self._tally.fixable, self._names)
            self._objects += rows
            if self._format != "json":
                self._out.write(statistics.render(rows, self._style))
        if self._format == "json":
            from devlint.output import json

            self._out.write(json.render(self._objects))
        else:
            self._summary(self._out)

    def _findings(self, report: FileReport) -> None:
        """Print, or for JSON keep, the findings of one file."""
        source = report.source
        if self._format == "json":
            from devlint.output import json

            for one in report.diagnostics:
                location_of = source.location if source else lambda _, place=one.location: place
                self._objects.append(json.as_object(one, self._names.get(one.code, ""), location_of))
            return
        for one in report.diagnostics:
            if self._format == "concise":
                self._out.write(concise.render(one, self._style, report.unsafe_fixes))
            else:
                line = source.line if source else None
                self._out.write(text.render(one, line, self._style, report.unsafe_fixes) + "\n")

    def _summary(self, stream: TextIO) -> None:
        """Print the last lines."""
        if self._quiet:
            return
        self._out.flush()
        if not self._tally.files and not self._tally.failures:
            sys.stderr.write("warning: no Python files found under the given paths\n")
        for line in self._tally.summary():
            stream.write(line + "\n")


def coloured(choice: str, stream: TextIO) -> bool:
    """Whether to print in colour: as asked, else on a terminal unless NO_COLOR is set."""
    if choice != "auto":
        return choice == "always"
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
