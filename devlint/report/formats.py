"""The formats of a report, by name."""

from __future__ import annotations

import importlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from devlint.report.model import MigrationReport

REPORT_FORMATS = {"html": "html", "md": "markdown", "csv": "csv", "json": "json"}
"""The module of ``devlint.report`` that renders each."""


def rendered_report(name: str, report: MigrationReport) -> str:
    """A report in a format."""
    text: str = importlib.import_module(f"devlint.report.{REPORT_FORMATS[name]}").render(report)
    return text


def format_of(path: str) -> str | None:
    """The format that a file's name asks for; None if it asks for none that there is."""
    suffix = path.rpartition(".")[2].lower()
    return {"htm": "html", "markdown": "md"}.get(suffix, suffix if suffix in REPORT_FORMATS else None)
