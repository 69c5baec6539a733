"""Lists what differs between two runs that should have done the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from devlint.verify.comparing.assigned_lines import with_lines
from devlint.verify.comparing.observation import Observation
from devlint.verify.comparing.printed_output import Leniency, differing_lines, neutral
from devlint.verify.comparing.strictness import Difference, Strictness
from devlint.verify.comparing.tolerance import Tolerance, first_difference

_WRAPPERS = ("DataParallel", "DistributedDataParallel")
_TENSORS = ("tensor", "array")
_NOT_COMPARED = ("bool", "NoneType", "unrecorded")
"""Booleans are often flags of the device: use_cuda, pin_memory."""


def differences(before: Observation, after: Observation, strict: Strictness) -> list[Difference]:
    """All differences, in the order in which they arose."""
    found = [
        *_of_events(before, after, strict),
        *with_lines(before.program, _of_state(before, after, strict)),
        *_of_operators(before, after, strict),
        *_of_output(before, after, strict),
        *_of_logs(before, after, strict),
        *_of_random_numbers(before, after, strict),
        *_of_files(before, after, strict),
    ]
    return [one for one in found if one.place not in strict.not_compared]


def _of_events(before: Observation, after: Observation, strict: Strictness) -> Iterator[Difference]:
    """The first forward, backward or step that differs; later ones follow from it."""
    events = [_comparable(one.events, strict) for one in (before, after)]
    if strict.across_devices and any(event[1] == "DataParallel" for event in (*before.events, *after.events)):
        events = [[event for event in one if event[0] != "forward"] for one in events]  # replicas are called in threads
    for number, (old, new) in enumerate(zip(*events)):
        where = f"{old[0]} of {old[1]} (event {number + 1}{_at(old)})"
        if old[:2] != new[:2] or len(old[2]) != len(new[2]):
            yield Difference("steps", "events", f"{where} became {new[0]} of {new[1]}{_at(new)}")
            return
        found = next(filter(None, (_of_records(a, b, strict, where, "events") for a, b in zip(old[2], new[2]))), None)
        if found is not None:
            yield found
            return
        yield from _of_saved((before, old), (after, new), strict)
    more_unrecorded = before.data.get("count") != after.data.get("count") and not strict.across_devices
    if len(events[0]) != len(events[1]) or more_unrecorded:
        names = [_counted(one) for one in events]
        yield Difference("steps", "events", f"{names[0]} became {names[1]}")


def _of_saved(
    before: tuple[Observation, list[Any]], after: tuple[Observation, list[Any]], strict: Strictness
) -> Iterator[Difference]:
    """Compare the plain values of what is saved; on the same device also which values there are."""
    event = before[1]
    old, new = (_plain_parts(*saved) for saved in (before, after))
    for path in sorted(old.keys() & new.keys() if strict.across_devices else old.keys() | new.keys()):
        kinds = [one[path]["type"] if path in one else "gone" for one in (old, new)]
        told = None
        if kinds[0] == kinds[1]:
            told = _of_plain(old[path], new[path], strict) if "value" in old[path] else None
        elif "gone" in kinds and "str" not in kinds:  # a name may become a device
            told = "is no more" if kinds[1] == "gone" else "is new"
        if told is not None and kinds[0] not in _NOT_COMPARED:
            yield Difference("value", f"{event[1]}{path}", f"saving of {event[1]}{_at(event)}: {path[:60]} {told}")


def _plain_parts(one: Observation, event: list[Any]) -> dict[str, dict[str, Any]]:
    """What an event has saved besides tensors, by its path."""
    parts: dict[str, dict[str, Any]] = next(iter(event[4:]), {})
    return {path: _without_paths(one, part) if "value" in part else part for path, part in parts.items()}


def _at(event: list[Any]) -> str:
    """The line of the program at which an event happened."""
    return f", {event[3]}" if len(event) > 3 and event[3] else ""


def _comparable(events: list[Any], strict: Strictness) -> list[Any]:
    """The events; across devices without those of wrappers, which only one program may have."""
    if not strict.across_devices:
        return events
    return [event for event in events if event[1] not in _WRAPPERS and event[0] not in ("seed", "scale")]


def _counted(events: list[Any]) -> str:
    kinds = Counter(event[0] for event in events)
    return ", ".join(f"{number} {kind}" for kind, number in kinds.items())


def _of_records(
    old: dict[str, Any], new: dict[str, Any], strict: Strictness, where: str, place: str
) -> Difference | None:
    """Compare two tensors by shape, dtype, device, digest and sums."""
    told = _of_kind(old, new)
    if told is not None:
        return Difference("value", place, f"{where}: {told}")
    if strict.placement and old["device"] != new["device"]:
        return Difference("device", place, f"{where}: {old['device']} became {new['device']}")
    if old["digest"] == new["digest"]:
        return None
    allowed = Tolerance.of(old["dtype"], strict.tolerance_factor)
    sums, others = ([float(number) for number in one["sums"]] for one in (old, new))
    if strict.tolerance_factor:
        room = Tolerance(allowed.relative, allowed.absolute + allowed.relative * abs(sums[1]))
        if all(room.allows(*pair) for pair in zip(sums, others)):
            return None
    told = f"the sum {sums[0]:.6g} became {others[0]:.6g}, by {abs(sums[0] - others[0]):.2g} ({allowed})"
    return Difference("value", place, f"{where}: {told}")


def _of_kind(old: dict[str, Any], new: dict[str, Any]) -> str | None:
    for key, name in (("shape", "shape"), ("dtype", "type"), ("requires_grad", "requires_grad")):
        if old.get(key) != new.get(key):
            return f"{name} {old.get(key)} became {new.get(key)}"
    return None


def _of_state(before: Observation, after: Observation, strict: Strictness) -> Iterator[Difference]:
    """Compare the variables that both programs have; new ones are allowed, a lost tensor or float in a list is not."""
    states = [_neutral_state(one.state) if strict.across_devices else one.state for one in (before, after)]
    for name, old in states[0].items():
        new = states[1].get(name)
        if new is None:
            if old["type"] == "tensor" or (old["type"] == "float" and name[-1] == "]" and not strict.across_devices):
                yield Difference("value", name, f"{name} is no more")
        elif old["type"] == new["type"]:
            yield from _of_values(before, after, name, old, new, strict)
        elif old["type"] in _TENSORS and new["type"] not in _NOT_COMPARED:
            yield Difference("value", name, f"{name}: {old['type']} became {new['type']}")


def _neutral_state(state: dict[str, Any]) -> dict[str, Any]:
    """The state without wrappers' names and gradients, in which optimizers on a GPU compute (Nesterov)."""
    return {name.replace(".module.", "."): one for name, one in state.items() if not name.endswith(".grad")}


