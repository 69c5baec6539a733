"""Tensors that a program makes on the CPU, and that meet tensors of other devices."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from devlint.analysis.places.function_summary import FunctionSummary, Meeting
from devlint.analysis.places.meetings import BESIDE
from devlint.analysis.places.other_files import other_files
from devlint.analysis.places.results.device_choice import device_at, places_in_words
from devlint.analysis.places.results.functions_to_run import callers_of, functions_at, may_say_device
from devlint.analysis.places.results.met_elsewhere import met_elsewhere
from devlint.analysis.places.summaries import FileSummaries
from devlint.analysis.places.values import Site, Tensor, tensors_in
from devlint.analysis.places.written.definitions import ClassDefinition, FunctionDefinition, TornError
from devlint.analysis.places.written.file_definitions import FileDefinitions
from devlint.analysis.places.written.last_file import LAST_FILE, found_in
from devlint.analysis.places.written.made_in_text import rows_of_makers
from devlint.analysis.project.default_devices import is_default_set_elsewhere
from devlint.core.lazy_regex import regex
from devlint.torch_api.device_naming import DEFAULT_SETTERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from devlint.analysis.project.project import Index, Project


class MissingDevice(NamedTuple):
    """A tensor that is made on the CPU, and must be on the device of what it meets."""

    site: Site
    """The call that makes it."""
    maker: str
    """What is called: ``arange``."""
    device: str
    """An expression for the device; empty where none is known."""
    partner: str
    """Where the other tensor is, in words."""
    kind: str
    """The operation where they meet."""
    place: Site
    """Where that stands."""
    attribute: str = ""
    """The attribute of a module that keeps it."""
    is_given: bool = False
    """Whether the other is on a device that a function is given."""
    call_row: int = 0
    """The line of the call that leads to the operation, where this stands in another function."""
    file: str = ""
    """The name of the file in which they meet; empty for the one that makes it."""

    @property
    def meeting_in_words(self) -> str:
        """The operation and its line, and the line that calls it: ```+` on line 3, called on line 9``."""
        called = f", called on line {self.call_row}" if self.call_row else ""
        file = f" of `{self.file}`" if self.file else ""
        return f"`{self.kind}` on line {self.place.row}{file}{called}"


Find = Callable[[str, "Project | None"], tuple[MissingDevice, ...]]


def missing_devices(text: str, project: Project | None = None) -> tuple[MissingDevice, ...]:
    """The tensors of a program that are made on the CPU and meet tensors of other devices; the first meeting of each.

    What the file uses of the other files of its project is asked there, if the project is given, and whether one of
    them sets another default device.
    """
    return found_in_project(_missing_devices, text, project)


def found_in_project(find: Find, text: str, project: Project | None) -> tuple[MissingDevice, ...]:
    """What a function finds in a program, unless another file of its project sets another default device."""
    if project is None:
        return _known(find, text, "", None)[0]
    found, asked = _known(find, text, project.path, project.index)
    project.index.disk.asked.update(asked)
    return () if found and is_default_set_elsewhere(project) else found


@lru_cache(maxsize=8)
def _known(find: Find, text: str, path: str, index: Index | None) -> tuple[tuple[MissingDevice, ...], dict[str, str]]:
    """The tensors of a program, and what was asked of the disk; the prefilter asks for a text, and then the rule."""
    if index is None:
        return find(text, None), {}
    from devlint.analysis.project.project import Project

    before, index.disk.asked = index.disk.asked, {}
    try:
        return find(text, Project(path, index)), index.disk.asked
    finally:
        index.disk.asked = before


def _missing_devices(text: str, project: Project | None) -> tuple[MissingDevice, ...]:
    rows, early, _ = rows_of_makers(text)
    early = early if "device" in text else []
    if not (rows or early) or sets_default_device(text):
        return ()
    for asked, is_whole in product([project, None] if project is not None else [None], (False, True)):
        try:
            return tuple(_missing(LAST_FILE.definitions(text, is_whole), rows, early, asked))
        except (TornError, RecursionError):
            continue
    return ()


def sets_default_device(text: str) -> bool:
    """Whether a program says where tensors are made that name no device."""
    return "set_default_" in text and any(one in text for one in DEFAULT_SETTERS)


@lru_cache(maxsize=4)
def unregistered_tensors(text: str) -> tuple[MissingDevice, ...]:
    """The tensors that modules of a program keep as plain attributes, and that meet what moves with the module."""
    rows = rows_of_makers(text).start
    if not rows or sets_default_device(text):
        return ()
    return found_in(text, lambda program: _unregistered(program, rows))


def _unregistered(program: FileDefinitions, rows: list[int]) -> Iterator[MissingDevice]:
    summaries = FileSummaries(program, keeps_tensors=True)
    found: dict[Site, tuple[str, Meeting]] = {}
    for definition in _classes(program, rows):
        kept = _kept(summaries, definition) if program.is_module(definition) else {}
        for method in (definition.method(one) for one in definition.members) if kept else ():
            summary = summaries.summary(method) if not method.is_initializer else None
            for meeting in summary.meetings if summary is not None else ():
                sites = meeting.sites & kept.keys() - found.keys() if meeting.is_evident else ()
                found.update((site, (kept[site], meeting)) for site in sites)
    for site in sorted(found):
        attribute, meeting = found[site]
        partner = places_in_words(meeting.partner)
        row = meeting.call_row
        yield MissingDevice(site, "", "", partner, meeting.kind, meeting.place, attribute, call_row=row)
    summaries.forget()


def _classes(
    program: FileDefinitions, rows: list[int], is_asked: Callable[[str | None], bool] = lambda text: True
) -> Iterator[ClassDefinition]:
    """The classes that hold one of some rows, and whose text says something."""
    for name in program.names_between(rows) if rows else ():
        definition = program.definition(name) if is_asked(program.text_of(name)) else None
        if isinstance(definition, ClassDefinition):
            yield definition


def _kept(summaries: FileSummaries, definition: ClassDefinition) -> dict[Site, str]:
    """Where the tensors on the CPU are made that instances of a class keep, and in which attributes."""
    return {
        place_site: attribute
        for attribute, value in summaries.attributes(definition).items()
        if isinstance(value, Tensor) and not value.is_placeholder
        for place in value.places
        for place_site in place.sites
    }


def _missing(
    program: FileDefinitions, rows: list[int], early: list[int], project: Project | None
) -> list[MissingDevice]:
    with summaries_of(program, project) as summaries:
        makers = _makers(summaries, rows, early)
        found = _found(summaries, makers)
        return [*found, *_elsewhere(summaries, makers, {one.site for one in found}, project)]


def _elsewhere(
    summaries: FileSummaries, makers: list[FunctionDefinition], known: set[Site], project: Project | None
) -> Iterator[MissingDevice]:
    """The tensors that functions give back, and that meet others only in files that call them."""
    others = other_files(project.index, True) if project is not None else None
    for site, meeting, file, maker in (
        met_elsewhere(summaries, makers, others, project) if others is not None and project is not None else ()
    ):
        if site not in known:
            device = "device" if any(one.arg == "device" for one in maker.parameters) else ""
            partner = places_in_words(meeting.partner)
            name = device_at(summaries, meeting, site)[1]
            yield MissingDevice(site, name, device, partner, meeting.kind, meeting.place, file=file)


@contextmanager
def summaries_of(
    program: FileDefinitions, project: Project | None, only_bases: bool = False, reads_called: bool = False
) -> Iterator[FileSummaries]:
    """What is known of the functions and classes of a file, for which the other files of its project are asked."""
    others = other_files(project.index, not only_bases) if project is not None else None
    with others.asked_by(program, project.path) if others is not None and project is not None else nullcontext():
        guesses = not only_bases
        summaries = FileSummaries(program, False, False, others, only_bases, guesses, reads_called=reads_called)
        yield summaries
        summaries.forget()


def _found(summaries: FileSummaries, makers: list[FunctionDefinition]) -> list[MissingDevice]:
    every = [meeting for summary in _summaries(summaries, makers) for meeting in summary.meetings]
    first: dict[Site, Meeting] = {}
    for meeting in sorted(every, key=lambda one: one.kind == BESIDE):
        for site in meeting.sites:
            first.setdefault(site, meeting)
    found = []
    for site, meeting in sorted(first.items()):
        device, maker = device_at(summaries, meeting, site)
        partner = places_in_words(meeting.partner)
        row = meeting.call_row
        found.append(MissingDevice(site, maker, device, partner, meeting.kind, meeting.place, call_row=row))
    return found


def _makers(summaries: FileSummaries, rows: list[int], early: list[int]) -> list[FunctionDefinition]:
    """The functions that make tensors on the CPU, or use such tensors of objects.

    What makes modules is asked only where it is given a device.
    """
    program, every = summaries.program, [*rows, *early]
    used = {*program.names_between(rows)}
    makers = [
        function
        for name in program.names_between(every)
        if name in used or may_say_device(program.text_of(name))
        for function in functions_at(program.definition(name), every, early, summaries)
        if not function.is_initializer or function.uses.knows_devices
    ]
    return [*makers, *_users(summaries, early)]


def _summaries(summaries: FileSummaries, makers: Iterable[FunctionDefinition]) -> Iterator[FunctionSummary]:
    """The summaries of some functions, and of those that call them where that matters."""
    waiting = [*makers]
    seen = {*waiting}
    while waiting:
        function = waiting.pop()
        summary = summaries.summary(function)
        if summary is None:
            continue
        yield summary
        if not function.is_initializer and (summary.conditions or gives_cpu(summary)):
            more = [one for one in callers_of(summaries.program, function) if one not in seen]
            seen.update(more)
            waiting += more


def _users(summaries: FileSummaries, early: list[int]) -> Iterator[FunctionDefinition]:
    """The functions that use the tensors on the CPU that instances of classes keep that are no modules."""
    program = summaries.program
    attributes: set[str] = set()
    for definition in _classes(program, early, may_say_device):
        is_aware = any("device" in one.text for one in definition.members.values())
        if is_aware and not program.is_module(definition):
            attributes.update(_kept(summaries, definition).values())
    if attributes:
        yield from (one for one in _using(program, attributes) if not one.is_initializer)


def _using(program: FileDefinitions, attributes: set[str]) -> Iterator[FunctionDefinition]:
    """The functions of the file that name one of some attributes."""
    named = regex(rf"\.(?:{'|'.join(sorted(attributes))})\b")
    for name in program.names():
        text = program.text_of(name)
        if text is not None and named.search(text) is None:
            continue
        definition = program.definition(name)
        if isinstance(definition, FunctionDefinition):
            yield definition
        elif definition is not None:
            members = definition.members.items()
            yield from (definition.method(one) for one, member in members if named.search(member.text))


def gives_cpu(summary: FunctionSummary) -> bool:
    """Whether a function gives a tensor that was made on the CPU, or leaves one in its instance."""
    given = (summary.result, *summary.attributes.values())
    return any(tensor.is_on_cpu for one in given for tensor in tensors_in(one))
