"""The whole programs under fixtures/: what each case says, and how its programs are run and compared.

    python -m tests.support.fixture_runner [case ...]                 check the inputs and the fixed.py of each case
    python -m tests.support.fixture_runner --against FOLDER [case ...]  FOLDER/<case>.py instead of fixed.py
    python -m tests.support.fixture_runner --show [case ...]          print what the patched input prints

See fixtures/README.md for the layout of a case.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from devlint.verify.rewrites.cases import Case, Run, find_cases
from tests.support.golden import make_golden
from tests.support.paths import ROOT
from tests.support.program_server import ProgramServer, Request, Result

FIXTURES = ROOT / "fixtures"
NO_CUDA = re.compile(r"cuda|accelerator|nvtx|nccl|dummy base class", re.IGNORECASE)
TARGETS: dict[str, dict[str, Any]] = {
    "accelerator": {"target": "accelerator"},
    "project": {
        "target": "project",
        "device": "get_device()",
        "device-import": "from tests.support.project_device import get_device",
    },
}


def fix_for(case: Case, target: str) -> dict[str, Any]:
    """The keywords for devlint with another target."""
    return {**case.fix, **TARGETS[target]}


def fixed_for(case: Case, target: str) -> Path:
    """The program of a case as rewritten for another target."""
    return case.folder / f"fixed_{target}.py"


def request(case: Case, program: Path, run: Run, patched: bool) -> Request:
    return Request(
        program=str(program),
        args=list(run.args),
        env=run.env,
        driver=str(case.folder / case.entry) if case.entry else None,
        patched=patched,
        device_count=case.device_count,
    )


def load_cases(names: list[str] | None = None) -> list[Case]:
    return list(find_cases(FIXTURES, names or ()))


def original_faults(server: ProgramServer, case: Case, run: Run) -> Iterator[str]:
    """What is wrong with the input itself: it must run as if on a GPU, and on CPU as run.toml says."""
    pretended = server.run_once(request(case, case.original, run, patched=True))
    if pretended.code != 0:
        yield f"the patched input fails:\n{pretended.stderr}"
    if len(re.findall(r"\d", pretended.stdout)) < 12:
        yield f"the input prints too little to compare:\n{pretended.stdout}"
    plain = server.run_once(request(case, case.original, run, patched=False))
    if (plain.code != 0) != run.fails_on_cpu:
        yield f"fails_on_cpu is {run.fails_on_cpu}, exit code on CPU is {plain.code}:\n{plain.stderr}"
    elif plain.code == 0 and plain.stdout != pretended.stdout:
        yield f"the input prints something else on CPU:\n{difference(pretended, plain)}"
    elif plain.code != 0:
        yield from (f"the input {fault}" for fault in failure_faults(plain, ""))


def fixed_faults(server: ProgramServer, case: Case, run: Run, program: Path, target: str = "cuda") -> Iterator[str]:
    """How ``program`` differs from the input: in what it prints on plain CPU, or in how often it asks for each GPU."""
    pretended = server.run_once(request(case, case.original, run, patched=True))
    fixed = server.run_once(request(case, program, run, patched=False))
    needs = run.fixed_needs or (run.accelerator_needs if target == "accelerator" else None)
    if needs:
        yield from failure_faults(fixed, needs)
    elif (fixed.code, fixed.stdout) != (pretended.code, pretended.stdout):
        yield f"differs on CPU:\n{difference(pretended, fixed)}"
    if target != "accelerator":  # the patch pretends to have CUDA and nothing else
        placed = server.run_once(request(case, program, run, patched=True))
        if (placed.code, placed.stdout) != (pretended.code, pretended.stdout):
            yield f"differs on a GPU:\n{difference(pretended, placed)}"
        elif placed.used.keys() != pretended.used.keys() or not _is_as_said(run, target, placed.used == pretended.used):
            yield f"the input moves this much to each GPU: {pretended.used}, this program: {placed.used}"


def case_faults(server: ProgramServer, case: Case) -> Iterator[str]:
    """What is wrong with the programs of a case: the input, and what it is rewritten to for each target."""
    with tempfile.TemporaryDirectory() as scratch:
        accelerator = Path(scratch) / f"{case.name}.py"
        accelerator.write_bytes(make_golden(case.original, fix_for(case, "accelerator")).fixed)
        rewritten = [(case.fixed, "cuda"), (accelerator, "accelerator")]
        rewritten += [(fixed_for(case, target), target) for target in case.targets]
        for run in case.runs:
            said = " ".join([case.name, *run.args])
            yield from (f"{said}: {fault}" for fault in original_faults(server, case, run))
            for program, target in rewritten:
                yield from (
                    f"{said}: for {target}: {fault}" for fault in fixed_faults(server, case, run, program, target)
                )


def _is_as_said(run: Run, target: str, same: bool) -> bool:
    """Whether as much is moved as run.toml says; where it says that other ways are taken, a project may have its own."""
    return same != bool(run.moves_differ) or (target == "project" and bool(run.moves_differ))


def failure_faults(result: Result, needs: str) -> Iterator[str]:
    """A program that may fail on CPU must do so, and for want of CUDA."""
    if result.code == 0:
        yield f"runs on CPU although run.toml says that it cannot: {needs}"
    elif not NO_CUDA.search(result.stderr.strip().rpartition("\n")[2]):
        yield f"fails on CPU for another reason than CUDA:\n{result.stderr}"


def difference(expected: Result, actual: Result) -> str:
    lines = [f"exit code {expected.code}, now {actual.code}"] if expected.code != actual.code else []
    before, after = expected.stdout.splitlines(), actual.stdout.splitlines()
    for number in range(max(len(before), len(after))):
        pair = [lines[number] if number < len(lines) else "(nothing)" for lines in (before, after)]
        if pair[0] != pair[1]:
            lines += [f"line {number + 1} of stdout", f"  - {pair[0]}", f"  + {pair[1]}"]
            break
    return "\n".join([*lines, actual.stderr])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("case", nargs="*")
    parser.add_argument("--against", type=Path, help="a folder with <case>.py to run instead of fixed.py")
    parser.add_argument("--show", action="store_true", help="print what the patched inputs print")
    options = parser.parse_args()
    with ProgramServer() as server:
        faults = sum(check(server, case, options) for case in load_cases(options.case))
    print(f"{faults} faults")
    return 1 if faults else 0


def check(server: ProgramServer, case: Case, options: argparse.Namespace) -> int:
    program = options.against / f"{case.name}.py" if options.against else case.fixed
    faults = 0
    for run in case.runs:
        found = list(original_faults(server, case, run))
        if program.exists():
            found += [f"{program.name} {fault}" for fault in fixed_faults(server, case, run, program)]
        faults += len(found)
        result = server.run_once(request(case, case.original, run, patched=True))
        note = "" if program.exists() else f" (no {program.name})"
        print(f"{case.name} {' '.join(run.args)}: {result.seconds:.2f} s, {result.used}{note}")
        if options.show:
            print(result.stdout + result.stderr)
        for fault in found:
            print(f"  FAULT {fault}")
    return faults


if __name__ == "__main__":
    sys.exit(main())