def _of_values(
    before: Observation, after: Observation, name: str, old: dict[str, Any], new: dict[str, Any], strict: Strictness
) -> Iterator[Difference]:
    if old["type"] in _NOT_COMPARED:
        return
    if old["type"] == "generator":
        if strict.random and old["value"] != new["value"]:
            yield Difference("random", name, f"the generator of random numbers {name} ends in another state")
        return
    if old["type"] not in _TENSORS:
        told = _of_plain(_without_paths(before, old), _without_paths(after, new), strict)
        if told is not None:
            yield Difference("value", name, f"{name}: {told}")
        return
    if strict.placement and old["device"] != new["device"]:
        yield Difference("device", name, f"{name}: {old['device']} became {new['device']}")
    if old["digest"] == new["digest"] and _of_kind(old, new) is None:
        return
    numbers, others = before.numbers(old), after.numbers(new)
    if numbers is None or others is None or _of_kind(old, new) is not None:
        found = _of_records(old, new, Strictness(strict.across_devices, strict.tolerance_factor), name, name)
        if found is not None:
            yield found
    else:
        told = first_difference(numbers, others, old["shape"], Tolerance.of(old["dtype"], strict.tolerance_factor))
        if told is not None:
            yield Difference("value", name, f"{name}: {told}")


def _without_paths(one: Observation, value: dict[str, Any]) -> dict[str, Any]:
    """A plain value in which the places of the program have names: the rewritten one is in a copy of the project."""
    return {**value, "value": one.without_paths(value["value"])}


def _of_plain(old: dict[str, Any], new: dict[str, Any], strict: Strictness) -> str | None:
    """Compare numbers and strings; across devices only floats, since others may count or name GPUs."""
    if old["value"] == new["value"]:
        return None
    if old["type"] == "float":
        allowed = Tolerance.of("float32", strict.tolerance_factor)
        numbers = float(old["value"]), float(new["value"])
        if allowed.allows(*numbers):
            return None
        return f"{numbers[0]:.6g} became {numbers[1]:.6g}, by {abs(numbers[0] - numbers[1]):.2g} ({allowed})"
    if strict.across_devices or neutral(old["value"], False) == neutral(new["value"], False):
        return None
    return f"{old['value'][:60]} became {new['value'][:60]}"


