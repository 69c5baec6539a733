"""Fix programs of hypothesmith into which device code was put, and check that none is made worse.

    pip install hypothesmith
    python -m benchmarks.hypothesmith_fuzz                        500 programs from a random seed, which is printed
    python -m benchmarks.hypothesmith_fuzz --seed 7 --count 2000

hypothesmith knows the whole grammar of Python, and nothing of devices: its programs alone hold nothing that a rule
looks for. Each is fixed safely, with all fixes, and with all for the target `accelerator`; fuzz.py judges. The exit
code is 1 if a program was made worse, devlint crashed, or its own checks refused a fix.
"""

from __future__ import annotations

import argparse
import importlib
import random
import time
import warnings
from collections import Counter
from typing import Any

import hypothesis
from hypothesis import strategies as st

from benchmarks.corpus_checks import compile_error
from benchmarks.fuzz import REFUSED, complaints
from devlint.config.selection import catalogue

LINES = (
    "x = torch.zeros(3).cuda()  # one",
    "y = model.cuda(0)",
    "with torch.cuda.device(0): pass",
    "z = torch.load(p)  # two",
    "if torch.cuda.is_available(): net.cuda()",
    "t = torch.cuda.FloatTensor(2)",
    'd = torch.device("cuda")',
    'def f(a, device="cuda"): return a.to(device)',
    'x.to("cuda:1")',
)
WAYS = ((False, "cuda"), (True, "cuda"), (True, "accelerator"))


def main() -> int:
    """Parse the command line, make and fix programs, print what is wrong and what was done."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**9))
    parser.add_argument("--count", type=int, default=500)
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    warnings.simplefilter("ignore")  # of the programs, such as `1 is 1`
    start = time.perf_counter()
    codes = tuple(rule.code for rule in catalogue())
    tally: Counter[str] = Counter()
    for text in programs(options.seed, options.count):
        tally["programs"] += 1
        tally["that compile"] += not compile_error(text.encode())
        for unsafe, target in WAYS:
            for complaint in complaints(text, codes, unsafe, target, tally):
                tally["offenders"] += 1
                print(f"{complaint} ({unsafe=}, {target}):\n{text!r}", flush=True)
    print(", ".join(f"{count:,} {what}" for what, count in sorted(tally.items())))
    print(f"{time.perf_counter() - start:.0f} s")
    return 1 if tally["offenders"] or tally[REFUSED] else 0


def programs(seed: int, count: int) -> list[str]:
    """Programs with device code above, below or between two copies of what hypothesmith makes."""
    hypothesmith: Any = importlib.import_module("hypothesmith")  # no part of what devlint's developers need
    code = st.one_of(hypothesmith.from_grammar(auto_target=False), hypothesmith.from_node(auto_target=False))
    found: list[str] = []

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=count,
        deadline=None,
        database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
        phases=[hypothesis.Phase.generate],
    )
    @hypothesis.given(code, st.lists(st.sampled_from(LINES), min_size=1, max_size=3), st.integers(0, 2))
    def make(text: str, lines: list[str], way: int) -> None:
        device = "\n".join(lines)
        orders = ((device, text), (text, device), (text, device, text))
        found.append("\n".join(("import torch", *orders[way], "")))

    make()
    return [one for one in found if not any("\ud800" <= character <= "\udfff" for character in one)]


if __name__ == "__main__":
    raise SystemExit(main())
