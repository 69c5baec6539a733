"""PyTorch's own samples of its operators, on the simulated device against the CPU: forward and gradient, bit for bit.

    python -m tests.verify.opinfo [--only NAME] [--random N]

Prints each operator that differs with the reason, and the totals; leaves with 1 where one differs without a reason. A
sample is an operator, its operands and its options, as PyTorch's own tests have them; random numbers are those of one
seed.
"""

from __future__ import annotations

import argparse
import random
import sys
import types
import unittest
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
from torch.utils._pytree import tree_flatten, tree_map

from devlint.verify import simulated_cuda

EXPLAINED = {
    "empty": "memory without values",
    "new_empty": "memory without values",
    "renorm": "on CUDA the gradient accumulates in float32, on the CPU in float64",
    "linalg.lstsq": "another driver is the default on CUDA",
    "tensor_split": "sizes must be on the CPU, as on CUDA",
    "sparse.mm.reduce": "no CUDA kernel",
    "histogram": "no CUDA kernel",
    "sparse.sampled_addmm": "the CPU refuses the samples too",
    "as_strided.partial_views": "beyond the memory of the copy that is taken of a sample, on the CPU too",
    "jiterator_": "only CUDA has it",
    "torch.ops.aten._flash_attention_forward": "only CUDA has it",
    "torch.ops.aten._efficient_attention_forward": "only CUDA has it",
}
"""Operators that differ, by the beginning of their names, and why."""
MOST_SAMPLES = 40
"""Of one operator; a few have thousands."""


def operators() -> list[Any]:
    """PyTorch's own table of operators."""
    if "expecttest" not in sys.modules:  # torch's test utilities want it, for a base class that is not used here
        stub: Any = types.ModuleType("expecttest")
        stub.TestCase = unittest.TestCase
        sys.modules["expecttest"] = stub
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal.common_methods_invocations import op_db
    return list(op_db)


def dtype_of(operator: Any) -> Any:
    """The type that an operator's samples are made of: one that both devices have, where there is one."""
    names = "float32 int64 complex64 bool float16 bfloat16 float8_e4m3fn"
    preferred = [getattr(torch, name) for name in names.split()]
    both = set(operator.dtypes) & set(operator.dtypesIfCUDA)
    either = both or {*operator.dtypes, *operator.dtypesIfCUDA}
    return next(dtype for dtype in preferred if dtype in either)


def name_of(operator: Any) -> str:
    return f"{operator.name}.{operator.variant_test_name}" if operator.variant_test_name else str(operator.name)


class Outcome(NamedTuple):
    """How one sample went: "equal", "close", "different", "raised" or "both raised"; and why."""

    kind: str
    problem: str


class Result(NamedTuple):
    values: list[Any]
    error: str


def outcomes(operator: Any) -> Iterator[Outcome]:
    """How each sample of an operator went."""
    dtype = dtype_of(operator)
    differentiable = operator.supports_autograd and dtype.is_floating_point
    torch.manual_seed(0)
    try:
        samples = list(_first(operator.sample_inputs("cpu", dtype, requires_grad=differentiable)))
    except Exception as error:
        yield Outcome("no samples", f"{type(error).__name__}: {error}"[:200])
        return
    for sample in samples:
        on_cpu = run(operator, sample, "cpu")
        yield compared(on_cpu, run(operator, sample, "cuda"))


def _first(samples: Any) -> Iterator[Any]:
    for number, sample in enumerate(samples):
        if number >= MOST_SAMPLES:
            return
        yield sample