def _of_operators(before: Observation, after: Observation, strict: Strictness) -> Iterator[Difference]:
    """Compare the counts of operators by dtype and device; not across devices, where operators differ."""
    if strict.across_devices:
        return
    old, new = (Counter(one.data.get("operators", {})) for one in (before, after))
    less, more = old - new, new - old
    for key in sorted(less):
        name, dtype, device = key.split()
        now = [other for other in sorted(more) if other.startswith(f"{name} ")]
        became = now[0].split()[1:] if now else ["gone"]
        kind = "device" if now and became[0] == dtype and strict.placement else "value"
        where = _first(before, key)
        text = f"{less[key]} of {old[key]} × {name} of {dtype} on {device} became {' on '.join(became)}{where}"
        yield Difference(kind, f"operator {name}", text)
    for key in sorted(more):
        if not any(other.startswith(key.split()[0] + " ") for other in less):
            name, dtype, device = key.split()
            text = f"{more[key]} × {name} of {dtype} on {device} besides{_first(after, key)}"
            yield Difference("value", f"operator {name}", text)


def _first(one: Observation, key: str) -> str:
    """Where the program first called an operator."""
    line = one.data.get("operator_lines", {}).get(key)
    return f" (first at {line})" if line else ""


def _of_output(before: Observation, after: Observation, strict: Strictness) -> Iterator[Difference]:
    found = _differing_lines(before, after, strict)
    if found and strict.across_devices:
        found = _differing_lines(before, after, strict, without_asked=True)
    for number, told in found:
        yield Difference("output", f"line {number} of the output", f"line {number} of the output: {told}")


def _of_logs(before: Observation, after: Observation, strict: Strictness) -> Iterator[Difference]:
    """Compare what the programs log; not across devices, of which they may tell."""
    old, new = (one.without_paths("\n".join(one.data.get("logged", ()))) for one in (before, after))
    for number, told in differing_lines(old, new, Leniency()) if not strict.across_devices else ():
        yield Difference("output", f"line {number} of the log", f"line {number} of the log: {told}")


def _differing_lines(
    before: Observation, after: Observation, strict: Strictness, without_asked: bool = False
) -> list[tuple[int, str]]:
    """The lines of the output that differ; without those that are printed because the program asks for CUDA."""
    tolerance = 1e-4 * max(1.0, strict.tolerance_factor / 100) if strict.tolerance_factor else 0.0
    counted = strict.across_devices and bool(before.data.get("memory"))
    old, new = (one.asked_output if without_asked else () for one in (before, after))
    allowed = Leniency(strict.across_devices, tolerance, counted, (old, new))
    texts = [one.without_paths(one.stdout) for one in (before, after)]
    return list(differing_lines(texts[0], texts[1], allowed))


def asking_places(before: Observation, after: Observation, strict: Strictness) -> list[str]:
    """The places of the original, else of the other, at which it prints what is not compared, for it asks for CUDA."""
    found: list[list[str]] = [one.data.get("asked", {}).get("places", []) for one in (before, after)]
    places = found[0] or found[1]
    return places if places and strict.across_devices and _differing_lines(before, after, strict) else []


def _of_random_numbers(before: Observation, after: Observation, strict: Strictness) -> Iterator[Difference]:
    old, new = before.data.get("random", {}), after.data.get("random", {})
    for name in sorted(old.keys() & new.keys()) if strict.random else ():
        if old[name] != new[name]:
            yield Difference("random", name, f"the generator of random numbers ({name}) ends in another state")


def _of_files(before: Observation, after: Observation, strict: Strictness) -> Iterator[Difference]:
    """Compare names of files, and on the same device the texts in them, which may name it."""
    old, new = before.data.get("files", {}), after.data.get("files", {})
    for name in sorted({*old} ^ {*new}):
        yield Difference("files", name, f"the file {name} is {'no more' if name in old else 'new'}")
    for name in sorted({*old} & {*new}) if not strict.across_devices else ():
        if old[name] != new[name]:
            yield Difference("files", name, f"the file {name} has other contents")
