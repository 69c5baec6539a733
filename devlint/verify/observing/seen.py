"""What was seen in all processes of a command, merged."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from devlint.verify.expression_place import ExpressionPlace


@dataclass
class ObservedMeeting:
    """An operation in which a CPU tensor met others on a device."""

    operation: str
    at: ExpressionPlace | None
    device: str
    count: int = 0
    holders: tuple[tuple[str, ExpressionPlace, bool], ...] = ()
    """Variables that hold the tensor, each with the expression that its function is evaluating, innermost first, and
    whether it is the input of a module."""
    partners: tuple[tuple[str, ExpressionPlace], ...] = ()
    """Variables that hold what it met, or that are arguments on the device, each with what its function evaluates."""


@dataclass
class Misplaced:
    """An expression whose tensors are on the CPU and met others on a device."""

    kind: str
    """As ``devlint.verify.watch.origins.Birth`` has it, or joined: computed from tensors of several births."""
    operation: str
    made: ExpressionPlace | None
    sources: list[ExpressionPlace] = field(default_factory=list)
    """Where the tensors were made that it was computed from; of a parameter, where its values were made."""
    modules: list[ExpressionPlace] = field(default_factory=list)
    """Of one that is joined: where modules were made whose parameters it was computed from, and that nothing moves."""
    names: list[str] = field(default_factory=list)
    tensors: list[str] = field(default_factory=list)
    meetings: list[ObservedMeeting] = field(default_factory=list)
    is_moved_elsewhere: bool = False
    """Whether the program itself moves what is made there, in another place."""

    @property
    def names_where_met(self) -> list[str]:
        """Those of the innermost functions that hold the tensor, without what functions further out call it."""
        found: dict[str, None] = {}
        for meeting in self.meetings:
            innermost = meeting.holders[0][1] if meeting.holders else None
            found |= dict.fromkeys(name for name, place, _ in meeting.holders if place == innermost)
        return list(found)

    @property
    def count(self) -> int:
        """How often it met."""
        return sum(meeting.count for meeting in self.meetings)


@dataclass(frozen=True)
class Counted:
    """Something that happened at an expression."""

    what: str
    at: ExpressionPlace
    count: int
    size: int = 0
    """In bytes, of all copies."""
    other: ExpressionPlace | None = None
    """Where a tensor that is moved was made."""


@dataclass
class Seen:
    """All that was seen."""

    misplaced: list[Misplaced] = field(default_factory=list)
    numpy: list[Counted] = field(default_factory=list)
    waits: list[Counted] = field(default_factory=list)
    copies: list[Counted] = field(default_factory=list)
    back_and_forth: list[Counted] = field(default_factory=list)
    idle_moves: list[Counted] = field(default_factory=list)
    discarded: list[Counted] = field(default_factory=list)
    moved_at_once: list[Counted] = field(default_factory=list)
    late_parameters: list[Counted] = field(default_factory=list)
    ran: set[tuple[str, int]] = field(default_factory=set)
    """Files and first lines of the functions that ran."""
    device_used: bool = False
    errors: list[str] = field(default_factory=list)
    """The exceptions that ended processes."""
    processes: int = 0
    """How many processes imported torch."""


def read_notes(folder: str) -> Seen:
    """Merge what the processes have written."""
    notes = []
    for name in sorted(os.listdir(folder)):
        if name.endswith(".json"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                notes.append(json.load(file))
    return Seen(
        misplaced=_misplaced(
            (one for note in notes for one in note["meetings"]),
            {ExpressionPlace(*place) for note in notes for place in note["moved_from"]},
        ),
        numpy=_counted(notes, "numpy"),
        waits=_counted(notes, "waits", "how"),
        copies=_counted(notes, "copies", "kind"),
        back_and_forth=_counted(notes, "back_and_forth", place="back", other="away"),
        idle_moves=_idle_moves(notes),
        discarded=_counted(notes, "discarded"),
        moved_at_once=_counted(notes, "moved_at_once", other="made"),
        late_parameters=_counted(notes, "late_parameters", "name"),
        ran={(path, row) for note in notes for path, row in note["ran"]},
        device_used=any(note["device_used"] for note in notes),
        errors=list(dict.fromkeys(note["error"] for note in notes if note["error"])),
        processes=len(notes),
    )


def _place(value: list[Any] | None) -> ExpressionPlace | None:
    return ExpressionPlace(*value) if value else None


def _misplaced(records: Iterator[dict[str, Any]], moved_from: set[ExpressionPlace]) -> list[Misplaced]:
    """The meetings by what met: by the place where it was made, or where it was computed from several."""
    found: dict[tuple[Any, ...], Misplaced] = {}
    for record in records:
        births = [(one["kind"], one["operation"], _place(one["place"])) for one in record["births"]]
        if len(births) == 1:
            kind, operation, made = births[0]
            sources = [place for one in record["values"] if (place := _place(one["place"]))]
        else:
            kind, operation, made = ("joined" if births else "unknown"), "", _place(record["joined"])
            sources = [place for _, _, place in births if place is not None]
        one = found.setdefault((kind, operation, made), Misplaced(kind, operation, made))
        one.is_moved_elsewhere = made in moved_from or (kind == "joined" and bool(moved_from.intersection(sources)))
        _add_new(one.sources, sources)
        if kind == "joined":
            modules = [place for born, _, place in births if born == "module" and place is not None]
            _add_new(one.modules, [place for place in modules if place not in moved_from])
        holders = tuple((name, ExpressionPlace(*place), is_input) for name, place, is_input in record["holders"])
        _add_new(one.names, [name for name, _, _ in holders])
        _add_new(one.tensors, [record["tensor"]])
        at = _place(record["at"])
        same = (
            old
            for old in one.meetings
            if (old.operation, old.at, old.device) == (record["operation"], at, record["device"])
        )
        meeting = next(same, None)
        if meeting is None:
            partners = tuple((name, ExpressionPlace(*place)) for name, place, _ in record["partners"])
            meeting = ObservedMeeting(record["operation"], at, record["device"], holders=holders, partners=partners)
            one.meetings.append(meeting)
        meeting.count += record["count"]
    return sorted(found.values(), key=lambda one: (one.made is None, one.made or (), one.kind))


def _add_new(known: list[Any], more: list[Any]) -> None:
    known += [one for one in dict.fromkeys(more) if one not in known]


def _counted(
    notes: list[dict[str, Any]], name: str, what: str = "", place: str = "at", other: str = ""
) -> list[Counted]:
    """The counts of one kind, summed over the processes, the most frequent first."""
    sums: dict[tuple[str, ExpressionPlace, ExpressionPlace | None], list[int]] = {}
    for note in notes:
        for record in note[name]:
            at = _place(record[place])
            if at is not None:
                key = (record[what] if what else "", at, _place(record[other]) if other else None)
                total = sums.setdefault(key, [0, 0])
                total[0] += record["count"]
                total[1] += record.get("bytes", 0)
    found = [Counted(text, at, total[0], total[1], second) for (text, at, second), total in sums.items()]
    return sorted(found, key=lambda one: (-one.count, one.at))


def _idle_moves(notes: list[dict[str, Any]]) -> list[Counted]:
    """The moves that moved nothing in any process."""
    sums: dict[ExpressionPlace, list[int]] = {}
    for note in notes:
        for record in note["moves"]:
            total = sums.setdefault(ExpressionPlace(*record["at"]), [0, 0])
            total[0] += record["count"]
            total[1] += record["idle"]
    return [Counted("", place, count) for place, (count, idle) in sorted(sums.items()) if count == idle]
