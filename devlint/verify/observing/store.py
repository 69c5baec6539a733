"""Keeps what was seen for `devlint check --observed`, and for the fixes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from devlint.config.observed import ObservedFiles, content_digest, write_observed
from devlint.core.observed_tensors import ObservedTensor
from devlint.verify.observing.report import relative
from devlint.verify.observing.seen import Misplaced, ObservedMeeting, Seen

_Found = dict[str, tuple[str, tuple[ObservedTensor, ...]]]


def store_observed(seen: Seen) -> None:
    """Write .devlint/observed.json in the current folder."""
    write_observed(os.getcwd(), _by_contents(seen.misplaced))


def observed_files(seen: Seen, is_second_choice: bool = False) -> ObservedFiles:
    """What fixes need of it, when the command will be run again with them.

    A tensor is moved where it is made; but one that the program itself moves elsewhere, where it met. For those for
    which there is no such fix, the other way is the second choice. What is computed from others waits for them, and
    what a module gives that nothing moves waits for the module. What a library makes and uses in one call is no
    concern of the program's.
    """
    single = [one for one in seen.misplaced if one.kind != "joined"]
    made = {one.made for one in single}
    waiting = [one for one in seen.misplaced if one.kind == "joined" and not made.intersection(one.sources)]
    unmoved = {place: one.meetings for one in waiting for place in one.modules}
    first = [
        *(one for one in single if any(meeting.at != one.made for meeting in one.meetings)),
        *(one for one in waiting if not one.modules),
        *(Misplaced("module", "Module", place, meetings=meetings) for place, meetings in unmoved.items()),
    ]

    def at_use(one: Misplaced) -> bool:
        return (one.is_moved_elsewhere and one.kind != "loader") is not is_second_choice

    found = _by_contents(first, at_use)
    return ObservedFiles({digest: tensors for digest, (_, tensors) in found.items()}, True)


def _by_contents(misplaced: Iterable[Misplaced], at_use: Callable[[Misplaced], bool] = lambda _: False) -> _Found:
    by_path: dict[str, list[ObservedTensor]] = {}
    for one in misplaced:
        if one.made is not None and not at_use(one):
            by_path.setdefault(one.made.path, []).append(_tensor(one))
            continue
        for meeting in one.meetings:
            use = _use(one, meeting)
            if use is not None:
                by_path.setdefault(use[0], []).append(use[1])
    found: _Found = {}
    for path, tensors in by_path.items():
        try:
            with open(path, "rb") as file:
                found[content_digest(file.read())] = relative(path), tuple(tensors)
        except OSError:
            continue
    return found


def _tensor(one: Misplaced) -> ObservedTensor:
    assert one.made is not None
    first = next((meeting for meeting in one.meetings if meeting.at is not None), one.meetings[0])
    at = f"{relative(first.at.path)}:{first.at.row}" if first.at is not None else "a library"
    _, row, column, end_row, end_column = one.made
    names = tuple(one.names)
    is_brought = one.kind == "moved" and all(met.at is not None and met.at.holds(one.made) for met in one.meetings)
    kind = "brought" if is_brought else one.kind
    partners = _partners(one.made.path, one.meetings)
    place = row, column, end_row, end_column
    return ObservedTensor(kind, one.operation, *place, names, first.device, at, one.count, partners)


def _partners(path: str, meetings: Iterable[ObservedMeeting]) -> tuple[tuple[str, int], ...]:
    """The variables of functions of one file that hold what a tensor met."""
    pairs = [(name, place.row) for meeting in meetings for name, place in meeting.partners if place.path == path]
    return tuple(dict.fromkeys(pairs))


def _use(one: Misplaced, meeting: ObservedMeeting) -> tuple[str, ObservedTensor] | None:
    """The file and the expression in which a tensor is used, for one that is moved there.

    The input of a module is moved where the module is called: in the module, its own device is taken for the right one.
    """
    outside = next(((name, place) for name, place, is_input in meeting.holders if not is_input), None)
    if outside is None and meeting.at is None:
        return None
    names, place = ((outside[0],), outside[1]) if outside is not None else (tuple(one.names), meeting.at)
    assert place is not None
    path, row, column, end_row, end_column = place
    met = meeting.at or place
    at = f"{relative(met.path)}:{met.row}"
    where, partners = (row, column, end_row, end_column), _partners(path, [meeting])
    return path, ObservedTensor("use", meeting.operation, *where, names, meeting.device, at, meeting.count, partners)
