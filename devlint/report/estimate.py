"""How long the migration may take, from counts and stated assumptions."""

from __future__ import annotations

from collections import Counter

from devlint.report.model import BlockerKind, ReportedFile, WorkItem
from devlint.report.tally import Portability, Remedy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_DAY = 8 * 60


_ASSUMPTIONS = (
    WorkItem("safe", "Safe fixes", 0, 0.2, 1, "`devlint fix` makes them; somebody reads the diff"),
    WorkItem("unsafe", "Unsafe fixes", 0, 2, 10, "somebody who knows the code decides by what the fix says, and tests"),
    WorkItem("hand", "By hand", 0, 10, 40, "written and tested by somebody who knows the code"),
    WorkItem("stops", "Stops without CUDA", 0, 10, 60, "decide whether the program may run elsewhere"),
    WorkItem("libraries", "Libraries that need CUDA", 0, 2 * 60, 2 * _DAY, "each once: find another, or do without"),
    WorkItem(
        "kernels", "Files with kernels, or builds of them", 0, _DAY, 5 * _DAY, "written again, tested and measured"
    ),
    WorkItem("unread", "Files that could not be analyzed", 0, 10, 60, "mended, and looked at again"),
)


def estimated_work(files: Sequence[ReportedFile]) -> tuple[WorkItem, ...]:
    """The lines of the estimate for which there is something to do."""
    remedies = Counter(one.remedy for file in files for one in file.findings)
    hard = [one for file in files for one in file.blockers if not one.is_optional]
    stops = sum(one.kind is BlockerKind.REQUIREMENT for one in hard)
    counts = {
        "safe": remedies[Remedy.SAFE],
        "unsafe": remedies[Remedy.UNSAFE],
        "hand": max(remedies[Remedy.HAND] - stops, 0),
        "stops": stops,
        "libraries": len({one.detail for one in hard if one.kind is BlockerKind.LIBRARY}),
        "kernels": len({one.path for one in hard if one.kind.is_code_to_port}),
        "unread": sum(file.portability is Portability.UNKNOWN for file in files),
    }
    return tuple(one.replace(count=counts[one.key]) for one in _ASSUMPTIONS if counts[one.key])


def duration(minutes: float) -> str:
    """A time as people say it; a day has eight hours."""
    number, unit = _measured(minutes)
    return f"{number} {unit}"


def time_range(low: float, high: float) -> str:
    """A range of times; ``nothing`` where there is no work."""
    if not high:
        return "nothing"
    (first, unit), (last, last_unit) = _measured(low), _measured(high)
    if (first, unit) == (last, last_unit):
        return f"{first} {unit}"
    if unit[:3] == last_unit[:3]:
        return f"{first} to {last} {last_unit}"
    return f"{first} {unit} to {last} {last_unit}"


def _measured(minutes: float) -> tuple[str, str]:
    """A number and its unit; from ten on without fractions."""
    if round(minutes) < 60:
        return str(max(round(minutes), 1)), "min"
    unit, value = ("h", minutes / 60) if minutes < _DAY else ("days", minutes / _DAY)
    number = f"{value:.1f}".removesuffix(".0") if value < 9.95 else f"{value:.0f}"
    return (number, "day") if (number, unit) == ("1", "days") else (number, unit)
