"""Writes fixed files, the first when the last is analyzed: until then the reports on them are held."""

from __future__ import annotations

from itertools import chain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
    from typing import IO

    from devlint.engine.report import FileReport
    from devlint.engine.settling import Settling

    Failed = dict[str, tuple[int, FileReport]]
    """By path, the round whose text of a file could not be written, with what is said of that."""

MOST_HELD = 1 << 24
"""The most bytes of reports that are held in memory; more are in a temporary file."""


def written_last(
    reports: Generator[FileReport, None, None],
    write: Callable[[FileReport], FileReport],
    watch: Callable[[Iterable[FileReport]], Iterable[FileReport]],
    settling: Settling,
) -> Generator[FileReport, None, None]:
    """The reports in order, those on fixed files by ``write``, which begins when all reports are there.

    Until the first comes of a file that is fixed, or may be by what others become, reports are passed on at once.
    ``watch`` sees each as it comes.
    """
    try:
        coming = iter(watch(reports))
        for report in coming:
            asks, seen = bool(report.asks), settling.see(report)
            if seen.changed or asks:
                yield from _held(chain([seen], map(settling.see, coming)), write, settling)
            else:
                yield seen
    finally:
        reports.close()


def _held(
    reports: Iterable[FileReport], write: Callable[[FileReport], FileReport], settling: Settling
) -> Iterator[FileReport]:
    """The reports on written files, once all are there and settled."""
    from tempfile import SpooledTemporaryFile

    with SpooledTemporaryFile(max_size=MOST_HELD) as file:
        for report in reports:
            _put(file, report)
        settling.settle()
        if settling.rounds or settling.unsettled:
            yield from _written_in_rounds(file, write, settling)
        else:
            yield from map(write, _taken(file))


def _written_in_rounds(
    file: IO[bytes], write: Callable[[FileReport], FileReport], settling: Settling
) -> Iterator[FileReport]:
    """The same, where some files were looked at again.

    What a round makes of a file goes by what the round before made of others. So all files are written as each round
    leaves them, one round after the other, and where one cannot be, none as a later round would leave it.
    """
    failed: Failed = {}
    _write_round(0, _taken(file), write, failed)
    done = 0
    while done < len(settling.rounds) and not failed:
        done += 1
        _write_round(done, (_unpacked(*one) for one in settling.rounds[done - 1].items()), write, failed)
    left = settling.unsettled.union(*settling.rounds[done:])
    for report in _taken(file):
        outcome = _outcome(report, settling.rounds[:done], failed.get(report.path))
        yield outcome.replace(is_unsettled=True) if report.path in left else outcome


def _outcome(
    report: FileReport, rounds: Sequence[dict[str, bytes]], failed: tuple[int, FileReport] | None
) -> FileReport:
    """The report on a file after the rounds that were written, or until one could not be."""
    from devlint.engine.settling import of_both_looks

    number, failure = failed or (len(rounds) + 1, report)
    if number == 0:
        return failure
    for later in rounds[: number - 1]:
        if report.path in later:
            report = of_both_looks(report, _unpacked(report.path, later[report.path]))
    return report.replace(failures=(*report.failures, *failure.failures)) if failed else report


def _write_round(
    number: int, reports: Iterable[FileReport], write: Callable[[FileReport], FileReport], failed: Failed
) -> None:
    """Write what one round has made of files."""
    for report in reports:
        if report.changed:
            done = write(report)
            if done is not report:
                failed[report.path] = number, done


def _put(file: IO[bytes], report: FileReport) -> None:
    import pickle

    from devlint.engine.parallel.messages import framed, packed_report

    file.write(framed(pickle.dumps((report.path, packed_report(report)), pickle.HIGHEST_PROTOCOL)))


def _taken(file: IO[bytes]) -> Iterator[FileReport]:
    """The held reports, from the first."""
    import pickle

    from devlint.engine.parallel.messages import read_frame

    file.seek(0)
    while (frame := read_frame(file)) is not None:
        yield _unpacked(*pickle.loads(frame))


def _unpacked(path: str, data: bytes) -> FileReport:
    from devlint.engine.parallel.messages import unpacked_report

    return unpacked_report(path, data)


def write_fixed(report: FileReport) -> FileReport:
    """The report, once the file holds the text that fixes made."""
    from devlint.sources.source import write_source

    assert report.source is not None
    write_source(report.source.replace(text=report.before_text), report.after_text)
    return report
