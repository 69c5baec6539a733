"""What was seen in an observed command, as text for people and as JSON for programs."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterable, Iterator
from typing import Any

from devlint.verify.expression_place import ExpressionPlace
from devlint.verify.observing.program_text import expression_text, function_rows, is_in_loop
from devlint.verify.observing.seen import Counted, Misplaced, Seen

MADE = {
    "factory": "made here on the CPU",
    "library": "made here on the CPU",
    "module": "the module that is made here is on the CPU",
    "loader": "the batches that are taken here are on the CPU",
    "loaded": "loaded here to the CPU",
    "moved": "moved to the CPU here",
    "joined": "computed here from tensors on the CPU",
    "unknown": "first seen here, on the CPU",
}
"""What is said of the expression, by its kind."""
_MOST_MEETINGS = 4
_MOST_LINES = 8


class ObservedReport:
    """What is worth telling."""

    def __init__(self, seen: Seen, code: int, files: Iterable[str]) -> None:
        """``code`` is the command's exit code, ``files`` those whose functions are counted."""
        self._seen = seen
        self._code = code
        functions = {(path, row) for path in map(os.path.abspath, files) for row in function_rows(path)}
        self._functions = len(functions), len(functions & seen.ran)

    @property
    def exit_code(self) -> int:
        """1 where tensors met, 2 where nothing can be said, else 0."""
        if self._seen.misplaced or self._seen.numpy:
            return 1
        return 2 if self._code or not self._seen.processes else 0

    def _sections(self) -> Iterator[tuple[str, str, list[Counted]]]:
        """The key in JSON, the headline and the lines of what is no error."""
        seen = self._seen
        frequent = [one for one in seen.copies if one.count > 1 and is_in_loop(one.at)]
        yield "numpy", "tensors on the device that NumPy cannot read", seen.numpy
        yield "discarded", "the result of the move is not used", seen.discarded
        yield (
            "waits_in_loops",
            "the host waits for the device in a loop",
            [one for one in seen.waits if one.count > 1 and is_in_loop(one.at)],
        )
        yield "copies_in_loops", "copies between host and device in a loop", frequent
        yield "back_and_forth", "tensors brought to the host and back", seen.back_and_forth
        yield "idle_moves", "moves that never moved anything", seen.idle_moves
        yield "moved_at_once", "tensors made on the CPU and moved at once", seen.moved_at_once
        yield "late_parameters", "parameters that get gradients and are in no optimizer", seen.late_parameters

    def as_text(self) -> str:
        """For people."""
        blocks = [self._headline()]
        blocks += map(_block, self._seen.misplaced)
        for key, headline, found in self._sections():
            if found:
                lines = [f"    {_line(key, one)}" for one in found[:_MOST_LINES]]
                if len(found) > _MOST_LINES:
                    lines.append(f"    and at {len(found) - _MOST_LINES} more places")
                blocks.append("\n".join([f"{headline}:", *lines]))
        blocks.append("\n".join(self._ending()))
        return "\n\n".join(blocks)

    def _headline(self) -> str:
        count = len(self._seen.misplaced)
        if count:
            return f"{count} {'tensor' if count == 1 else 'tensors'} on the wrong device"
        if not self._seen.processes:
            return "no process of the command imported torch"
        if not self._seen.device_used:
            return "no tensors of two devices met: nothing was ever on a device"
        return "no tensors of two devices met"

    def _ending(self) -> Iterator[str]:
        every, ran = self._functions
        if every:
            yield f"{ran} of {every} functions ran"
        if self._code:
            why = f": {self._seen.errors[-1]}" if self._seen.errors else ""
            yield f"the command {_ended(self._code)}{why}"

    def as_json(self) -> str:
        """For programs."""
        every, ran = self._functions
        return json.dumps(
            {
                "misplaced": [_misplaced_json(one) for one in self._seen.misplaced],
                **{key: [_counted_json(one) for one in found] for key, _, found in self._sections()},
                "functions": {"defined": every, "ran": ran},
                "device_used": self._seen.device_used,
                "processes": self._seen.processes,
                "exit_code": self._code,
                "errors": self._seen.errors,
            },
            indent=2,
        )


def shown(place: ExpressionPlace | None) -> str:
    """A place as people are told of it."""
    if place is None:
        return "(in a library)"
    column = f":{place.column + 1}" if place.column >= 0 else ""
    return f"{relative(place.path)}:{place.row}{column}"


def relative(path: str) -> str:
    """A path from the current folder, if it is below it."""
    found = os.path.relpath(path)
    return path if found.startswith(os.pardir + os.sep) else found


def times(count: int) -> str:
    """How often."""
    return "once" if count == 1 else f"{count:,} times"


def _ended(code: int) -> str:
    """How a command ended that did not succeed."""
    if code >= 0:
        return f"ended with exit code {code}"
    names = {number.value: number.name for number in signal.Signals}
    return f"was ended by {names.get(-code, f'signal {-code}')}"


def _block(one: Misplaced) -> str:
    if one.made is not None:
        where, made = f"{shown(one.made)}: {expression_text(one.made)}", MADE[one.kind]
    else:
        where, made = "(in other code)", "made on the CPU by a library, or in another process"
    held_by = one.names_where_met
    names = f": {', '.join(f'`{name}`' for name in held_by[:3])}" if held_by else ""
    lines = [where, f"    {made}{names}; {', '.join(one.tensors[:3])}"]
    lines += [f"    from {shown(place)}: {expression_text(place)}" for place in one.sources[:_MOST_MEETINGS]]
    for meeting in one.meetings[:_MOST_MEETINGS]:
        text = f": {expression_text(meeting.at)}" if meeting.at is not None else ""
        lines.append(
            f"    meets {meeting.device} at {shown(meeting.at)}{text}  ({meeting.operation}, {times(meeting.count)})"
        )
    if len(one.meetings) > _MOST_MEETINGS:
        lines.append(f"    and at {len(one.meetings) - _MOST_MEETINGS} more places")
    return "\n".join(lines)


def _line(key: str, one: Counted) -> str:
    text = f"{shown(one.at)}: {expression_text(one.at)}"
    more = [one.what] if one.what else []
    if one.other is not None and key == "back_and_forth":
        more.append(f"from {shown(one.other)}")
    more.append(times(one.count))
    if one.size:
        more.append(f"{one.size:,} bytes")
    return f"{text}  ({', '.join(more)})"


def _place_json(place: ExpressionPlace | None) -> dict[str, Any] | None:
    if place is None:
        return None
    return {
        "path": relative(place.path),
        "row": place.row,
        "column": place.column + 1,
        "end_row": place.end_row,
        "end_column": place.end_column + 1,
        "source": expression_text(place),
    }


def _misplaced_json(one: Misplaced) -> dict[str, Any]:
    return {
        "kind": one.kind,
        "made": _place_json(one.made),
        "from": [_place_json(place) for place in one.sources],
        "names": one.names,
        "tensors": one.tensors,
        "count": one.count,
        "meetings": [
            {"operation": met.operation, "at": _place_json(met.at), "device": met.device, "count": met.count}
            for met in one.meetings
        ],
    }


def _counted_json(one: Counted) -> dict[str, Any]:
    found: dict[str, Any] = {"at": _place_json(one.at), "count": one.count}
    if one.what:
        found["what"] = one.what
    if one.size:
        found["bytes"] = one.size
    if one.other is not None:
        found["from"] = _place_json(one.other)
    return found
