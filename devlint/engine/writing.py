"""Writes fixed files, the first when the last is analyzed: until then the reports on them are held."""

from __future__ import annotations

from itertools import chain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from typing import IO

    from devlint.engine.report import FileReport

MOST_HELD = 1 << 24
"""The most bytes of reports that are held in memory; more are in a temporary file."""


def written_last(
    reports: Generator[FileReport, None, None],
    write: Callable[[FileReport], FileReport],
    watch: Callable[[Iterable[FileReport]], Iterable[FileReport]],
) -> Generator[FileReport, None, None]:
    """The reports in order, those on fixed files by ``write``, which begins when all reports are there.

    Until the first of them comes, reports are passed on at once. ``watch`` sees each as it comes.
    """
    try:
        coming = iter(watch(reports))
        for report in coming:
            if report.changed:
                yield from map(write, _held(chain([report], coming)))
            else:
                yield report
    finally:
        reports.close()


def _held(reports: Iterable[FileReport]) -> Iterator[FileReport]:
    """The reports, once all are there."""
    from tempfile import SpooledTemporaryFile

    with SpooledTemporaryFile(max_size=MOST_HELD) as file:
        for report in reports:
            _put(file, report)
        file.seek(0)
        yield from _taken(file)


def _put(file: IO[bytes], report: FileReport) -> None:
    import pickle

    from devlint.engine.parallel.messages import framed, packed_report

    file.write(framed(pickle.dumps((report.path, packed_report(report)), pickle.HIGHEST_PROTOCOL)))


def _taken(file: IO[bytes]) -> Iterator[FileReport]:
    import pickle

    from devlint.engine.parallel.messages import read_frame, unpacked_report

    while (frame := read_frame(file)) is not None:
        yield unpacked_report(*pickle.loads(frame))


def write_fixed(report: FileReport) -> FileReport:
    """The report, once the file holds the text that fixes made."""
    from devlint.sources.source import write_source

    assert report.source is not None
    write_source(report.source.replace(text=report.before_text), report.after_text)
    return report
