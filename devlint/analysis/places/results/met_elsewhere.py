"""Tensors that a function gives back, and that meet others in the files that call it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from devlint.analysis.places.function_summary import Meeting
from devlint.analysis.places.other_files import OtherFiles
from devlint.analysis.places.results.functions_to_run import callers_of
from devlint.analysis.places.summaries import FileSummaries
from devlint.analysis.places.values import Site, tensors_in
from devlint.analysis.places.written.definitions import FunctionDefinition, TornError
from devlint.analysis.project.calls import function_calls_elsewhere

TYPE_CHECKING = False
if TYPE_CHECKING:
    from devlint.analysis.project.project import Project

_MOST_FILES = 4
"""How many files that call a function are asked."""
_MOST_CALLERS = 8
"""How many of the functions of each."""


class MetElsewhere(NamedTuple):
    """A meeting in another file of what a function of this one has made on the CPU."""

    site: Site
    meeting: Meeting
    file: str
    maker: FunctionDefinition


def met_elsewhere(
    summaries: FileSummaries, makers: Iterable[FunctionDefinition], others: OtherFiles, project: Project
) -> Iterator[MetElsewhere]:
    """Where other files use what functions of this one give back, each for the first caller that shows it."""
    for maker in makers:
        sites = _given_back(summaries, maker) if maker.owner is None and maker.home is summaries.program else set()
        paths = sorted({one.path for one in function_calls_elsewhere(project, maker.node.name) or ()}) if sites else []
        for path in paths[:_MOST_FILES]:
            met = _met_in(summaries, maker, others, project.path, path)
            for meeting in met:
                for site in sorted(_own_sites(meeting) & sites):
                    sites.discard(site)
                    yield MetElsewhere(site, meeting, _name(path), maker)


def _name(path: str) -> str:
    """The last part of a path."""
    return path.replace("\\", "/").rpartition("/")[2]


def _given_back(summaries: FileSummaries, maker: FunctionDefinition) -> set[Site]:
    """Where a function makes the tensors on the CPU that it certainly gives back."""
    summary = summaries.summary(maker)
    tensors = tensors_in(summary.result) if summary is not None else ()
    left = [one for one in tensors if one.is_certainly_on_cpu and not one.is_placeholder]
    return {site for one in left for place in one.places for site in place.sites}


def _met_in(
    summaries: FileSummaries, maker: FunctionDefinition, others: OtherFiles, path: str, caller: str
) -> list[Meeting]:
    """What meets in the functions of another file that call one of this file."""
    found: list[Meeting] = []
    with others.lending(summaries, path, caller) as callers:
        if callers is None:
            return []
        try:
            for function in [*callers_of(callers.program, maker)][:_MOST_CALLERS]:
                summary = callers.summary(function)
                found += summary.meetings if summary is not None else []
        except TornError:
            pass
    return found


def _own_sites(meeting: Meeting) -> set[Site]:
    """Where this file makes what meets: the rows of what another file has lent are negative there."""
    return {one._replace(row=-one.row) for one in meeting.sites if one.row < 0}
