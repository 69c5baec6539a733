"""Run generated programs before and after their fixes and compare what they compute: `make semantic-fuzz`.

    python -m benchmarks.semantic_fuzz                       500 programs from a random seed, which is printed
    python -m benchmarks.semantic_fuzz --seed 7 --count 50   programs 7 to 56

Each original runs on a CPU where `.cuda()` answers with the tensor itself, and the fixed one on the plain CPU: both
must compute the same. Then both run on a simulated GPU: they must also compute it on the same devices. The exit code
is 1 if a program differs. Programs that fail as they are show nothing, and are counted apart, as are those that still
need CUDA after their fixes: a problem that devlint leaves is no program that it breaks.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.runnable_programs import runnable_program
from devlint import fix

ROOT = Path(__file__).resolve().parents[1]
BATCH = 500


def main() -> int:
    """Parse the command line, run the programs, print those that differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**9))
    parser.add_argument("--count", type=int, default=500)
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    start = time.perf_counter()
    tally: Counter[str] = Counter()
    for first in range(options.seed, options.seed + options.count, BATCH):
        for line in differences(range(first, min(first + BATCH, options.seed + options.count)), tally):
            tally["different"] += 1
            print(line, flush=True)
    print(", ".join(f"{count:,} {what}" for what, count in sorted(tally.items())))
    print(f"{time.perf_counter() - start:.0f} s")
    return 1 if tally["different"] or not tally["run"] else 0


def differences(seeds: range, tally: Counter[str]) -> Iterator[str]:
    """What is different after the fixes of some programs."""
    originals = [runnable_program(seed) for seed in seeds]
    fixed = [fix(text, isolated=True, select=["DEV"]).text for text in originals]
    identity, plain = _observed("identity", originals), _observed("plain", fixed)
    simulated = _observed("simulated", [*originals, *fixed])
    for number, seed in enumerate(seeds):
        tally["programs"] += 1
        tally["changed"] += originals[number] != fixed[number]
        before, after = simulated[number], simulated[len(originals) + number]
        if any("raises" in one for one in (identity[number], before)):
            tally["fail as they are"] += 1
            continue
        tally["run"] += 1
        if before != after:
            yield f"program {seed} on a simulated GPU: {_first_difference(before, after)}"
        if "raises" in plain[number]:
            tally["still need CUDA"] += 1
        elif identity[number] != plain[number]:
            yield f"program {seed} on the CPU: {_first_difference(identity[number], plain[number])}"


def _observed(mode: str, programs: Sequence[str]) -> list[str]:
    """What each program says in a process of its own kind."""
    command = [sys.executable, "-m", "benchmarks.semantic_fuzz_child", mode]
    done = subprocess.run(command, input=json.dumps(programs), capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        raise RuntimeError(done.stderr)
    found: list[str] = json.loads(done.stdout)
    return found


def _first_difference(before: str, after: str) -> str:
    pairs = zip([*before.split("\n"), ""], [*after.split("\n"), ""])
    return next((f"{one} became {two}" for one, two in pairs if one != two), "more lines")


if __name__ == "__main__":
    raise SystemExit(main())
