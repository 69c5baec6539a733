"""The command line over an OddRunner: ``run_oddly.py fork|spawn ARGUMENTS [+ ARGUMENTS]...``, each run in turn."""

import os
import resource
import sys

from tests.support import odd_runner

os.environ[odd_runner.PARENT] = str(os.getpid())
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

import devlint.engine.runner  # noqa: E402

devlint.engine.runner.Runner = odd_runner.OddRunner  # type: ignore[misc]

from devlint.cli import main  # noqa: E402
from devlint.engine.parallel import start_methods  # noqa: E402

start_methods.method = lambda: sys.argv[1]  # type: ignore[assignment]

# No guard: a worker must not run the program again that has started it.
runs: list[list[str]] = [[]]
for argument in sys.argv[2:]:
    if argument == "+":
        runs.append([])
    else:
        runs[-1].append(argument)
codes = []
for run in runs:
    try:
        main(run)
    except SystemExit as left:
        codes.append(left.code)
    sys.stdout.flush()
sys.exit(max(codes))  # type: ignore[type-var]
