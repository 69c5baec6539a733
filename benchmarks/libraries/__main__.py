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

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
NO_PROGRAMS = ("__main__", "common")
DEVICES = {"lightning_2": 2}


def run(python: str, program: Path, simulated: bool) -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own."""
    devices = str(DEVICES.get(program.stem, 1))
    start = ["-m", "devlint", "simulate", "--devices", devices] if simulated else []
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{FOLDER}", "OMP_NUM_THREADS": "1"}
    environment.update(HF_HUB_OFFLINE="1", CUDA_VISIBLE_DEVICES="simulated" if simulated else "")
    command = [python, *start, str(program)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=900)


def outcome(python: str, program: Path) -> tuple[str, str]:
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
    programs = [path for path in sorted(FOLDER.glob("*.py")) if path.stem not in NO_PROGRAMS]
    counts: dict[str, int] = {}
    for program in programs:
        if not options.name or program.stem in options.name:
            word, said = outcome(options.python, program)
            counts[word] = counts.get(word, 0) + 1
            print(f"{word:12} {program.stem}" + (f": {said[:150]}" if said else ""), flush=True)
    print(", ".join(f"{count} {word}" for word, count in sorted(counts.items())))
    return 0 if set(counts) <= {"passes", "missing"} and counts.get("passes") else 1


if __name__ == "__main__":
    sys.exit(main())
