"""Does `fix --observe` repair programs? Deletes 1 to 5 devices of working programs, and counts.

python -m benchmarks.observe [--each 6] [--seed 7] [--half 0] [--keep FOLDER] [program ...]

What is deleted from a program does not depend on which others are tried.
"""

from __future__ import annotations

import argparse
import codecs
import random
import sys
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from devlint.verify.watch.mending import is_mixed
from tests.support.device_deletions import Deletion, deletions, without
from tests.support.program_server import ProgramServer, Result
from tests.support.watched_programs import WorkingProgram, repaired, watched, working_programs

WANTED = 0.97
MOST_DELETIONS = 5
GOOD = ("repaired", "does not crash")


class Subject:
    """A working program, what it does, and the devices that can be deleted from it."""

    def __init__(self, server: ProgramServer, program: WorkingProgram) -> None:
        self.program = program
        self.text = program.path.read_text(encoding="utf-8")
        self.sites = deletions(self.text)
        self.simulated = server.run(program.request(program.path))
        self.on_cpu = server.run(program.request(program.path, simulated=False))
        result, self.seen = watched(server, program, program.path)
        self.is_undisturbed = (result.code, result.stdout) == (self.simulated.code, self.simulated.stdout)
        self.slowdown = result.seconds / self.simulated.seconds


def find_subjects(server: ProgramServer, names: list[str]) -> Iterator[Subject]:
    """The programs that work, and from which something can be deleted, each run when it is asked for."""
    for program in working_programs():
        text = program.path.read_bytes()
        if (names and program.name not in names) or b"\r" in text or text.startswith(codecs.BOM_UTF8):
            continue
        try:
            subject = Subject(server, program)
        except UnicodeDecodeError:
            continue
        if subject.simulated.code == 0 and subject.sites:
            yield subject


def deleted(subject: Subject, count: int, chance: random.Random) -> Iterator[tuple[Deletion, ...]]:
    """Some of a program's devices, chosen at random, no two choices equal."""
    known = set()
    for _ in range(5 * count):
        size = chance.randint(1, min(MOST_DELETIONS, len(subject.sites)))
        chosen = tuple(sorted(chance.sample(subject.sites, size)))
        if chosen not in known and len(known) < count:
            known.add(chosen)
            yield chosen


def judge(server: ProgramServer, subject: Subject, chosen: tuple[Deletion, ...], folder: Path) -> tuple[str, str]:
    """What became of a program with deletions: a word, and why."""
    path = folder / "program.py"
    path.write_text(without(subject.text, chosen), encoding="utf-8")
    crashed = server.run(subject.program.request(path))
    if crashed.code == 0 or not any(is_mixed(Exception(line.partition(": ")[2])) for line in _last_lines(crashed)):
        return "does not crash", ""
    report, rounds = repaired(server, subject.program, path)
    if rounds.failure is not None:
        return "fails with the fixes", rounds.failure
    path.write_text(report.after_text or path.read_text(encoding="utf-8"), encoding="utf-8")
    after = server.run(subject.program.request(path))
    if after.code:
        return "still crashes", _last_lines(after)[-1]
    if after.stdout != subject.simulated.stdout:
        return "prints something else on the simulated GPU", ""
    if subject.on_cpu.code == 0:
        on_cpu = server.run(subject.program.request(path, simulated=False))
        if (on_cpu.code, on_cpu.stdout) != (0, subject.on_cpu.stdout):
            return "prints something else on the CPU", _last_lines(on_cpu)[-1]
    return "repaired", ""


def rows_of(subject: Subject, chosen: tuple[Deletion, ...]) -> list[int]:
    """The rows of the program in which something is deleted."""
    return [subject.text.encode()[: one.start].count(b"\n") + 1 for one in chosen]


def keep(folder: Path, subject: Subject, chosen: tuple[Deletion, ...], tried: Path) -> None:
    """Write a program that was not repaired: as it was, with the deletions, and as it was tried last."""
    place = folder / "-".join([subject.program.name, *map(str, rows_of(subject, chosen))])
    place.mkdir(parents=True, exist_ok=True)
    texts = {"intact": subject.text, "broken": without(subject.text, chosen), "tried": tried.read_text("utf-8")}
    for word, text in texts.items():
        (place / f"{word}.py").write_text(text, encoding="utf-8")


def _last_lines(result: Result) -> list[str]:
    return result.stderr.strip().splitlines()[-12:] or [""]


class Score:
    """What became of the programs."""

    def __init__(self) -> None:
        self.words: Counter[str] = Counter()
        self.slowdowns: list[float] = []
        self.disturbed = 0

    def add_intact(self, subject: Subject) -> None:
        """A program as it is, under watch."""
        self.slowdowns.append(subject.slowdown)
        if subject.seen.misplaced or not subject.is_undisturbed:
            self.disturbed += 1
            print(f"{subject.program.name}: intact, and {len(subject.seen.misplaced)} listed", flush=True)

    def add_broken(self, subject: Subject, chosen: tuple[Deletion, ...], word: str, why: str) -> None:
        """A program with deletions."""
        self.words[word] += 1
        if word not in GOOD:
            print(f"{subject.program.name} {rows_of(subject, chosen)}: {word} {why[:150]}", flush=True)

    def summary(self) -> tuple[str, bool]:
        """The last line, and whether it says what is wanted."""
        crashed = self.words.total() - self.words["does not crash"]
        share = self.words["repaired"] / max(crashed, 1)
        slowdown = sorted(self.slowdowns)[len(self.slowdowns) // 2]
        text = (
            f"{self.words['repaired']} of {crashed} programs that crash are repaired: {share:.1%} {dict(self.words)}; "
            f"{self.disturbed} of {len(self.slowdowns)} intact programs are disturbed; "
            f"under watch {slowdown:.2f} times the simulated run"
        )
        return text, share >= WANTED and not self.disturbed


def main() -> int:
    """Print what was found; 1 if it is not what is wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=6, help="how many times to delete something from each program")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--half", type=int, choices=(0, 1), help="only every second program, by a hash of its name")
    parser.add_argument("--keep", metavar="FOLDER", help="where to write the programs that were not repaired")
    parser.add_argument("programs", nargs="*")
    options = parser.parse_args()
    score = Score()
    with ProgramServer() as server, tempfile.TemporaryDirectory() as name:
        for subject in find_subjects(server, options.programs):
            if options.half is not None and zlib.crc32(subject.program.name.encode()) % 2 != options.half:
                continue
            score.add_intact(subject)
            chance = random.Random(f"{options.seed} {subject.program.name}")
            for chosen in deleted(subject, options.each, chance):
                word, why = judge(server, subject, chosen, Path(name))
                score.add_broken(subject, chosen, word, why)
                if options.keep and word not in GOOD:
                    keep(Path(options.keep), subject, chosen, Path(name) / "program.py")
    text, is_good = score.summary()
    print(text)
    return int(not is_good)


if __name__ == "__main__":
    sys.exit(main())
