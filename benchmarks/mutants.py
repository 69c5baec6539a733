"""Is the harness deceived? Breaks the rewritten programs under fixtures/ on purpose, and counts what it notices.

python -m benchmarks.mutants [--every] [--sample N] [--seed N] [--part K/N] [case ...]
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from benchmarks.equivalent_mutants import EQUIVALENT
from devlint.verify.comparing.observation import Observation
from devlint.verify.matrix import verify
from devlint.verify.observer import Observer
from devlint.verify.program import Limits, Program, Setting
from devlint.verify.rewrites.cases import Case, find_cases
from tests.support.mutants import KINDS, Mutant, mutants

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
PER_KIND = 2
WANTED = 0.98


@dataclass
class Score:
    """What became of the mutants of one kind."""

    caught: int = 0
    survived: int = 0
    never_run: int = 0
    equivalent: int = 0


class OnceMoreOnce(Observer):
    """Runs an original once more for the first mutant only: what differs from run to run does so for all."""

    def __enter__(self) -> OnceMoreOnce:
        super().__enter__()
        self._once_more: dict[tuple[Program, Setting], Observation] = {}
        return self

    def observe(self, program: Program, setting: Setting, again: bool = False) -> Observation:
        """What the program did; the second run is remembered, too."""
        if not again:
            return super().observe(program, setting)
        if (program, setting) not in self._once_more:
            self._once_more[program, setting] = super().observe(program, setting, again=True)
        return self._once_more[program, setting]

    def forget(self) -> None:
        """Forget all runs, and the second ones."""
        super().forget()
        self._once_more.clear()


def sample(case: Case, every: bool = False) -> list[Mutant]:
    """The mutants of a case: all, or the first and the last of each kind.

    Where the rewritten program needs CUDA anyway, one more call of `.cuda()` changes nothing.
    """
    found = list(mutants(case.fixed.read_bytes()))
    if all(run.fixed_needs for run in case.runs):
        found = [one for one in found if one.kind != "a .cuda() left"]
    if every:
        return found
    chosen: list[Mutant] = []
    for kind in KINDS:
        of_kind = [one for one in found if one.kind == kind]
        chosen += of_kind[:1] + of_kind[1:][-1:]
    return chosen


def is_caught(observer: Observer, case: Case, text: bytes, folder: Path) -> bool:
    """Whether any run of a case tells a text from the original; the quickest setting to tell goes first."""
    path = folder / "fixed.py"
    path.write_bytes(text)
    return any(
        not verify(observer, case.task(run, path), (setting,)).holds
        for setting in ("simulated", "cpu")
        for run in case.runs
    )


def judge(observer: Observer, case: Case, mutant: Mutant, scores: dict[str, Score]) -> str | None:
    """Count a mutant; the words for one that survived."""
    score = scores[mutant.kind]
    with tempfile.TemporaryDirectory() as name:
        if is_caught(observer, case, mutant.text, _folder(name, "mutant")):
            score.caught += 1
            return None
        if not is_caught(observer, case, mutant.probe, _folder(name, "probe")):
            score.never_run += 1
            return None
    if f"{case.name} line {mutant.line}: {mutant.kind}" in EQUIVALENT:
        score.equivalent += 1
        return None
    score.survived += 1
    return f"{case.name} {mutant}"


def _folder(name: str, inner: str) -> Path:
    path = Path(name, inner)
    path.mkdir()
    return path


def _part(text: str) -> tuple[int, int]:
    part, _, parts = text.partition("/")
    return int(part), int(parts)


def main() -> int:
    """Print a table, and those that survived."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", nargs="*")
    parser.add_argument("--every", action="store_true", help="all mutants of a kind, not the first and the last")
    parser.add_argument("--sample", type=int, help="only so many mutants of all, chosen by the seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--part", type=_part, default=(1, 1), metavar="K/N", help="every N-th program, from the K-th on"
    )
    options = parser.parse_args()
    cases = list(find_cases(FIXTURES, options.case))
    chosen = {case.name: sample(case, options.every) for case in cases}
    if options.sample is not None:
        every = [(name, mutant) for name, found in chosen.items() for mutant in found]
        kept = random.Random(options.seed).sample(every, min(options.sample, len(every)))
        chosen = {case.name: [mutant for name, mutant in kept if name == case.name] for case in cases}
    scores = {kind: Score() for kind in KINDS}
    survivors = []
    first, parts = options.part
    with OnceMoreOnce(Limits(seconds=60)) as observer:
        for case in cases[first - 1 :: parts]:
            if not chosen[case.name]:
                continue
            gpus = Setting("simulated", case.device_count)
            if not any(observer.observe(case.task(run).before, gpus).works for run in case.runs):
                print(f"{case.name}: the original fails on a GPU, so there is nothing to compare with", flush=True)
                continue
            for mutant in chosen[case.name]:
                told = judge(observer, case, mutant, scores)
                if told is not None:
                    survivors.append(told)
                    print("survived:", told, flush=True)
            observer.forget()
    for kind, score in scores.items():
        print(
            f"{kind:28} {score.caught:5} caught {score.survived:4} survived "
            f"{score.equivalent:4} the same program {score.never_run:4} never run"
        )
    totals = Counter({name: sum(getattr(one, name) for one in scores.values()) for name in ("caught", "survived")})
    rate = totals["caught"] / max(1, totals["caught"] + totals["survived"])
    print(f"{rate:.1%} of {totals['caught'] + totals['survived']} caught")
    return 0 if rate >= WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
