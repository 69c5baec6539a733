"""Programs that tell libraries to use CUDA: they fail without a GPU, and run after safe fixes.

    python -m benchmarks.framework_programs [--python PATH] [name ...]

The Python needs torch and the libraries (benchmarks/libraries/requirements.txt), not devlint. Models are tiny and made
from configurations; nothing is downloaded. Each program is run as it is, and after the safe fixes for each target,
where no GPU can be seen. The exit code is 1 if a program runs as it is or fails after the fixes, and 2 if a library is
missing.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parent
COMMON = "common"
TARGETS = ("cuda", "accelerator")
MISSING = "ModuleNotFoundError"


def main() -> int:
    """Run all programs, or those named, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", nargs="*")
    parser.add_argument("--python", default=sys.executable)
    options = parser.parse_args()
    stems = sorted({path.stem for path in FOLDER.glob("*.py")} - {"__main__", COMMON})
    codes = {_outcome(options.python, stem) for stem in options.name or stems}
    return 1 if 1 in codes else max(codes)


def _outcome(python: str, stem: str) -> int:
    """Run a program in each state, and print what became of it."""
    with tempfile.TemporaryDirectory(prefix="devlint-frameworks-") as temporary:
        states = [FOLDER, *(_fixed(stem, target, Path(temporary)) for target in TARGETS)]
        runs = [_run(python, state / f"{stem}.py") for state in states]
    said = [(run.stderr.strip().splitlines() or [""])[-1][:100] for run in runs]
    missing = MISSING in said[0]
    as_wanted = not missing and runs[0].returncode != 0 and all(run.returncode == 0 for run in runs[1:])
    words = ["runs" if run.returncode == 0 else "fails" for run in runs]
    states_said = ", ".join(f"{word} {when}" for word, when in zip(words, ("before", *TARGETS), strict=True))
    print(f"{stem:32} {said[0] if missing else states_said}", flush=True)
    for run, word in zip(runs[1:], said[1:], strict=True):
        if run.returncode and not missing:
            print(f"    {word}")
    return 2 if missing else int(not as_wanted)


def _fixed(stem: str, target: str, folder: Path) -> Path:
    """A folder with the program after the safe fixes for a target."""
    copy = Path(tempfile.mkdtemp(dir=folder))  # a folder named for CUDA would be taken for code for CUDA alone
    copy.joinpath("pyproject.toml").write_text(f'[tool.devlint]\ntarget = "{target}"\n', encoding="utf-8")
    for name in (stem, COMMON):
        shutil.copy(FOLDER / f"{name}.py", copy)
    devlint = [sys.executable, "-m", "devlint", "fix", "--quiet", "--no-cache", str(copy)]
    subprocess.run(devlint, capture_output=True, check=False)
    return copy


def _run(python: str, program: Path) -> subprocess.CompletedProcess[str]:
    """Run a program where it sees no GPU and asks no server."""
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    command = [python, "-W", "ignore", str(program)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=300)


if __name__ == "__main__":
    sys.exit(main())
