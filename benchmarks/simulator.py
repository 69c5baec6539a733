"""What the simulated accelerator costs: steps and whole programs on it, against the same on the plain CPU.

    python benchmarks/simulator.py [--repeats N] [--programs N] [--only start|steps|programs|verify ...]

All times are processor time, and the least counts. Each step is timed on the device and on the CPU in turn, in one
process that keeps the memory it has. The
programs are those of tests/verify/programs, each in a process of its own; on the CPU under the tests' identity patch.
`devlint verify` runs a program of some eight seconds, whose time on the CPU is that under the patch, too.
Leaves with 1 where a limit is exceeded: programs together 1.5 times, the worst training step 4 times.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import io
import json
import os
import runpy
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import torch  # noqa: E402
from torch import nn  # noqa: E402

import devlint.verify  # noqa: E402
from devlint.verify import simulated_cuda  # noqa: E402
from tests.support import identity_cuda  # noqa: E402

MOST_TOGETHER = 1.5
MOST_A_STEP = 4.0
TURNS = 4
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
TWIN = (
    "import runpy, sys, torch, torch._dynamo; from tests.support import identity_cuda; "
    "identity_cuda.install(int(sys.argv.pop(1))); sys.argv.pop(0); runpy.run_path(sys.argv[0], run_name='__main__')"
)
LONG = """\
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)).cuda()
optimizer = torch.optim.Adam(model.parameters())
for step in range(400):
    x, y = torch.randn(128, 784).cuda(), torch.randint(0, 10, (128,)).cuda()
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
"""
PROGRAMS = [path for path in sorted((ROOT / "tests/verify/programs").glob("*.py")) if path.stem != "distributed"]
PARTS = ["start", "steps", "programs", "verify"]
DEVICES = {"data_parallel": 2}


def trained(net: nn.Module, *shape: int, index: bool = False, optimizer: Any = torch.optim.SGD) -> Callable[[str], Any]:
    """A step of training on random input."""

    def prepare(device: str) -> Callable[[], None]:
        model = net.to(device)
        x = torch.randint(0, 50, shape, device=device) if index else torch.randn(*shape, device=device)
        updates = optimizer(model.parameters(), lr=1e-3)

        def step() -> None:
            updates.zero_grad()
            output = model(x)
            (output[0] if isinstance(output, tuple) else output).square().mean().backward()
            updates.step()

        return step

    return prepare


class Cells(nn.Module):
    """A loop over recurrent cells: many small operators."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.GRUCell(16, 32)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = x.new_zeros(x.size(1), 32)
        for step in x:
            hidden = self.cell(step, hidden)
        return hidden


def image_network() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(3, 32, 3, padding=1),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(8192, 10),
    )


def perceptron() -> nn.Module:
    return nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10))


def transformer() -> nn.Module:
    layer = nn.TransformerEncoderLayer(128, 4, 256, batch_first=True)
    return nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)


def addition(device: str) -> Callable[[], object]:
    x, y = torch.ones(4, device=device), torch.ones(4, device=device)
    return lambda: x + y


STEPS: dict[str, Callable[[], Callable[[str], Callable[[], object]]]] = {
    "CNN, 32 images of 32 x 32, SGD": lambda: trained(image_network(), 32, 3, 32, 32),
    "LSTM, 2 layers, 40 steps, SGD": lambda: trained(nn.LSTM(64, 128, 2), 40, 16, 64),
    "perceptron, 3 layers, batch 128, Adam": lambda: trained(perceptron(), 128, 784, optimizer=torch.optim.Adam),
    "transformer, 2 layers, 8 x 64 tokens, AdamW": lambda: trained(
        transformer(), 8, 64, 128, optimizer=torch.optim.AdamW
    ),
    "loop of GRU cells, 30 steps, SGD": lambda: trained(Cells(), 30, 8, 16),
}
OPERATOR = "one addition of four numbers"


def timed(step: Callable[[], object], repeats: int) -> float:
    """The least processor time of a step, in seconds."""
    number = 1
    step()
    while True:
        start = time.process_time()
        for _ in range(number):
            step()
        spent = time.process_time() - start
        if spent > 0.02:
            break
        number *= 2
    best = spent / number
    for _ in range(repeats):
        start = time.process_time()
        for _ in range(number):
            step()
        best = min(best, (time.process_time() - start) / number)
    return best


def compare(make: Callable[[], Callable[[str], Callable[[], object]]], repeats: int) -> tuple[float, float]:
    """The times of a step on the CPU and on the simulated device, in turn: a shared computer is not always as busy."""
    pairs = []
    for _ in range(TURNS):
        plain = timed(make()("cpu"), repeats)
        with simulated_cuda():
            pairs.append((plain, timed(make()("cuda"), repeats)))
    return min(plain for plain, _ in pairs), min(simulated for _, simulated in pairs)


def keep_memory() -> None:
    """Have the allocator of glibc keep what is freed: else a step pays for pages or not, as those before it left it."""
    if sys.platform == "linux":
        allocator = ctypes.CDLL(None)
        for parameter in (M_MMAP_THRESHOLD, M_TRIM_THRESHOLD):
            allocator.mallopt(parameter, 1 << 25)


