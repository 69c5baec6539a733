"""Tensors made on the CPU that certainly meet one on a device: found without other functions and files."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from devlint.analysis.places.certain.evidence import may_be_certain
from devlint.analysis.places.certain.flow import may_meet
from devlint.analysis.places.device_choice import device_at, places_in_words
from devlint.analysis.places.functions_to_run import functions_at
from devlint.analysis.places.meetings import Meeting
from devlint.analysis.places.missing_devices import MissingDevice, missing_devices, sets_default_device
from devlint.analysis.places.summaries import FileSummaries
from devlint.analysis.places.values import Site
from devlint.analysis.places.written.definitions import FunctionDefinition
from devlint.analysis.places.written.file_definitions import FileDefinitions
from devlint.analysis.places.written.last_file import found_in
from devlint.analysis.places.written.made_in_text import rows_of_makers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from devlint.analysis.project.project import Project


@lru_cache(maxsize=4)
def certain_devices(text: str) -> tuple[MissingDevice, ...]:
    """The tensors of a program that are made on the CPU, and meet one on a device in the same function."""
    rows = rows_of_makers(text).used
    if not rows or sets_default_device(text):
        return ()
    return found_in(text, lambda program: _certain(program, rows))


def likely_devices(text: str, project: Project | None = None) -> tuple[MissingDevice, ...]:
    """The tensors that are found with other functions, and with what else is likely; without the certain ones."""
    every = missing_devices(text, project)
    certain = {one.site for one in certain_devices(text)} if every else set()
    return tuple(one for one in every if one.site not in certain)


def _certain(program: FileDefinitions, rows: list[int]) -> Iterator[MissingDevice]:
    summaries = FileSummaries(program)
    first: dict[Site, Meeting] = {}
    for name in program.names_between(rows):
        for function in functions_at(program.definition(name), rows, (), summaries):
            summary = summaries.summary(function) if _is_asked(summaries, function, rows) else None
            for meeting in summary.meetings if summary is not None else ():
                for site in meeting.sites if meeting.is_evident else ():
                    first.setdefault(site, meeting)
    for site, meeting in sorted(first.items()):
        device, maker = device_at(summaries, meeting, site)
        yield MissingDevice(site, maker, device, places_in_words(meeting.partner), meeting.kind, meeting.place)
    summaries.forget()


def _is_asked(summaries: FileSummaries, function: FunctionDefinition, rows: list[int]) -> bool:
    """Whether a function is run: it may show where its tensors are, and one that it makes may meet another."""
    is_in_module = function.owner is not None and summaries.is_module(function.owner)
    return may_be_certain(function) and may_meet(function, rows, is_in_module)