def run(operator: Any, sample: Any, device: str) -> Result:
    """The results of a sample on a device, and the gradients of its operands."""

    def placed(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return value.detach().clone().to(device).requires_grad_(value.requires_grad)
        if isinstance(value, torch.Generator):
            return torch.Generator(device=device).manual_seed(value.initial_seed())
        return device if isinstance(value, str) and value == "cpu" else torch.device(device) if value == _CPU else value

    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        operands = tree_map(placed, (sample.input, sample.args, sample.kwargs))
        leaves = [x for x in tree_flatten(operands)[0] if isinstance(x, torch.Tensor) and x.requires_grad]
        try:
            first, args, kwargs = operands
            result = sample.output_process_fn_grad(operator(first, *args, **kwargs))
            found = [value for value in tree_flatten(result)[0] if isinstance(value, (torch.Tensor, int, float, bool))]
            found += gradients(found, leaves)
        except Exception as error:
            return Result([], f"{type(error).__name__}: {error}")
        return Result([value.detach() if isinstance(value, torch.Tensor) else value for value in found], "")


_CPU = torch.device("cpu")


def gradients(results: list[Any], leaves: list[torch.Tensor]) -> list[Any]:
    roots = [x for x in results if isinstance(x, torch.Tensor) and x.requires_grad and x.dtype.is_floating_point]
    if not roots or not leaves:
        return []
    seeds = [torch.ones_like(root) / 3 for root in roots]
    return list(torch.autograd.grad(roots, leaves, seeds, allow_unused=True))


def compared(on_cpu: Result, on_device: Result) -> Outcome:
    """Whether two runs say the same."""
    if on_cpu.error or on_device.error:
        if on_cpu.error and on_device.error:
            return Outcome("both raised", on_device.error[:200])
        return Outcome("raised", (on_device.error or f"only on the CPU: {on_cpu.error}")[:200])
    if len(on_cpu.values) != len(on_device.values):
        return Outcome("different", "the number of results")
    kinds = [_pair(left, right) for left, right in zip(on_cpu.values, on_device.values)]
    return Outcome(max(kinds, key=["equal", "close", "different"].index, default="equal"), "")


def _pair(left: Any, right: Any) -> str:
    if not isinstance(left, torch.Tensor):
        return "equal" if left == right or left != left else "different"
    left, right = left.cpu(), right.cpu()
    if left.layout is not torch.strided:
        left, right = left.to_dense(), right.to_dense()
    if left.dtype != right.dtype or left.shape != right.shape:
        return "different"
    if left.dtype is torch.complex32 or left.dtype.itemsize == 1:
        wider = torch.complex64 if left.dtype.is_complex else torch.float64
        left, right = left.to(wider), right.to(wider)
    if torch.equal(torch.nan_to_num(left), torch.nan_to_num(right)) and torch.equal(left.isnan(), right.isnan()):
        return "equal"
    return "close" if torch.allclose(left, right, rtol=1e-4, atol=1e-5, equal_nan=True) else "different"


def reason(operator: Any) -> str:
    return next((why for name, why in EXPLAINED.items() if name_of(operator).startswith(name)), "")


def check(chosen: list[Any]) -> int:
    """Compare operators and print what differs; how many do without a reason."""
    totals: Counter[str] = Counter()
    whole = unexplained = 0
    for operator in chosen:
        found = list(outcomes(operator))
        kinds = Counter(outcome.kind for outcome in found)
        totals += kinds
        if set(kinds) <= {"equal"}:
            whole += 1
            continue
        why = reason(operator)
        unexplained += not why
        problems = sorted({outcome.problem.splitlines()[0] for outcome in found if outcome.problem})
        print(f"{name_of(operator)}: {dict(kinds)} {why or 'WITHOUT A REASON: ' + ' | '.join(problems)}", flush=True)
    print(f"{len(chosen)} operators, {whole} of them wholly bit-equal; samples: {dict(totals)}")
    return unexplained


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="operators of which this is the name, or a part of it")
    parser.add_argument(
        "--random", type=int, metavar="N", help="some operators that should be equal, other ones each time"
    )
    options = parser.parse_args()
    torch.set_num_threads(1)
    chosen = [operator for operator in operators() if not options.only or options.only in name_of(operator)]
    if options.random:
        chosen = random.sample([operator for operator in chosen if not reason(operator)], options.random)
    with simulated_cuda():
        return int(check(chosen) > 0)


if __name__ == "__main__":
    sys.exit(main())
