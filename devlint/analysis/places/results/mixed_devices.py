"""Operations of a program where two tensors meet that are certainly on two different devices."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from devlint.analysis.places.device_names import rows_of_names
from devlint.analysis.places.function_summary import FunctionSummary, Mixture
from devlint.analysis.places.results.functions_to_run import callers_of, functions_at
from devlint.analysis.places.summaries import FileSummaries
from devlint.analysis.places.values import Kind, Site, TensorPlace, tensors_in
from devlint.analysis.places.written.definitions import FunctionDefinition
from devlint.analysis.places.written.file_definitions import FileDefinitions
from devlint.analysis.places.written.last_file import found_in


class MixedDevices(NamedTuple):
    """An operation whose tensors are on different devices."""

    site: Site
    """Where the operation stands."""
    kind: str
    """What it is: ``+``, ``torch.cat``."""
    devices: tuple[str, str]
    rows: tuple[int, int]
    """Where the tensors are put on them."""


@lru_cache(maxsize=4)
def mixed_devices(text: str) -> tuple[MixedDevices, ...]:
    """The operations of a program whose tensors are certainly on different devices, by where they stand."""
    rows = rows_of_names(text)
    if not rows or "torch" not in text:
        return ()
    return found_in(text, lambda program: _mixed(program, rows))


def _mixed(program: FileDefinitions, rows: list[int]) -> Iterator[MixedDevices]:
    found: dict[Site, Mixture] = {}
    for summary in _summaries(program, rows):
        for one in summary.mixtures:
            found.setdefault(one.place, one)
    for site in sorted(found):
        first, second = sorted((found[site].one, found[site].other), key=lambda one: sorted(one.sites))
        yield MixedDevices(site, found[site].kind, (first.name, second.name), (_row(first), _row(second)))


def _row(place: TensorPlace) -> int:
    return min(site.row for site in place.sites)


def _summaries(program: FileDefinitions, rows: list[int]) -> Iterator[FunctionSummary]:
    """The summaries of the functions that name devices, and of those that call them and get such tensors."""
    summaries = FileSummaries(program, names_devices=True)
    waiting = [one for name in program.names_between(rows) for one in functions_at(program.definition(name), rows)]
    waiting.append(_body_of(program))
    seen = {*waiting}
    while waiting:
        summary = summaries.summary(function := waiting.pop())
        if summary is None:
            continue
        yield summary
        if any(one.kind is Kind.NAMED for tensor in tensors_in(summary.result) for one in tensor.places):
            more = [one for one in callers_of(program, function) if one not in seen]
            seen.update(more)
            waiting += more
    summaries.forget()


def _body_of(program: FileDefinitions) -> FunctionDefinition:
    """The statements of the module, as the body of a function."""
    nothing = ast.arguments([], [], None, [], [], None, [])
    body = [one for one in program.statements if not isinstance(one, (ast.FunctionDef, ast.ClassDef))]
    node = ast.FunctionDef("", nothing, body, [], None, None, lineno=1, col_offset=0)
    return FunctionDefinition(node, None, None, program)
