"""The figures to reach: what each is made of, its goal, and whether it is met."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Results = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""What was measured, by contest and command."""


class Missing(Exception):
    """A figure that was not measured, and why."""


@dataclass(frozen=True)
class Verdict:
    """A figure of a run."""

    what: str
    goal: str
    value: float | None
    shown: str
    """The figure with its unit, or why there is none."""
    measured: str
    """What it was made of."""
    is_met: bool | None


@dataclass(frozen=True)
class Figure:
    """A figure, and what it has to be."""

    what: str
    goal: float
    value: Callable[[Results], tuple[float, str]]
    """The figure and what it was made of."""
    unit: str = " ×"
    is_least: bool = False
    """Whether the goal is the least it has to be, and not the most."""

    def verdict(self, results: Results) -> Verdict:
        """Judge it."""
        goal = f"{'≥' if self.is_least else '≤'} {self.goal:g}{self.unit}"
        try:
            value, measured = self.value(results)
        except Missing as missing:
            return Verdict(self.what, goal, None, "–", str(missing), None)
        is_met = value >= self.goal if self.is_least else value <= self.goal
        return Verdict(self.what, goal, value, f"{_number(value)}{self.unit}", measured, is_met)


def field(results: Results, contest: str, command: str, key: str) -> float:
    """A number that was measured."""
    if contest not in results:
        raise Missing("not part of this run")
    found = results[contest].get(command) or results[contest].get("devlint", {})
    if "missing" in found:
        raise Missing(str(found["missing"]))
    if command not in results[contest]:
        raise Missing(f"{command} was not part of this run")
    return float(found[key])


def _ratio(contest: str, over: str, under: str, key: str = "cpu") -> Callable[[Results], tuple[float, str]]:
    """One command by another."""

    def value(results: Results) -> tuple[float, str]:
        above, below = (field(results, contest, command, key) for command in (over, under))
        return above / below, f"{over} {seconds(above)}, {under} {seconds(below)}"

    return value


def _memory(results: Results) -> tuple[float, str]:
    """The largest process, whatever the number of processes."""
    each = {"one process": field(results, "cold", "devlint", "memory")}
    if "memory" in results["cold"].get("devlint, 2 processes", {}):
        each["two"] = field(results, "cold", "devlint, 2 processes", "memory")
    return max(each.values()), ", ".join(f"{name} {value:.0f} MB" for name, value in each.items())


def _growth(results: Results) -> tuple[float, str]:
    """Copies of C; beside them files that have nothing in common, if both were measured."""
    value, measured = _ratio("growth", "4 of C", "1 of C")(results)
    if results["growth"]["1 of C"].get("files", "C") != "C":
        measured = measured.replace("of C", f"of {results['growth']['1 of C']['files']}")
    try:
        more, _ = _ratio("growth", "2 of C", "1 of C")(results)
        whole, part = field(results, "cold", "devlint", "cpu"), field(results, "sample", "devlint", "cpu")
    except Missing:
        return value, measured
    return (
        value,
        f"{measured}; two copies {more:.2f} ×; C takes {whole / part:.1f} × as long as S, an eighth of its files",
    )


def _share(results: Results) -> tuple[float, str]:
    """What one rule costs of a run with all of them."""
    mean, dearest = (100 * field(results, "rules", name, "share") for name in ("a rule", "the dearest rule"))
    code, files = results["rules"]["the dearest rule"]["rule"], results["rules"]["a rule"].get("files", "C")
    return mean, f"the mean, over {files}; the dearest {dearest:.1f} % ({code})"


def seconds(value: float) -> str:
    """A time as it is shown."""
    return f"{value * 1000:.0f} ms" if value < 1 else f"{value:.2f} s" if value < 100 else f"{value:.0f} s"


def _number(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 20 else f"{value:.2f}"


FIGURES = (
    Figure("C cold, one process, against ruff", 1.0, _ratio("cold", "devlint", "ruff")),
    Figure("S, TorchFix against devlint", 100, _ratio("heavy", "torchfix", "devlint"), is_least=True),
    Figure("S, Fixit against devlint", 100, _ratio("heavy", "fixit", "devlint"), is_least=True),
    Figure("S, flake8 with TorchFix against devlint", 100, _ratio("heavy", "flake8", "devlint"), is_least=True),
    Figure("C warm, one process, against ruff warm", 1.5, _ratio("warm", "devlint", "ruff")),
    Figure(
        "one clean file of 1,400 lines, against `python -c pass`",
        2.5,
        _ratio("files", "check clean.py", "python -c pass"),
    ),
    Figure(
        "one file of 300 lines with five findings, against `python -c pass`",
        12,
        _ratio("files", "check five.py", "python -c pass"),
    ),
    Figure(
        "C cold, wall, one process against two",
        1.7,
        _ratio("cold", "devlint", "devlint, 2 processes", "wall"),
        is_least=True,
    ),
    Figure("C cold, memory of the largest process", 60, _memory, unit=" MB"),
    Figure("growth from one copy of C to four", 4.2, _growth),
    Figure(
        "`devlint fix` of 1,500 lines with 30 fixes, against its check",
        3,
        _ratio("files", "fix thirty.py", "check thirty.py"),
    ),
    Figure("a rule more, of a cold run over C", 2, _share, unit=" %"),
)
