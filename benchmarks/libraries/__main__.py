"""Programs with real libraries on the simulated GPU: they must print what they print on the CPU.

    python -m benchmarks.libraries [--python PATH] [name ...]

The Python needs torch and the libraries (requirements.txt in this folder), not devlint. Models are tiny and made from
configurations; nothing is downloaded. A program whose library is missing is named and not counted. Leaves with 1 if
another program fails or prints other numbers.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
NO_PROGRAMS = ("__main__", "common")


class Run(NamedTuple):
    """A program, and how it is run."""

    program: str
    argument: str = ""
    devices: int = 1

    def __str__(self) -> str:
        return f"{self.program} {self.argument}".rstrip()


SEVERAL_RUNS = [
    Run("lightning_training", "1"),
    Run("lightning_training", "2", devices=2),
    Run("transformers_trainer", "fp32"),
    Run("transformers_trainer", "bf16"),
]
"""Programs that are told what to do; all others run once."""


def all_runs() -> list[Run]:
    """Every program of this folder, in each way that it can be run."""
    stems = {path.stem for path in FOLDER.glob("*.py")} - {*NO_PROGRAMS, *(one.program for one in SEVERAL_RUNS)}
    return sorted([*map(Run, stems), *SEVERAL_RUNS])


def run(python: str, what: Run, simulated: bool) -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own."""
    start = ["-m", "devlint", "simulate", "--devices", str(what.devices)] if simulated else []
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{FOLDER}", "OMP_NUM_THREADS": "1"}
    environment.update(HF_HUB_OFFLINE="1", CUDA_VISIBLE_DEVICES="simulated" if simulated else "")
    command = [python, *start, str(FOLDER / f"{what.program}.py"), *what.argument.split()]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=900)


def outcome(python: str, program: Run) -> tuple[str, str]:
    """What became of a program: passes, fails, differs or is missing its library; and the last words."""
    simulated = run(python, program, simulated=True)
    said = (simulated.stderr.strip().splitlines() or [""])[-1]
    if "ModuleNotFoundError" in said:
        return "missing", said
    if simulated.returncode != 0:
        return "FAILS", said
    on_cpu = run(python, program, simulated=False)
    if on_cpu.returncode != 0:
        return "FAILS ON CPU", (on_cpu.stderr.strip().splitlines() or [""])[-1]
    if not any(character.isdigit() for character in simulated.stdout):
        return "FAILS", "prints no number"
    if simulated.stdout != on_cpu.stdout:
        return "DIFFERS", f"{simulated.stdout.split()[:4]} and on the CPU {on_cpu.stdout.split()[:4]}"
    return "passes", ""


def main() -> int:
    """Run all programs, or those named, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", nargs="*")
    parser.add_argument("--python", default=sys.executable)
    options = parser.parse_args()
    counts: dict[str, int] = {}
    for each in all_runs():
        if not options.name or each.program in options.name:
            word, said = outcome(options.python, each)
            counts[word] = counts.get(word, 0) + 1
            print(f"{word:12} {each}" + (f": {said[:150]}" if said else ""), flush=True)
    print(", ".join(f"{count} {word}" for word, count in sorted(counts.items())))
    return 0 if set(counts) <= {"passes", "missing"} and counts.get("passes") else 1


if __name__ == "__main__":
    sys.exit(main())
