"""The verdict on two programs that should do the same, by what was observed of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from devlint.verify.comparing.differences import asking_places, differences
from devlint.verify.comparing.observation import Observation
from devlint.verify.comparing.printed_output import neutral
from devlint.verify.comparing.strictness import Difference, Strictness
from devlint.verify.comparing.verdict import Outcome, Word

_CARD = re.compile(r"\b(gpus?|devices?|cards?|ordinals?|ranks?)\b[ #:=(]*-?\d+", re.IGNORECASE)
RunAgain = Callable[[], Observation]
"""Runs the original once more."""


@dataclass(frozen=True)
class Pair:
    """Two runs that should have done the same."""

    before: Observation
    after: Observation
    strict: Strictness
    again: RunAgain


def program_outcome(pair: Pair, setting: str) -> Outcome:
    """The verdict on the original and the rewritten program in the same setting."""
    before, after = pair.before, pair.after
    if before.works and after.works:
        return working_outcome(pair, setting)
    if before.works:
        return Outcome(setting, Word.NEWLY_FAILS, after.failure)
    if before.obstacle is not None:
        return Outcome(setting, Word.UNCOMPARED, f"the original {before.failure}")
    if after.works:
        if setting != "cpu" and before.ending.get("kind") == "exit" and not before.wants_cuda:
            return Outcome(setting, Word.VALUE, f"the exit code {before.code} became 0")
        return Outcome(setting, Word.NEWLY_WORKS if setting == "cpu" else Word.SAME, f"the original: {before.failure}")
    return failure_outcome(before, after, setting)


def failure_outcome(before: Observation, after: Observation, setting: str) -> Outcome:
    """The verdict on two programs that both fail."""
    if _signature(before) == _signature(after):
        return Outcome(setting, Word.FAILS_ALIKE, before.failure)
    if before.wants_cuda and after.wants_cuda:
        return Outcome(setting, Word.FAILS_ALIKE, f"both for want of CUDA, rewritten: {after.failure}")
    if after.obstacle is not None:
        return Outcome(setting, Word.UNCOMPARED, f"the rewritten program {after.failure}")
    return Outcome(setting, Word.NEWLY_FAILS, f"{after.failure}; the original: {before.failure}")


def _signature(one: Observation) -> tuple[object, ...]:
    """How a run failed, without the line, names of devices, numbers of cards and paths."""
    message = one.ending.get("message")
    said = None if message is None else _CARD.sub(r"\1 #", neutral(one.without_paths(message), True))
    return one.code, one.ended, one.ending.get("type"), said, one.obstacle


def newly_working_outcome(pair: Pair, reference: Pair) -> Outcome:
    """The verdict on a program that newly runs on the CPU: it must do what the original did on a GPU."""
    if not reference.before.works:
        return Outcome("cpu", Word.NEWLY_WORKS, notes=(f"nothing to compare with: {reference.before.failure}",))
    found = working_outcome(reference, "cpu")
    if found.word is Word.SAME:
        return Outcome("cpu", Word.NEWLY_WORKS, notes=found.notes)
    missed = reference.after.errors_for_want_of_cuda
    if missed and not reference.before.errors_for_want_of_cuda:
        why = f"for want of CUDA, the rewritten program or a process that it starts prints: {missed[0]}"
        return Outcome("cpu", Word.UNCOMPARED, why)
    return found


def working_outcome(pair: Pair, setting: str) -> Outcome:
    """The verdict on two programs that both work."""
    found = differences(pair.before, pair.after, pair.strict)
    notes: tuple[str, ...] = ()
    if found:
        unsteady = differences(pair.before, pair.again(), Strictness())
        places = {one.place for one in unsteady}
        if places:
            notes = (f"not compared, for it differs from run to run: {_listed(places)}",)
        if any(one.place == "events" for one in unsteady) and all(one.kind != "device" for one in found):
            why = f"the original differs from run to run: {unsteady[0].text}"
            return Outcome(setting, Word.UNCOMPARED, why)
        found = [one for one in found if one.place not in places]
    if found:
        return Outcome(setting, *_worst(found), notes=notes)
    notes += _warnings(pair.before, pair.after)
    if pair.before.data.get("memory"):
        notes += ("not compared: memory counters, which say the same number at any time",)
    asking = asking_places(pair.before, pair.after, pair.strict)
    if asking:
        notes += (f"not compared: what is printed where the program asks for CUDA: {_listed(asking)}",)
    more = pair.after.copies - pair.before.copies
    if more > 0 and not pair.strict.across_devices:
        return Outcome(setting, Word.SLOWER, _new_sites(pair.before, pair.after), notes, more)
    return Outcome(setting, Word.SAME, notes=notes)


def _worst(found: Sequence[Difference]) -> tuple[Word, str]:
    """The verdict on some differences; one of devices comes before one of values."""
    devices = [one for one in found if one.kind == "device"]
    shown = (devices or found)[0]
    rest = len(found) - 1
    more = f" (and {rest} other difference{'s' if rest > 1 else ''})" if rest else ""
    return Word.DEVICE if devices else Word.VALUE, shown.text + more


def _warnings(before: Observation, after: Observation) -> tuple[str, ...]:
    """A note on the first warning that the original did not give."""
    old = {tuple(one) for one in before.data.get("warnings", [])}
    new = [one for one in after.data.get("warnings", []) if tuple(one) not in old]
    first: list[str] | None = next(iter(new), None)
    return (f"a new warning: {first[0]}: {first[1][:120]}",) if first else ()


def _new_sites(before: Observation, after: Observation) -> str:
    """The lines of the rewritten program that copy most often."""
    sites = {name: count for name, count in after.data.get("sites", {}).items() if "2" in name}
    most = sorted(sites, key=lambda name: (-sites[name], name))[:3]
    return f"{before.copies} became {after.copies}" + (f"; most at {_listed(most)}" if most else "")


def _listed(names: Iterable[str], most: int = 5) -> str:
    names = sorted(names)
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
