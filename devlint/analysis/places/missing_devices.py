"""Tensors that a program makes on the CPU, and that meet tensors of other devices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from devlint.analysis.places.definitions import ClassDefinition, FunctionDefinition, TornError
from devlint.analysis.places.device_choice import device_at, places_in_words
from devlint.analysis.places.file_definitions import Definition, FileDefinitions
from devlint.analysis.places.made_in_text import rows_of_makers
from devlint.analysis.places.meetings import FunctionSummary, Meeting
from devlint.analysis.places.summaries import FileSummaries
from devlint.analysis.places.values import Kind, Site, tensors_in
from devlint.core.lazy_regex import regex

_SETS_DEFAULT = regex(r"\bset_default_(?:device|tensor_type)\b")


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


@lru_cache(maxsize=4)
def missing_devices(text: str) -> tuple[MissingDevice, ...]:
    """The tensors of a program that are made on the CPU and meet tensors of other devices; the first meeting of each.

    The prefilter asks for a text, and then the rule.
    """
    if not rows_of_makers(text) or "set_default_" in text and _SETS_DEFAULT.search(text):
        return ()
    for is_whole in (False, True):
        try:
            return tuple(_missing(FileDefinitions(text, is_whole)))
        except TornError:
            continue
        except RecursionError:
            break
    return ()


@lru_cache(maxsize=4)
def unregistered_tensors(text: str) -> tuple[MissingDevice, ...]:
    """The tensors that modules of a program keep as plain attributes, and that meet what moves with the module."""
    rows = rows_of_makers(text, is_early=True)
    if not rows or "set_default_" in text and _SETS_DEFAULT.search(text):
        return ()
    for is_whole in (False, True):
        try:
            return tuple(_unregistered(FileDefinitions(text, is_whole), rows))
        except TornError:
            continue
        except RecursionError:
            break
    return ()


def _unregistered(program: FileDefinitions, rows: list[int]) -> Iterator[MissingDevice]:
    summaries = FileSummaries(program, keeps_tensors=True)
    found: dict[Site, tuple[str, Meeting]] = {}
    for name in program.names_between(rows):
        definition = program.definition(name)
        if not isinstance(definition, ClassDefinition) or not program.is_module(definition):
            continue
        kept = {
            place_site: attribute
            for attribute, value in summaries.attributes(definition).items()
            for tensor in tensors_in(value)
            for place in tensor.places
            for place_site in place.sites
        }
        for method in (definition.method(one) for one in definition.members) if kept else ():
            summary = summaries.summary(method) if not method.is_initializer else None
            for meeting in summary.meetings if summary is not None else ():
                found.update((site, (kept[site], meeting)) for site in meeting.sites & kept.keys() - found.keys())
    for site in sorted(found):
        attribute, meeting = found[site]
        partner = places_in_words(meeting.partner)
        yield MissingDevice(site, "", "", partner, meeting.kind, meeting.place, attribute)


def _missing(program: FileDefinitions) -> Iterator[MissingDevice]:
    summaries = FileSummaries(program)
    found: dict[Site, Meeting] = {}
    for summary in _summaries(program, summaries):
        for meeting in summary.meetings:
            for site in meeting.sites:
                found.setdefault(site, meeting)
    for site in sorted(found):
        meeting = found[site]
        device, maker = device_at(summaries, meeting, site)
        yield MissingDevice(site, maker, device, places_in_words(meeting.partner), meeting.kind, meeting.place)


def _summaries(program: FileDefinitions, summaries: FileSummaries) -> Iterable[FunctionSummary]:
    """The summaries of the functions that make tensors on the CPU, and of those that call such functions."""
    rows = rows_of_makers(program.text)
    waiting = [
        function
        for name in program.names_between(rows)
        for function in _functions(program.definition(name), rows)
        if not function.is_initializer
    ]
    seen = {*waiting}
    while waiting:
        function = waiting.pop()
        summary = summaries.summary(function)
        if summary is None:
            continue
        yield summary
        if summary.conditions or _gives_cpu(summary):
            more = [one for one in _callers(program, function) if one not in seen]
            seen.update(more)
            waiting += more


def _functions(definition: Definition | None, rows: list[int]) -> Iterator[FunctionDefinition]:
    """The function, or the methods of the class, that hold one of some rows."""
    if isinstance(definition, ClassDefinition):
        for name, member in definition.members.items():
            if any(member.row <= row < member.row + member.text.count("\n") + 1 for row in rows):
                yield definition.method(name)
    elif definition is not None:
        node = definition.node
        if any(node.lineno <= row <= (node.end_lineno or node.lineno) for row in rows):
            yield definition


def _gives_cpu(summary: FunctionSummary) -> bool:
    """Whether a function gives a tensor that was made on the CPU."""
    return any(one.kind is Kind.CPU for tensor in tensors_in(summary.result) for one in tensor.places)


def _callers(program: FileDefinitions, function: FunctionDefinition) -> Iterator[FunctionDefinition]:
    """The functions of the file that may call another."""
    name = function.node.name
    is_called_by_class = name in ("forward", "__call__") and function.owner is not None
    wanted = function.owner.node.name if is_called_by_class and function.owner is not None else name
    call = f"{wanted}("
    for each in program.names():
        text = program.text_of(each)
        if text is not None and call not in text.replace(f"def {call}", ""):
            continue
        definition = program.definition(each)
        if isinstance(definition, ClassDefinition):
            for other, member in definition.members.items():
                if is_called_by_class or call in member.text.replace(f"def {call}", ""):
                    yield definition.method(other)
        elif definition is not None:
            yield definition
