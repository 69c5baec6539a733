"""What was seen in one process, written to a file that is whole at any time."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections import Counter
from types import CodeType
from typing import Any

from devlint.verify.expression_place import ExpressionPlace
from devlint.verify.watch.origins import Birth, Origin
from devlint.verify.watch.places import UserCode

_SAVE_AFTER = 2.0
"""Seconds after which what has been counted is written, lest the process be killed."""
_AT_ONCE = 0.2
"""Seconds of processor time that may be spent on writing what is new at once."""
_AT_MOST = 0.02
"""The share of the time that may be spent on writing."""


class Notes:
    """Meetings, moves and waits by place, with counts."""

    def __init__(self, folder: str | None, code: UserCode) -> None:
        """Without a folder nothing is written."""
        self._folder = folder
        self._code = code
        self._started = self._saved = time.monotonic()
        self._spent = 0.0
        self.clear()

    def clear(self) -> None:
        """Forget all: in a forked process, where the parent tells what came before."""
        self.meetings: dict[tuple[Any, ...], dict[str, Any]] = {}
        self.numpy: Counter[ExpressionPlace | None] = Counter()
        self.copies: dict[tuple[str, ExpressionPlace], list[int]] = {}
        self.waits: Counter[tuple[str, ExpressionPlace]] = Counter()
        self.moves: dict[ExpressionPlace, list[int]] = {}
        self.discarded: Counter[ExpressionPlace] = Counter()
        self.moved_at_once: Counter[tuple[ExpressionPlace, ExpressionPlace]] = Counter()
        self.back_and_forth: dict[tuple[ExpressionPlace, ExpressionPlace], list[int]] = {}
        self.moved_from: set[ExpressionPlace] = set()
        self.late_parameters: dict[tuple[ExpressionPlace | None, str], int] = {}
        self.ran: set[CodeType] = set()
        self.device_used = False
        self.error: str | None = None

    def meeting(self, key: tuple[Any, ...], origin: Origin | None, facts: dict[str, Any]) -> None:
        """A meeting that has not been seen before."""
        births = origin.births if origin else ()
        values = origin.values.births if origin is not None and origin.values is not None else ()
        self.meetings[key] = {
            "births": [_of_birth(birth) for birth in births],
            "values": [_of_birth(birth) for birth in values],
            "joined": origin.joined if origin else None,
            "count": 0,
            **facts,
        }

    def total(self) -> int:
        """How often two devices have met."""
        return sum(one["count"] for one in self.meetings.values())

    def something_new(self) -> None:
        """Write what there is, unless that has taken too long already."""
        now = time.monotonic()
        if self._spent < _AT_ONCE + _AT_MOST * (now - self._started):
            self.save()

    def counted(self) -> None:
        """Write what there is, if the last time was a while ago."""
        if time.monotonic() - self._saved > _SAVE_AFTER:
            self.something_new()

    def save(self) -> None:
        """Write what there is."""
        if self._folder is None:
            return
        begun = time.thread_time()
        path = os.path.join(self._folder, f"{os.getpid()}.json")
        with contextlib.suppress(OSError):
            with open(path + ".new", "w", encoding="utf-8") as file:
                json.dump(self.as_json(), file, default=str)
            os.replace(path + ".new", path)
        self._saved = time.monotonic()
        self._spent += time.thread_time() - begun

    def as_json(self) -> dict[str, Any]:
        """What there is, as JSON has it."""
        return {
            "meetings": list(self.meetings.values()),
            "numpy": [{"at": place, "count": count} for place, count in self.numpy.items()],
            "copies": [
                {"kind": kind, "at": place, "count": count, "bytes": size}
                for (kind, place), (count, size) in self.copies.items()
            ],
            "waits": [{"how": how, "at": place, "count": count} for (how, place), count in self.waits.items()],
            "moves": [{"at": place, "count": one[0], "idle": one[1]} for place, one in self.moves.items()],
            "discarded": [{"at": place, "count": count} for place, count in self.discarded.items()],
            "moved_at_once": [
                {"made": made, "at": place, "count": count} for (made, place), count in self.moved_at_once.items()
            ],
            "back_and_forth": [
                {"away": away, "back": back, "count": one[0], "bytes": one[1]}
                for (away, back), one in self.back_and_forth.items()
            ],
            "moved_from": list(self.moved_from),
            "late_parameters": [
                {"at": place, "name": name, "count": count} for (place, name), count in self.late_parameters.items()
            ],
            "ran": sorted({(path, code.co_firstlineno) for code in self.ran.copy() if (path := self._code.path(code))}),
            "device_used": self.device_used,
            "error": self.error,
        }


def _of_birth(birth: Birth) -> dict[str, Any]:
    return {"kind": birth.kind, "operation": birth.operation, "place": birth.place}
