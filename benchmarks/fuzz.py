"""Fix generated programs and check that none is made worse: `make fuzz`.

    python -m benchmarks.fuzz                      2,000 programs from a random seed, which is printed
    python -m benchmarks.fuzz --seed 7 --count 50  programs 7 to 56
    python -m benchmarks.fuzz --runs 10            ten folders of 20 also through the command line: cached or not,
                                                   in one process or two, in order or not

Each program is fixed with all rules or some, safe fixes or all, for one of two targets. The exit code is 1 if a program
was made worse, or devlint crashed; what is left of such a program without the lines that do not matter is printed.
Fixes that the engine's own checks refuse are counted. A program is made again by its number.
"""

from __future__ import annotations

import argparse
import io
import multiprocessing
import random
import subprocess
import sys
import tempfile
import time
import tokenize
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache, partial
from pathlib import Path

from benchmarks.corpus_checks import compare, compile_error
from benchmarks.fuzz_programs import program
from devlint import FixResult
from devlint.config.finder import ConfigFinder
from devlint.config.selection import catalogue
from devlint.engine.runner import Mode, Runner

ABOUT_COMMENTS = {"DEV002", "DEV003", "DEV004"}
"""Their fixes change comments."""
REFUSED = "fixes refused by the engine's checks"


def main() -> int:
    """Parse the command line, run, print what is wrong and what was done."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**9))
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--runs", type=int, default=0, metavar="N", help="folders of 20 programs for the command line")
    parser.add_argument("--verbose", action="store_true", help="also print the fixes that the engine's checks refuse")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    start = time.perf_counter()
    tally: Counter[str] = Counter()
    seeds = range(options.seed, options.seed + options.count)
    with multiprocessing.Pool(options.jobs) as pool:
        for done in pool.imap_unordered(partial(tried, verbose=options.verbose), seeds, chunksize=20):
            tally += done
            if tally["programs"] % 5_000 == 0:
                print(f"{tally['programs']:,} programs, {time.perf_counter() - start:.0f} s", flush=True)
    for first in range(options.seed, options.seed + 20 * options.runs, 20):
        tally["command line"] += 1
        for line in command_line_differences(range(first, first + 20)):
            tally["offenders"] += 1
            print(f"programs {first} to {first + 19}: {line}", flush=True)
    print(", ".join(f"{count:,} {what}" for what, count in sorted(tally.items())))
    print(f"{time.perf_counter() - start:.0f} s")
    return 1 if tally["offenders"] else 0


def tried(seed: int, verbose: bool = False) -> Counter[str]:
    """Fix one program; what is wrong is printed."""
    rng = random.Random(f"options {seed}")
    text = program(seed)
    codes = [rule.code for rule in catalogue()]
    chosen = rng.sample(codes, rng.randint(1, 8)) if rng.random() < 0.3 else codes
    unsafe, target = rng.random() < 0.5, rng.choice(["cuda", "cuda", "accelerator"])
    tally = Counter(programs=1)
    if not compile_error(text.encode()):
        tally["that compile"] += 1
    said = f"program {seed} (select {chosen if len(chosen) < 9 else 'ALL'}, {unsafe=}, {target})"
    options = (tuple(chosen), unsafe, target)
    for complaint in complaints(text, *options, tally):
        tally["offenders"] += 1
        print(f"{said}: {complaint}\n{_smallest(text, complaint, *options)!r}", flush=True)
    if verbose and tally[REFUSED]:
        print(f"{said}: {_fixed(text, *options).failure}", flush=True)
    return tally


def complaints(text: str, codes: tuple[str, ...], unsafe: bool, target: str, tally: Counter[str]) -> Iterator[str]:
    """What a fix of a program does wrong."""
    first = _fixed(text, codes, unsafe, target)
    again = first if first.text == text else _fixed(first.text, codes, unsafe, target)
    for one in (first, again):
        if one.failure is not None and "internal error" in one.failure.message:
            yield one.failure.message
    tally["fixes"] += len(first.applied)
    tally["changed"] += first.text != text
    tally[REFUSED] += first.failure is not None and "report it" in first.failure.message
    verdict = compare(text.encode(), first.text.encode(), again.text.encode())
    yield from verdict.worse
    if not ABOUT_COMMENTS & {one.code for one in first.applied}:
        lost = comments(text) - comments(first.text)
        if lost:
            yield f"lost the comment {min(lost)!r}"


def _fixed(text: str, codes: tuple[str, ...], unsafe: bool, target: str) -> FixResult:
    report = _runner(codes, unsafe, target).text("<text>", text)
    after = report.source.written(report.after_text) if report.changed and report.source is not None else text
    return FixResult(after, report.applied, report.diagnostics, next(iter(report.failures), None))


@lru_cache(maxsize=8)
def _runner(codes: tuple[str, ...], unsafe: bool, target: str) -> Runner:
    """What fixes programs with the same options; its settings are read once."""
    oldest = "2.6" if target == "accelerator" else "2.0"
    settings = {"select": list(codes), "unsafe-fixes": unsafe, "target": target, "torch-min-version": oldest}
    return Runner(ConfigFinder(settings, isolated=True, origin="fuzz"), Mode.DIFF)


def _smallest(text: str, complaint: str, codes: tuple[str, ...], unsafe: bool, target: str) -> str:
    """The program without the lines that may go while something of the same kind is wrong."""
    kind = complaint.split(":")[0].split(" ")[:3]
    lines, size = text.splitlines(keepends=True), len(text)
    while size := min(size // 2, len(lines)):
        start = 0
        while start < len(lines):
            rest = lines[:start] + lines[start + size :]
            found = complaints("".join(rest), codes, unsafe, target, Counter())
            if any(one.split(":")[0].split(" ")[:3] == kind for one in found):
                lines = rest
            else:
                start += size
    return "".join(lines)


def comments(text: str) -> Counter[str]:
    """The comments of a program; none where Python finds no tokens in it."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return Counter()
    return Counter(token.string.rstrip() for token in tokens if token.type == tokenize.COMMENT)


