"""What PyTorch's operators answer on CUDA, the real one or the simulated one, and where the two differ.

    python -m benchmarks.operator_answers FILE [--simulated] [--jobs N] [--only NAME]
    python -m benchmarks.operator_answers --compare REAL SIMULATED

Every function of PyTorch's own table (op_db) is asked, with its own first samples: which types it takes, which of its
operands may be on the CPU while the others are on CUDA, whether it waits for the device (sync debug mode), what it
does under `use_deterministic_algorithms(True)`, forward and backward, and the device, type and strides of its results.
The answers are a JSON file: function -> question -> "ok", or the error's type and first line. A failed assertion in a
kernel ends CUDA for its process; what is left is asked in another one.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import threading
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from queue import Empty, Queue
from typing import Any

SECONDS = 60
"""For one function, in which its process starts, too."""
SAMPLES = 3
"""Of each function, for all questions but that for types, where the first is enough."""
TYPES = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128".split()
UNUSABLE = re.compile("CUDA error|device-side assert|AcceleratorError")
SKIPPED = ("jiterator", "empty", "new_empty")
"""Functions, by the beginnings of their names, that exist on CUDA alone, or whose values mean nothing."""


def answers(operator: Any) -> Iterator[tuple[str, str]]:
    """Every question to a function, with its answer."""
    import torch

    from tests.verify.opinfo import dtype_of

    for name in TYPES:
        for sample in _samples(operator, getattr(torch, name), 1):
            args, kwargs = _placed(sample)
            yield f"type {name}", _answer(lambda a=args, k=kwargs: operator(*a, **k))
    for number, sample in enumerate(_samples(operator, dtype_of(operator), SAMPLES)):
        yield from ((f"sample {number}: {question}", answer) for question, answer in _of_sample(operator, sample))


def _of_sample(operator: Any, sample: Any) -> Iterator[tuple[str, str]]:
    import torch

    args, kwargs = _placed(sample)
    result = _answer(lambda: _described(operator(*args, **kwargs)))
    yield "result", result
    if _is_error(result):
        return
    tensors = _tensors((sample.input, sample.args, sample.kwargs))
    for index, one in enumerate(tensors if len(tensors) > 1 else ()):
        mixed, also = _placed(sample, but=index)
        question = f"operand {index} ({one.dim()}-dim, {str(one.dtype).removeprefix('torch.')}) on the CPU"
        yield question, _answer(lambda a=mixed, k=also: operator(*a, **k))
    args, kwargs = _placed(sample)
    torch.cuda.set_sync_debug_mode("error")
    waits = _answer(lambda: operator(*args, **kwargs))
    torch.cuda.set_sync_debug_mode("default")
    yield "waits for the device", waits
    args, kwargs = _placed(sample)
    torch.use_deterministic_algorithms(True)
    forward = _answer(lambda: operator(*args, **kwargs))
    torch.use_deterministic_algorithms(False)
    yield "deterministic", forward
    if operator.supports_autograd:
        args, kwargs = _placed(sample, grad=True)
        yield "deterministic backward", _answer(lambda: _deterministic_backward(operator(*args, **kwargs)))
        torch.use_deterministic_algorithms(False)


def _deterministic_backward(results: Any) -> None:
    import torch

    roots = [one for one in _tensors(results) if one.requires_grad and one.layout is torch.strided]
    torch.use_deterministic_algorithms(True)
    if roots:
        torch.autograd.backward(roots, [torch.ones_like(one) for one in roots])


def _tensors(values: Any) -> list[Any]:
    import torch
    from torch.utils._pytree import tree_flatten

    return [one for one in tree_flatten(values)[0] if isinstance(one, torch.Tensor)]


def _described(results: Any) -> str:
    """The devices, types, shapes and strides of results."""
    import torch

    return "; ".join(
        f"{one.device.type} {str(one.dtype).removeprefix('torch.')} {tuple(one.shape)} "
        f"{one.stride() if one.layout is torch.strided else one.layout}"
        for one in _tensors(results)
    )


def _is_error(answer: str) -> bool:
    return re.match(r"\w*(Error|Exception|Warning)\b", answer) is not None


def _answer(ask: Callable[[], Any]) -> str:
    """What was given, if that is a text, otherwise "ok"; or the error."""
    import torch

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = ask()
            mode = torch.cuda.get_sync_debug_mode()
            torch.cuda.set_sync_debug_mode("default")
            torch.cuda.synchronize()
            torch.cuda.set_sync_debug_mode(mode)
    except Exception as error:
        first = (str(error).splitlines() or [""])[0]
        return f"{type(error).__name__}: {first[:160]}"
    return found if isinstance(found, str) else "ok"


def _samples(operator: Any, dtype: Any, most: int) -> list[Any]:
    """The first samples, made on the CPU, so that they are the same everywhere."""
    import torch

    torch.manual_seed(0)
    found: list[Any] = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for sample in operator.sample_inputs("cpu", dtype, requires_grad=False):
                found.append(sample)
                if len(found) == most:
                    break
    except Exception:
        pass  # there is no sample of that type
    return found


def _placed(sample: Any, but: int | None = None, grad: bool = False) -> tuple[list[Any], dict[str, Any]]:
    """The operands of a sample on CUDA, one of the tensors perhaps left on the CPU."""
    import torch
    from torch.utils._pytree import tree_map

    cpu, numbers = torch.device("cpu"), iter(range(1000))

    def placed(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            copy = value.detach().clone()
            copy = copy if next(numbers) == but else copy.cuda()
            return copy.requires_grad_(grad and (copy.is_floating_point() or copy.is_complex()))
        if isinstance(value, torch.Generator):
            return torch.Generator("cuda").manual_seed(value.initial_seed())
        return "cuda" if isinstance(value, str) and value == "cpu" else torch.device("cuda") if value == cpu else value

    first, args, kwargs = tree_map(placed, (sample.input, sample.args, sample.kwargs))
    return [first, *args], kwargs


def child(simulated: bool) -> int:
    """Answer for each function whose number is a line of the input; end when CUDA cannot be used any more."""
    from devlint.verify import simulated_cuda

    with simulated_cuda() if simulated else nullcontext():
        import torch

        from tests.verify.opinfo import name_of, operators

        torch.set_num_threads(1)
        every = operators()
        print(json.dumps([name_of(one) for one in every]), flush=True)
        for line in sys.stdin:
            found: dict[str, str] = {}
            for question, answer in answers(every[int(line)]):
                found[question] = answer
                if UNUSABLE.search(answer):
                    break
            else:
                print(json.dumps(found), flush=True)
                continue
            print(json.dumps({**found, "ended": "CUDA"}), flush=True)
            return 0
    return 0


class _Child:
    """A process that answers."""

    def __init__(self, simulated: bool) -> None:
        command = [sys.executable, "-W", "ignore", "-m", "benchmarks.operator_answers", "--child"]
        command += ["--simulated"] * simulated
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)
        self.names: list[str] = json.loads(self._line())

    def _line(self) -> str:
        timer = threading.Timer(SECONDS, self._process.kill)
        timer.start()
        try:
            assert self._process.stdout is not None
            return self._process.stdout.readline()
        finally:
            timer.cancel()

    def ask(self, number: int) -> dict[str, str] | None:
        """The answers of a function; None if the process has ended instead of answering."""
        try:
            assert self._process.stdin is not None
            print(number, file=self._process.stdin, flush=True)
        except OSError:
            return None
        line = self._line()
        return json.loads(line) if line else None

    def close(self) -> None:
        self._process.kill()
        self._process.wait()


def ask_all(path: Path, simulated: bool, jobs: int, only: str) -> int:
    """Ask every function, side by side, and write the answers."""
    first = _Child(simulated)
    numbers: Queue[int] = Queue()
    names = first.names
    for number, name in enumerate(names):
        if only in name and not name.startswith(SKIPPED):
            numbers.put(number)
    first.close()
    found: dict[str, dict[str, str]] = {}

    def work() -> None:
        one = None
        while True:
            try:
                number = numbers.get_nowait()
            except Empty:
                break
            one = one or _Child(simulated)
            said = one.ask(number)
            found[names[number]] = said if said is not None else {"ended": "the process"}
            if said is None or "ended" in said:
                one.close()
                one = None
        if one is not None:
            one.close()

    threads = [threading.Thread(target=work) for _ in range(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    path.write_text(json.dumps(found, indent=0, sort_keys=True) + "\n", "utf-8")
    print(f"{len(found)} functions, {sum(map(len, found.values()))} answers: {path}")
    return 0


def differences(
    real: dict[str, dict[str, str]], other: dict[str, dict[str, str]]
) -> Iterator[tuple[str, str, str, str, str]]:
    """Function, question, kind of difference and both answers; what was not asked on both is left out."""
    for name in sorted(real.keys() & other.keys()):
        for question in real[name].keys() & other[name].keys():
            left, right = real[name][question], other[name][question]
            if left == right:
                continue
            refused = _is_error(left), _is_error(right)
            kind = {
                (True, False): "CUDA refuses, the simulation accepts",
                (False, True): "CUDA accepts, the simulation refuses",
                (True, True): "another error",
                (False, False): "another result",
            }[refused]
            yield name, question, kind, left, right


def compare(real: Path, other: Path) -> int:
    """Print the differences by kind of question."""
    answered = json.loads(real.read_text("utf-8")), json.loads(other.read_text("utf-8"))
    by_kind: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name, question, kind, left, right in differences(*answered):
        asked = re.sub(r"^sample \d+: |[\d(].*$", "", question).strip()
        by_kind[asked.partition(" ")[0] if asked.startswith("type") else asked, kind].append(
            f"{name}, {question}: {left} | {right}"
        )
    asked = Counter(q.partition(": ")[2] or "type" for one in answered[0].values() for q in one)
    for (question, kind), lines in sorted(by_kind.items()):
        print(f"## {question}: {kind}: {len(lines)}")
        print(*sorted(lines), sep="\n")
    print(f"{sum(asked.values())} answers, {sum(map(len, by_kind.values()))} differ")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--simulated", action="store_true", help="ask the simulated CUDA")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", metavar="NAME", help="functions in whose names this is")
    parser.add_argument("--compare", type=Path, nargs=2, metavar=("REAL", "SIMULATED"))
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return child(options.simulated)
    if options.compare:
        return compare(*options.compare)
    return ask_all(options.file, options.simulated, options.jobs, options.only)


if __name__ == "__main__":
    sys.exit(main())
