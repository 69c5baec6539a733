"""The contests: which commands run in turn, over what, and how often."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import speed_files
from benchmarks.speed_measure import Command, SpeedError, alternate, measure, summary
from benchmarks.speed_tools import HEAVY, PEERS, WALK, Devlint, Environment, on_sample, ruff
from devlint.catalogue import RULES

Contest = dict[str, dict[str, Any]]
"""What was measured, by the name of the command."""
ANCHOR_EVERY = 4
"""A run with all rules stands before each so many runs that lack one."""


@dataclass
class Ground:
    """What the contests need: where the files are, the tools, and how often to run."""

    folder: Path
    devlint: Devlint
    python: str
    """The interpreter that devlint runs in."""
    peers: dict[str, Environment]
    repeats: int
    heavy_repeats: int

    def path(self, name: str) -> str:
        """A folder of files, made where it is missing."""
        folder = self.folder / name
        if not folder.exists():
            if name == "C":
                speed_files.write_corpus(folder)
            elif name == "S":
                speed_files.write_sample(Path(self.path("C")), folder)
            elif name == "files":
                speed_files.write_files(folder)
            else:
                speed_files.write_copies(Path(self.path("C")), folder)
        return str(folder)

    def fresh(self, name: str) -> Path:
        """The place of a cache that does not exist yet."""
        return self.folder / "caches" / name

    def run(self, *commands: Command, repeats: int = 0) -> Contest:
        """Run commands in turn."""
        return alternate(commands, self.folder, repeats or self.repeats)


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
    return ground.run(*commands, *(on_sample(name, ground.peers[name], folder) for name in light))


def heavy(ground: Ground) -> Contest:
    """S with what takes minutes; devlint before and after each of them."""
    folder = ground.path("S")
    own = ground.devlint.cold("devlint", folder)
    runs = [measure(own, ground.folder)]
    results: Contest = {}
    for name in (name for name in HEAVY if name in ground.peers):
        results.update(ground.run(on_sample(name, ground.peers[name], folder), repeats=ground.heavy_repeats))
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
    """One, two and four copies of C."""
    folders = [str(Path(ground.path("copies")) / str(number)) for number in range(speed_files.COPIES)]
    commands = [ground.devlint.cold(f"{number} of C", *folders[:number]) for number in (1, 2, 4)]
    return ground.run(*commands, repeats=min(ground.repeats, 3))


def rules(ground: Ground) -> Contest:
    """What C costs less without a rule, for each rule, against runs with all of them just before and after."""
    corpus, tool = ground.path("C"), ground.devlint
    codes = [rule.code for rule in RULES if rule.default and "cuda" in rule.targets and rule.code != "DEV001"]
    complete = tool.cold("all", corpus)
    anchors = [measure(complete, ground.folder)]
    shares: dict[str, float] = {}
    for start in range(0, len(codes), ANCHOR_EVERY):
        group = codes[start : start + ANCHOR_EVERY]
        runs = {code: measure(tool.cold(code, corpus, "--ignore", code), ground.folder) for code in group}
        anchors.append(measure(complete, ground.folder))
        usual = (anchors[-2].cpu + anchors[-1].cpu) / 2
        shares.update({code: 1 - run.cpu / usual for code, run in runs.items()})
    worst = max(shares, key=lambda code: shares[code])
    return {
        "all": summary(anchors),
        "a rule": {"share": round(sum(shares.values()) / len(shares), 4), "runs": len(shares)},
        "the median rule": {"share": round(median(shares.values()), 4), "runs": len(shares)},
        "the dearest rule": {"share": round(shares[worst], 4), "runs": 1, "rule": worst},
    }


CONTESTS: dict[str, Callable[[Ground], Contest]] = {
    "cold": cold,
    "warm": warm,
    "sample": sample,
    "heavy": heavy,
    "files": files,
    "growth": growth,
    "rules": rules,
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
    """Hold the contests; one that fails as a whole says why."""
    results: dict[str, Contest] = {}
    for name in names:
        say(name)
        try:
            results[name] = CONTESTS[name](ground)
        except SpeedError as error:
            results[name] = {"devlint": {"missing": str(error)}}
    return results
