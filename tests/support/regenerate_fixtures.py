"""Write findings.txt, fixed.py and fixed_<target>.py of the fixtures anew, with the devlint of this tree, and run what has changed.

Read ``git diff`` afterwards. Where a program does not do as it did, the fault is printed, and the exit code is 1.

python -m tests.support.regenerate_fixtures [case ...]
"""

from __future__ import annotations

import sys
from pathlib import Path

from devlint.verify.rewrites.cases import Case
from tests.support.fixture_runner import case_faults, fix_for, fixed_for, load_cases
from tests.support.golden import make_golden
from tests.support.program_server import ProgramServer


def main(names: list[str]) -> int:
    changed = [case for case in load_cases(names) if _write(case)]
    if not changed:
        return 0
    with ProgramServer() as server:
        faults = [fault for case in changed for fault in case_faults(server, case)]
    print("\n".join(faults) or f"{len(changed)} programs do as they did")
    return 1 if faults else 0


def _write(case: Case) -> bool:
    """Write the golden files of a case; whether one has changed."""
    golden = make_golden(case.original, case.fix)
    made = {case.findings: golden.findings, case.fixed: golden.fixed}
    for target in case.targets:
        made[fixed_for(case, target)] = make_golden(case.original, fix_for(case, target)).fixed
    changed = [path for path, content in made.items() if write_if_changed(path, content)]
    for path in changed:
        print(f"{case.name}/{path.name}")
    return bool(changed)


def write_if_changed(path: Path, content: bytes) -> bool:
    if path.exists() and path.read_bytes() == content:
        return False
    path.write_bytes(content)
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
