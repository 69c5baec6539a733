"""Tensors made on the CPU that certainly meet one on a device."""

from __future__ import annotations

from collections.abc import Iterator

from devlint.analysis.places.certain.evidence import is_test_path, may_be_certain
from devlint.analysis.places.certain.flow import flow_in, gives_held
from devlint.analysis.places.function_summary import FunctionSummary, Meeting
from devlint.analysis.places.meetings import BESIDE
from devlint.analysis.places.results.device_choice import device_at, places_in_words
from devlint.analysis.places.results.functions_to_run import callers_of, functions_at, may_say_device
from devlint.analysis.places.results.missing_devices import (
    MissingDevice,
    found_in_project,
    gives_cpu,
    missing_devices,
    sets_default_device,
    summaries_of,
)
from devlint.analysis.places.summaries import FileSummaries
from devlint.analysis.places.values import Kind, Site
from devlint.analysis.places.written.definitions import FunctionDefinition
from devlint.analysis.places.written.file_definitions import FileDefinitions
from devlint.analysis.places.written.last_file import found_in
from devlint.analysis.places.written.made_in_text import MakerRows, rows_of_makers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from devlint.analysis.project.project import Project


def certain_devices(text: str, project: Project | None = None) -> tuple[MissingDevice, ...]:
    """The tensors of a program that are made on the CPU, and certainly meet one on a device."""
    return found_in_project(_certain_devices, text, project)


def likely_devices(text: str, project: Project | None = None) -> tuple[MissingDevice, ...]:
    """The tensors that meet others by what is likely; without the certain ones."""
    every = missing_devices(text, project)
    certain = {one.site for one in certain_devices(text, project)} if every else set()
    return tuple(one for one in every if one.site not in certain)


def _certain_devices(text: str, project: Project | None) -> tuple[MissingDevice, ...]:
    rows = rows_of_makers(text)
    if not (rows.used or (rows.early and "device" in text)) or sets_default_device(text):
        return ()
    found = found_in(text, lambda program: _certain(program, rows, project))
    if found:  # only then it is worth while to read what other files do
        found = found_in(text, lambda program: _certain(program, rows, project, reads_called=True))
    if found and project is not None and is_test_path(project):
        return tuple(one for one in found if one.is_given and one.kind != BESIDE)
    return found


def _certain(
    program: FileDefinitions, rows: MakerRows, project: Project | None, reads_called: bool = False
) -> Iterator[MissingDevice]:
    with summaries_of(program, project, only_bases=True, reads_called=reads_called) as summaries:
        meetings = [one for summary in _summaries(summaries, rows) for one in summary.meetings if one.is_evident]
        first: dict[Site, Meeting] = {}
        for meeting in sorted(meetings, key=lambda one: one.kind == BESIDE):
            for site in meeting.sites:
                first.setdefault(site, meeting)
        for site, meeting in sorted(first.items()):
            maker, _ = summaries.made_at(site)
            is_given = all(one.kind is Kind.DEVICE for one in meeting.partner)
            if maker is None or not may_be_certain(maker) or (maker.is_initializer and not _is_operation(meeting)):
                continue
            device, name = device_at(summaries, meeting, site)
            partner = places_in_words(meeting.partner)
            row = meeting.call_row
            yield MissingDevice(site, name, device, partner, meeting.kind, meeting.place, "", is_given, row)


def _is_operation(meeting: Meeting) -> bool:
    """Whether what meets is computed, with what is on a device that the function is given or names."""
    return meeting.kind != BESIDE and all(one.kind in (Kind.DEVICE, Kind.ELSEWHERE) for one in meeting.partner)


def _summaries(summaries: FileSummaries, rows: MakerRows) -> Iterator[FunctionSummary]:
    """The summaries of the functions in which a tensor that is made there may meet another, and of their callers."""
    program, every = summaries.program, [*rows.used, *rows.early]
    used = {*program.names_between(rows.used)}
    waiting = [
        function
        for name in program.names_between(every)
        if name in used or may_say_device(program.text_of(name))
        for function in functions_at(program.definition(name), every, rows.early, summaries)
        if _is_asked(summaries, function, every)
    ]
    seen = {*waiting}
    while waiting:
        function = waiting.pop()
        summary = summaries.summary(function) if may_be_certain(function) else None
        if summary is None:
            continue
        yield summary
        if function.is_initializer or not (summary.open or gives_cpu(summary)):
            continue
        for caller in callers_of(program, function):
            if caller not in seen and (gives_cpu(summary) or _gives_held(summaries, caller, function)):
                seen.add(caller)
                waiting.append(caller)


def _gives_held(summaries: FileSummaries, caller: FunctionDefinition, function: FunctionDefinition) -> bool:
    """Whether a caller may give a function what is on a device; whoever calls a module may."""
    name = function.node.name
    return name in ("forward", "__call__") or gives_held(caller, name, _is_in_module(summaries, caller))


def _is_in_module(summaries: FileSummaries, function: FunctionDefinition) -> bool:
    return function.owner is not None and summaries.is_module(function.owner)


def _is_asked(summaries: FileSummaries, function: FunctionDefinition, rows: list[int]) -> bool:
    """Whether a function is run: what it makes may meet others there, or where it is called."""
    flow = flow_in(function, rows, _is_in_module(summaries, function))
    return flow.is_met or (flow.gives and summaries.program.is_called(function))