def programs(repeats: int) -> Iterator[tuple[str, float, float]]:
    """The least times of each program, with starting Python and importing torch; those of an empty one first."""
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder) / "an empty one.py"
        empty.write_text("import torch._dynamo  # as every optimizer does\n")
        for path in [empty, *PROGRAMS]:
            devices = str(DEVICES.get(path.stem, 1))
            twin = [sys.executable, "-c", TWIN, devices, str(path)]
            original = [sys.executable, "-m", "devlint", "simulate", "--devices", devices, str(path)]
            pairs = [(spent(twin), spent(original)) for _ in range(repeats)]
            yield path.stem, min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)


def spent(command: list[str]) -> float:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # a user's Python compiles devlint once
    before = os.times()
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True, timeout=600)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def all_programs(repeats: int) -> float:
    """How much more the programs together cost; without their start too, though they compute for milliseconds only."""
    with_start = {name: (plain, simulated) for name, plain, simulated in programs(repeats)}
    without = [json.loads(output("--inside", mode, "--programs", str(repeats))) for mode in ("plain", "simulated")]
    print(f"{'':46} {'CPU':>10} {'simulated':>10}  times   without starting Python and importing torch")
    for name, pair in with_start.items():
        if name in without[0]:
            row(name, *pair, without[0][name], without[1][name])
    sums = [sum(pair[i] for name, pair in with_start.items() if name in without[0]) for i in (0, 1)]
    return row("the programs together", *sums, *(sum(times.values()) for times in without))


def starting(repeats: int) -> None:
    """What it takes to start a program that only imports torch."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "start.py"
        path.write_text("import torch\n")
        simulated = [sys.executable, "-m", "devlint", "simulate", str(path)]
        pairs = [(spent([sys.executable, str(path)]), spent(simulated)) for _ in range(repeats)]
        row("starting Python and importing torch", min(one for one, _ in pairs), min(more for _, more in pairs))


def verifying(repeats: int) -> None:
    """What `devlint verify` takes for a program of some seconds, in processor time and on the clock."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "train.py"
        path.write_text(LONG)
        twin = [sys.executable, "-c", TWIN, "1", str(path)]
        command = [sys.executable, "-m", "devlint", "verify", "--isolated", str(path)]
        rows = [(*clocked(twin), *clocked(command)) for _ in range(repeats)]
        plain, plain_clock, verified, verified_clock = map(min, zip(*rows))
        row("devlint verify, processor", plain, verified)
        row("devlint verify, clock", plain_clock, verified_clock)


def clocked(command: list[str]) -> tuple[float, float]:
    """Processor time and elapsed time."""
    start = time.monotonic()
    return spent(command), time.monotonic() - start


def output(*arguments: str) -> str:
    command = [sys.executable, "-W", "ignore", __file__, *arguments]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout


def inside(mode: str, repeats: int) -> dict[str, float]:
    """The least time of each program in this process, which has imported torch and has devices already."""
    import torch._dynamo

    (identity_cuda if mode == "plain" else devlint.verify).install(2)
    best: dict[str, float] = {}
    for path in PROGRAMS:
        for _ in range(repeats + 1):  # the first time imports what it needs
            start = time.process_time()
            with contextlib.redirect_stdout(io.StringIO()):
                runpy.run_path(str(path), run_name="__main__")
            best[path.stem] = min(time.process_time() - start, best.get(path.stem, 1e9))
            torch.set_default_dtype(torch.float32)
    return best


def row(name: str, *times: float) -> float:
    """Print pairs of times, and how much greater the second is; that of the first pair."""
    pairs = list(zip(times[::2], times[1::2]))
    columns = (f"{plain * 1e3:10.3f} {more * 1e3:10.3f} {more / plain:6.2f}" for plain, more in pairs)
    print(f"{name:46} {'  '.join(columns)}", flush=True)
    return pairs[0][1] / pairs[0][0]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=9, help="how often each step is timed (default: %(default)s)")
    parser.add_argument("--programs", type=int, default=3, help="how often each program is run (default: %(default)s)")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="what is measured (default: all)")
    parser.add_argument("--inside", choices=["plain", "simulated"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    torch.set_num_threads(1)
    keep_memory()
    if options.inside:
        print(json.dumps(inside(options.inside, options.programs)))
        return 0
    print(f"torch {torch.__version__}, one thread; milliseconds\n{'':46} {'CPU':>10} {'simulated':>10}  times")
    worst = together = 0.0
    if "start" in options.only:
        starting(options.programs)
    if "steps" in options.only:
        worst = max(row(name, *compare(make, options.repeats)) for name, make in STEPS.items())
        row(OPERATOR, *compare(lambda: addition, options.repeats))
    if "programs" in options.only:
        together = all_programs(options.programs)
    if "verify" in options.only:
        verifying(options.programs)
    print(f"worst step {worst:.2f} (at most {MOST_A_STEP}); programs together {together:.2f} (at most {MOST_TOGETHER})")
    return int(worst > MOST_A_STEP or together > MOST_TOGETHER)


if __name__ == "__main__":
    sys.exit(main())