def command_line_differences(seeds: range) -> Iterator[str]:
    """What is different between runs that must say and write the same: cached, reordered, by two processes."""
    with tempfile.TemporaryDirectory(prefix="devlint-fuzz-") as scratch:
        folder = Path(scratch)
        names = [f"p{seed}.py" for seed in seeds]
        for seed, name in zip(seeds, names):
            (folder / name).write_bytes(program(seed).encode())
        ways = [["--no-cache", "-j", "1", "."], ["-j", "1", "."], ["-j", "1", "."], ["--no-cache", "-j", "2", "."]]
        said = [_run(folder, "check", *way) for way in ways]
        said.append("".join(sorted(_run(folder, "check", "--no-cache", *reversed(names)).splitlines(keepends=True))))
        said[0:4] = ["".join(sorted(one.splitlines(keepends=True))) for one in said[0:4]]
        for way, one in zip([*ways, ["reversed"]], said):
            if one != said[0]:
                yield f"check {' '.join(way)} says something else"
        originals = [(folder / name).read_bytes() for name in names]
        results = []
        for way in (["--no-cache", "-j", "1", "."], ["-j", "2", *reversed(names)]):
            for name, data in zip(names, originals):
                (folder / name).write_bytes(data)
            _run(folder, "fix", *way)
            results.append([(folder / name).read_bytes() for name in names])
        if results[0] != results[1]:
            yield "fix writes something else in another order by two processes"


def _run(folder: Path, command: str, *arguments: str) -> str:
    options = (
        ["--isolated", "--output-format", "json-lines", "--quiet"] if command == "check" else ["--isolated", "--quiet"]
    )
    done = subprocess.run(
        [sys.executable, "-m", "devlint", command, *options, *arguments], cwd=folder, capture_output=True, text=True
    )
    return done.stdout + (f"exit {done.returncode}\n{done.stderr}" if done.returncode > 1 or done.stderr else "")


if __name__ == "__main__":
    raise SystemExit(main())
