"""The JUnit format: a test suite a file, in which every finding is a failed test."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from devlint.cli.output.findings import FileFindings, RenderContext
from devlint.cli.output.paths import portable
from devlint.core.characters import is_harmless


def stream(files: Iterable[FileFindings], context: RenderContext) -> Iterator[str]:
    """The whole document, at the end; a clean run is one passed test, as readers refuse a report without any."""
    suites = [(file, [*_errors(file, context), *_failures(file, context)]) for file in files]
    failures = sum(len(file.diagnostics) for file, _ in suites)
    errors = sum(len(file.failures) for file, _ in suites)
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'<testsuites name="devlint" tests="{failures + errors or 1}" failures="{failures}" errors="{errors}">\n'
    if not suites:
        yield '  <testsuite name="devlint" tests="1" failures="0" errors="0">\n'
        yield '    <testcase name="devlint" classname="devlint"/>\n  </testsuite>\n'
    for file, cases in suites:
        counts = f'tests="{len(cases)}" failures="{len(file.diagnostics)}" errors="{len(file.failures)}"'
        yield f"  <testsuite name={_quoted(portable(file.path, context.root))} {counts}>\n"
        yield from cases
        yield "  </testsuite>\n"
    yield "</testsuites>\n"


def _errors(file: FileFindings, context: RenderContext) -> Iterator[str]:
    """What devlint could not do, each a test that ended in an error."""
    for failure in file.failures:
        path = _quoted(portable(failure.path, context.root))
        error = f"      <error message={_quoted(failure.message)}/>\n"
        yield f'    <testcase name="devlint" classname={path} file={path}>\n{error}    </testcase>\n'


def _failures(file: FileFindings, context: RenderContext) -> Iterator[str]:
    """The findings of one file, each a failed test."""
    path = portable(file.path, context.root)
    for one in file.diagnostics:
        place = f"{one.location.row}:{one.location.column}"
        case = f"name={_quoted(f'{one.code} at {place}')} classname={_quoted(path)} file={_quoted(path)}"
        text = _text(f"{path}:{place}: {one.code} {one.message}")
        yield (
            f'    <testcase {case} line="{one.location.row}">\n'
            f"      <failure type={_quoted(one.code)} message={_quoted(one.message)}>{text}</failure>\n"
            "    </testcase>\n"
        )


def _text(text: str) -> str:
    """Text between tags; control characters, and what XML cannot hold, become a replacement mark.

    A carriage return is written as its number: a terminal would begin the line anew, and XML makes it a line feed.
    """
    held = (one if one in "\t\n\r" or (is_harmless(one) and one not in "\ufffe\uffff") else "\ufffd" for one in text)
    return "".join(held).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")


def _quoted(text: str) -> str:
    """The value of an attribute, with its quotes."""
    escaped = _text(text).replace('"', "&quot;").replace("\t", "&#9;").replace("\n", "&#10;")
    return f'"{escaped}"'
