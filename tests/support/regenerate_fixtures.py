"""Write findings.txt, fixed.py and fixed_<target>.py of the fixtures anew, with the devlint of this tree: read ``git diff`` afterwards.

python -m tests.support.regenerate_fixtures [case ...]
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.support.fixture_runner import fix_for, fixed_for, load_cases
from tests.support.golden import make_golden


def main(names: list[str]) -> int:
    for case in load_cases(names):
        golden = make_golden(case.original, case.fix)
        made = {case.findings: golden.findings, case.fixed: golden.fixed}
        for target in case.targets:
            made[fixed_for(case, target)] = make_golden(case.original, fix_for(case, target)).fixed
        for path, content in made.items():
            if write_if_changed(path, content):
                print(f"{case.name}/{path.name}")
    return 0


def write_if_changed(path: Path, content: bytes) -> bool:
    if path.exists() and path.read_bytes() == content:
        return False
    path.write_bytes(content)
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
