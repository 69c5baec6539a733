"""Tensors that a program makes on the CPU, and that meet tensors of other devices."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from devlint.analysis.places.definitions import ClassDefinition, FunctionDefinition, functions_of
from devlint.analysis.places.device_choice import device_at, places_in_words
from devlint.analysis.places.file_definitions import Definition, FileDefinitions, TornError
from devlint.analysis.places.meetings import FunctionSummary, Meeting
from devlint.analysis.places.summaries import FileSummaries
from devlint.analysis.places.values import Kind, Site, tensors_in
from devlint.core.lazy_regex import regex
from devlint.torch_api.tensor_places import CPU_CONSTRUCTORS, MAKERS

_SETS_DEFAULT = regex(r"\bset_default_(?:device|tensor_type)\b")
_LONGEST_CALL = 1_000
_MAKER = regex(rf"\b(?:{'|'.join(sorted(MAKERS | CPU_CONSTRUCTORS))})\s*\(")


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


@lru_cache(maxsize=4)
def missing_devices(text: str) -> tuple[MissingDevice, ...]:
    """The tensors of a program that are made on the CPU and meet tensors of other devices; the first meeting of each.

    The prefilter asks for a text, and then the rule.
    """
    if _SETS_DEFAULT.search(text) or not any(True for _ in _rows_of_makers(text)):
        return ()
    for is_whole in (False, True):
        try:
            return tuple(_missing(FileDefinitions(text, is_whole)))
        except TornError:
            continue
        except RecursionError:
            break
    return ()


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
    rows = [*_rows_of_makers(program.text)]
    waiting = [
        function
        for name in program.names_between(rows)
        for function in _functions(program.definition(name))
        if not function.is_initializer and _holds(function, rows)
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


def _functions(definition: Definition | None) -> Iterable[FunctionDefinition]:
    return () if definition is None else functions_of(definition)


def _rows_of_makers(text: str) -> Iterator[int]:
    """The rows of the calls that may make a tensor on the CPU."""
    row, at = 1, 0
    for found in _MAKER.finditer(text):
        row += text.count("\n", at, found.start())
        at = found.start()
        if not _says_device(text, found.end()):
            yield row


def _says_device(text: str, start: int) -> bool:
    """Whether the arguments of a call, which begin at ``start``, hold a device."""
    said = text.find("device", start, start + _LONGEST_CALL)
    if said < 0:
        return False
    before = text[start:said]
    # Where more brackets are closed than opened in between, the device belongs to what follows.
    depth = 0
    for bracket in before:
        depth += (bracket in "([{") - (bracket in ")]}")
        if depth < 0:
            return False
    return depth == 0 and text[said - 1 : said].isspace() or before.endswith((",", "("))


def _holds(function: FunctionDefinition, rows: list[int]) -> bool:
    """Whether one of some rows is in a function."""
    node = function.node
    return any(node.lineno <= row <= (node.end_lineno or node.lineno) for row in rows)


def _gives_cpu(summary: FunctionSummary) -> bool:
    """Whether a function gives a tensor that was made on the CPU."""
    return any(one.kind is Kind.CPU for tensor in tensors_in(summary.result) for one in tensor.places)


def _callers(program: FileDefinitions, function: FunctionDefinition) -> Iterable[FunctionDefinition]:
    """The functions of the file that may call another."""
    name = function.node.name
    wanted = {name}
    if name in ("forward", "__call__") and function.owner is not None:
        wanted = {function.owner.node.name}
    for each in program.names():
        text = program.text_of(each)
        if text is not None and not any(one in text for one in wanted):
            continue
        definition = program.definition(each)
        is_class = isinstance(definition, ClassDefinition) and name in ("forward", "__call__")
        for one in _functions(definition):
            if is_class or any(_called_name(call) in wanted for call in one.uses.calls):
                yield one


def _called_name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
