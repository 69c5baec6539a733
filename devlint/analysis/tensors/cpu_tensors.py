"""The calls of a file whose tensors are on the CPU and meet others, and where two devices meet, by their spans."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from devlint.analysis.places.certain.certain_devices import certain_devices, likely_devices
from devlint.analysis.places.certain.evidence import is_test_path
from devlint.analysis.places.results.missing_devices import MissingDevice, unregistered_tensors
from devlint.analysis.places.results.mixed_devices import MixedDevices, mixed_devices
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.default_devices import is_default_set_elsewhere
from devlint.core.diagnostic import Span
from devlint.syntax.file_context import FileContext, fact

Found = TypeVar("Found", MissingDevice, MixedDevices)


@fact
def cpu_tensors(ctx: FileContext) -> dict[Span, MissingDevice]:
    """The tensors that are made on the CPU and certainly meet others, by where the calls that make them stand."""
    return _by_span(ctx.source.text, certain_devices(ctx.source.text, project_around(ctx)))


@fact
def likely_cpu_tensors(ctx: FileContext) -> dict[Span, MissingDevice]:
    """The same of those that meet others by what is likely."""
    return _by_span(ctx.source.text, likely_devices(ctx.source.text, project_around(ctx)))


@fact
def kept_tensors(ctx: FileContext) -> dict[Span, MissingDevice]:
    """The same of the tensors that modules keep as plain attributes."""
    found = unregistered_tensors(ctx.source.text)
    project = project_around(ctx) if found else None
    if project is None or is_test_path(project) or is_default_set_elsewhere(project):
        return {}
    return _by_span(ctx.source.text, found)


@fact
def mixed_tensors(ctx: FileContext) -> dict[Span, MixedDevices]:
    """The operations whose tensors are on different devices, by where they stand."""
    return _by_span(ctx.source.text, mixed_devices(ctx.source.text))


def _by_span(text: str, found: Iterable[Found]) -> dict[Span, Found]:
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))

    def offset(row: int, column: int) -> int:
        return starts[row - 1] + len(lines[row - 1].encode()[:column].decode())

    return {
        Span(offset(one.site.row, one.site.column), offset(one.site.end_row, one.site.end_column)): one for one in found
    }
