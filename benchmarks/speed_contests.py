"""The contests: which commands run in turn, over what, and how often."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from benchmarks import speed_files
from benchmarks.speed_ground import BUDGET, Contest, Ground
from benchmarks.speed_measure import Command, Run, SpeedError, alternate, measure, summary
from benchmarks.speed_tools import HEAVY, PEERS, WALK, on_sample, ruff
from devlint.core.catalogue import RULES

ANCHOR_EVERY = 4
"""A run with all rules stands before each so many runs that lack one."""


def cold(ground: Ground) -> Contest:
    """C without a cache, with one process and with two."""
    corpus, tool = ground.path("C"), ground.devlint
    commands = [tool.cold("devlint", corpus), tool.cold("devlint, 2 processes", corpus, jobs=2)]
    if "ruff" in ground.peers:
        program = ground.peers["ruff"].program("ruff")
        commands[1:1] = [ruff("ruff", program, corpus), ruff("ruff, 2 threads", program, corpus, 2)]
    return ground.run(*commands)


def warm(ground: Ground) -> Contest:
    """C with a cache that knows all of it."""
    corpus, cache = ground.path("C"), ground.fresh("devlint")
    program = ground.peers["ruff"].program("ruff")
    commands = [
        ground.devlint.warm("devlint", cache, corpus),
        ruff("ruff", program, corpus, 1, ground.fresh("ruff")),
        ground.devlint.warm("devlint, 2 processes", cache, corpus, jobs=2),
        ruff("ruff, 2 threads", program, corpus, 2, ground.fresh("ruff")),
    ]
    ground.run(*commands[:2], repeats=1)
    return ground.run(*commands)


def sample(ground: Ground) -> Contest:
    """S with what takes seconds."""
    folder = ground.path("S")
    commands = [ground.devlint.cold("devlint", folder)]
    if shutil.which("grep"):
        commands.append(Command("grep", ("grep", "-rc", "cuda", folder)))
    commands.append(Command("ast + walk", (ground.python, "-c", WALK, folder)))
    light = [name for name in ground.peers if name not in HEAVY]
    commands += [on_sample(name, ground.peers[name], folder) for name in light]
    commands.append(ground.devlint.cold("devlint, 2 processes", folder, jobs=2))
    return ground.run(*commands, *(on_sample(name, ground.peers[name], folder, 2) for name in light))


def heavy(ground: Ground) -> Contest:
    """S with what takes minutes; devlint before and after each of them."""
    folder = ground.path("S")
    own = ground.devlint.cold("devlint", folder)
    runs = [measure(own, ground.folder)]
    results: Contest = {}
    commands = [on_sample(name, ground.peers[name], folder) for name in HEAVY if name in ground.peers]
    if ground.two_processes:
        both = [name for name in HEAVY if name in ground.peers and name != "fixit"]  # which always takes all cores
        commands += [on_sample(name, ground.peers[name], folder, 2) for name in both]
    for command in commands:
        results.update(alternate([command], ground.folder, ground.heavy_repeats))
        runs.append(measure(own, ground.folder))
    return {"devlint": summary(runs), **results}


def files(ground: Ground) -> Contest:
    """Single files, where starting is most of the time."""
    folder = Path(ground.path("files"))
    work, cache, tool = folder / "fixed.py", ground.fresh("files"), ground.devlint

    def restore() -> None:
        shutil.copyfile(folder / "thirty.py", work)

    commands = [
        Command("python -c pass", (ground.python, "-c", "pass")),
        Command("devlint --version", (tool.program, "--version")),
        *(tool.cold(f"check {name}", str(folder / name)) for name in speed_files.FILES),
        replace(tool.cold("fix thirty.py", str(work), action="fix"), prepare=restore),
        tool.warm("check five.py, cached", cache, str(folder / "five.py")),
    ]
    if "ruff" in ground.peers:
        commands.append(ruff("ruff clean.py", ground.peers["ruff"].program("ruff"), str(folder / "clean.py")))
    ground.run(*commands, repeats=1)
    return ground.run(*commands, repeats=max(3 * ground.repeats, 3))


def growth(ground: Ground) -> Contest:
    """One, two and four copies."""
    name, _ = _small_enough(ground, runs=7)
    folders = [str(Path(ground.path(f"copies of {name}")) / str(number)) for number in range(speed_files.COPIES)]
    commands = {number: ground.devlint.cold(f"{number} of {name}", *folders[:number]) for number in (1, 2, 4)}
    results = ground.run(*commands.values(), repeats=min(ground.repeats, 3))
    return {f"{number} of C": {**results[command.name], "files": name} for number, command in commands.items()}


def rules(ground: Ground) -> Contest:
    """What a run costs less without a rule, for each rule, against runs with all of them just before and after."""
    codes = [rule.code for rule in RULES if rule.default and "cuda" in rule.targets and rule.code != "DEV001"]
    tool = ground.devlint
    name, first = _small_enough(ground, runs=len(codes))
    anchors = [first]
    shares: dict[str, float] = {}
    for start in range(0, len(codes), ANCHOR_EVERY):
        group = codes[start : start + ANCHOR_EVERY]
        runs = {code: measure(tool.cold(code, ground.path(name), "--ignore", code), ground.folder) for code in group}
        anchors.append(measure(tool.cold("all", ground.path(name)), ground.folder))
        usual = (anchors[-2].cpu + anchors[-1].cpu) / 2
        shares.update({code: 1 - run.cpu / usual for code, run in runs.items()})
    dearest = max(shares, key=lambda code: shares[code])
    return {
        "all": summary(anchors),
        "a rule": {"share": round(sum(shares.values()) / len(shares), 4), "runs": len(shares), "files": name},
        "the dearest rule": {"share": round(shares[dearest], 4), "runs": 1, "rule": dearest},
    }


def _small_enough(ground: Ground, runs: int) -> tuple[str, Run]:
    """C, or S where so many runs over C would take too long; and a run over it."""
    first = measure(ground.devlint.cold("all", ground.path("C")), ground.folder)
    if first.wall * runs <= 2 * BUDGET:
        return "C", first
    return "S", measure(ground.devlint.cold("all", ground.path("S")), ground.folder)


CONTESTS: dict[str, Callable[[Ground], Contest]] = {
    "cold": cold,
    "warm": warm,
    "sample": sample,
    "files": files,
    "growth": growth,
    "rules": rules,
    "heavy": heavy,
}
PARTS = ("files", "growth", "rules")
"""The contests that are devlint's own, without a peer."""


def wanted(names: frozenset[str]) -> list[str]:
    """The contests that the chosen peers and parts take part in."""
    chosen = set(PARTS) & names
    if "ruff" in names:
        chosen |= {"cold", "warm"}
    if names & (set(PEERS) - set(HEAVY)):
        chosen.add("sample")
    if names & set(HEAVY):
        chosen.add("heavy")
    return [name for name in CONTESTS if name in chosen]


def hold(ground: Ground, names: list[str], say: Callable[[str], None]) -> dict[str, Contest]:
    """Hold the contests; one that fails as a whole says why, and an interrupted run ends with what it has."""
    results: dict[str, Contest] = {}
    for name in names:
        say(name)
        try:
            results[name] = CONTESTS[name](ground)
        except SpeedError as error:
            results[name] = {"devlint": {"missing": str(error)}}
        except KeyboardInterrupt:
            say("interrupted: what was measured until now")
            break
    return results
