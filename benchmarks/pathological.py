"""Run devlint over input at its worst and show that every run ends: in bounded time and memory, with one clear line.

    python benchmarks/pathological.py [--only WORDS] [--all] [--seconds 10] [--megabytes 500]

Each case of pathological_cases.py is made six times as large again and again, until devlint refuses it, or it is
larger than any file that devlint takes, or takes so long that the next size would reach the limit by its size alone;
`check` and `fix --diff` run in a process of their own. A case is bad if that process crashes, says nothing clear, or
needs more than the limits allow, or if its time grows faster than the text; the table shows bad cases, or all. The exit
code is 1 if there is a bad one. Only where processes can be forked.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import re
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.pathological_cases import CHAINS, HEAD, NESTING, TAIL, TEXTS, WIDTHS
from devlint.cli import main as devlint
from devlint.config.selection import catalogue
from devlint.engine.ruleset import load_rule

LARGEST = 4_500_000
"""Characters: more than devlint looks at."""
SMALLEST, STEP = 128, 6
"""The size that a case begins with, and how many times larger it is made each time."""
COMMANDS = (("check",), ("fix", "--diff"))
WIDE = ("--select", "ALL", "--document-code", "--docstring-code", "--unsafe-fixes")
"""With all that devlint can do."""
STEEPEST = 1.4
"""The power of its size by which the time of a case may grow, where it takes some time: n log n, and noise."""
GOOD = "import torch\n\nmodel = torch.nn.Linear(2, 2)\nmodel.cuda()\n"


@dataclass
class Outcome:
    """What one run did."""

    size: int
    characters: int
    seconds: float
    megabytes: float
    signal: int
    code: int
    out: str

    @property
    def refusal(self) -> str:
        """Why the file was left alone."""
        found = re.search(r"^error: (?:bad/)?[^:]+: (.*left alone.*)", self.out, re.MULTILINE)
        return found[1] if found else ""

    def fault(self, seconds: float, megabytes: float) -> str:
        """What is wrong with the run; empty if nothing is."""
        if self.signal:
            return "too long" if self.signal == signal.SIGKILL else f"signal {self.signal}"
        for word in ("Traceback", "internal error", "please report"):
            if word in self.out:
                return next(line for line in self.out.splitlines() if word in line)[:100]
        if self.code not in (0, 1, 2):
            return f"exit code {self.code}"
        if "zz_good.py" not in self.out:
            return "the other file is lost"
        if self.megabytes > megabytes:
            return "memory"
        return "slow" if self.seconds > seconds else ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run every case and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="WORDS", help="the cases whose names hold WORDS")
    parser.add_argument("--all", action="store_true", help="show good cases, too")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--megabytes", type=float, default=500)
    parser.add_argument("--command", choices=("check", "fix"))
    parser.add_argument("--largest", type=int, default=LARGEST)
    options = parser.parse_args(arguments)
    for rule in catalogue():
        load_rule(rule)
    bad = count = 0
    worst: dict[str, tuple[float, float]] = {}
    print(f"{'case':42} {'command':8} {'size':>8} {'KB':>6} {'s':>6} {'MB':>5} {'growth':>6}  outcome")
    for name, path, text in _cases(options.only, options.largest):
        for command in (one for one in COMMANDS if options.command in (None, one[0])):
            fault, line, refusal, seconds, megabytes = _judged(name, path, text, command, options)
            count += 1
            before = worst.get(refusal, (0.0, 0.0))
            worst[refusal] = max(before[0], seconds), max(before[1], megabytes)
            bad += bool(fault)
            if fault or options.all:
                print(line, flush=True)
    print("\nThe worst that is taken, by what is said of more:")
    for refusal, (seconds, megabytes) in sorted(worst.items()):
        print(f"{seconds:6.2f} s {megabytes:5.0f} MB  {refusal or 'nothing: refused at no size'}")
    print(f"{bad} of {count} runs are bad")
    return 1 if bad else 0


def _cases(only: str, largest: int) -> Iterator[tuple[str, str, list[tuple[int, str]]]]:
    """Name, file, and a way to make texts."""
    made = [
        (f"{kind} {name}", "bad.py", make)
        for kind, table in (("nest:", NESTING), ("chain:", CHAINS), ("wide:", WIDTHS))
        for name, make in table.items()
    ]
    made += [(f"text: {name}", path, make) for name, (path, make) in TEXTS.items()]
    for name, path, make in made:
        if only in name:
            yield name, path, make


def _judged(name, path, make, command, options):
    """The fault of a case, its line of the table, why it is refused, and what the worst of it that is not takes."""
    runs = []
    size = SMALLEST
    while True:
        text = make(size)
        if path.endswith(".py"):
            text = HEAD + text + ("" if "error" in name or "null" in name or "backslash at" in name else TAIL)
        if runs and len(text) > options.largest:
            break
        runs.append(_run(path, text, command, size, options.seconds * 2))
        fault = runs[-1].fault(options.seconds, options.megabytes)
        if fault or (runs[-1].refusal and size > 4000) or runs[-1].seconds > options.seconds / (2 * STEP):
            break
        size *= STEP
    taken = [one for one in runs if not one.refusal] or runs
    last = max(taken, key=lambda one: one.seconds)
    power = _power([one for one in taken if one.seconds > 0.02])
    growth = "-" if power is None else f"{power:.2f}"
    if not fault and power is not None and power > STEEPEST and last.seconds > 1:
        fault = "superlinear"
    first = next((one for one in runs if one.refusal), None)
    refused = f"refused from {first.size}: {first.refusal}" if first else ""
    outcome = fault or refused or (runs[-1].out.splitlines() or [""])[0][:70]
    memory = max(one.megabytes for one in runs)
    numbers = f"{last.size:8} {last.characters // 1000:6} {last.seconds:6.2f} {memory:5.0f} {growth:>6}"
    line = f"{name:42} {command[0]:8} {numbers}  {outcome}"
    return fault, line, first.refusal if first else "", last.seconds, max(one.megabytes for one in taken)


def _power(runs: Sequence[Outcome]) -> float | None:
    """The power of its characters by which the time of a case grows, as its last two runs show."""
    if len(runs) < 2 or runs[-1].characters == runs[-2].characters:
        return None
    before, last = runs[-2:]
    return math.log(last.seconds / before.seconds, last.characters / before.characters)


def _run(path: str, text: str, command: Sequence[str], size: int, limit: float) -> Outcome:
    """Run devlint in a process of its own over a folder with the text and a good file."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, path).write_text(text, newline="")
        Path(folder, "zz_good.py").write_text(GOOD)
        log = Path(folder, "log")
        characters = len(text)
        pid = os.fork()
        if pid == 0:
            _child(folder, log, command, 20)
        deadline = time.monotonic() + 6 * limit
        while True:
            done, status, usage = os.wait4(pid, os.WNOHANG)
            if done:
                break
            if time.monotonic() > deadline:
                os.kill(pid, signal.SIGKILL)
            time.sleep(0.005)
        out = log.read_text(errors="replace") if log.exists() else ""
    seconds = usage.ru_utime + usage.ru_stime
    killed = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    return Outcome(
        size, characters, seconds, usage.ru_maxrss / 1024, killed, 0 if killed else os.WEXITSTATUS(status), out
    )


def _child(folder: str, log: Path, command: Sequence[str], limit: float) -> None:
    """Be devlint, in ``folder``."""
    code = 99
    try:
        os.chdir(folder)
        descriptor = os.open(log, os.O_WRONLY | os.O_CREAT)
        os.dup2(descriptor, 1)
        os.dup2(descriptor, 2)
        with contextlib.suppress(ImportError):
            import resource

            resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
            resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit)))
        devlint([*command, "--isolated", "--output-format", "concise", *WIDE, "."])
    except SystemExit as left:
        code = left.code or 0
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    sys.exit(main())
