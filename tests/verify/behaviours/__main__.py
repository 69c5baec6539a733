"""Count the behaviours that agree, are refused, are known not to be shown, and are wrong.

python -m tests.verify.behaviours [topic ...]
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from contextlib import nullcontext

from devlint.verify import simulated_cuda
from tests.verify.behaviours.behaviour import Behaviour, Differs, behaviours, run
from tests.verify.behaviours.machine import fresh, machine


def outcome(one: Behaviour, names: dict[str, object]) -> tuple[str, str]:
    """What became of a behaviour: agrees, refused, not shown or wrong; and why."""
    try:
        with fresh(one.code):
            run(one.code, dict(names))
    except Exception as error:
        if type(error).__name__ == "SimulationError":
            return "refused", str(error)
        why = str(error) if isinstance(error, Differs) else f"{type(error).__name__}: {error}"
        return ("not shown" if one.not_shown else "wrong"), why
    return "agrees", ""


def main(topics: list[str]) -> int:
    """Print the counts, and what does not agree."""
    counts: Counter[str] = Counter()
    real = bool(os.environ.get("DEVLINT_REAL_CUDA"))
    with nullcontext() if real else simulated_cuda(2, "separate"), machine(not real) as names:
        for one in behaviours():
            if (topics and one.topic not in topics) or one.lacking():
                continue
            what, why = outcome(one, names)
            counts[what] += 1
            if what != "agrees":
                print(f"{what}: {one}\n    {why}")
    print(f"{counts.total()} behaviours:", ", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
