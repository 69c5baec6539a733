"""Makes dtypes.json of the simulated GPU: what types CUDA's kernels take where the CPU's do not, and vice versa.

    python -m benchmarks.cuda_dtypes [--check]

PyTorch's tests list the types of each function on the CPU and on CUDA (`dtypesIfCUDA` of op_db). Where they differ, or
both lack half precision, which the simulation would compute in single, the function's first sample is run on the
simulated device and its ATen operators are noted. An operator refuses a type if a function that CUDA refuses calls it
with that type, and none that CUDA takes does. The table has an entry for each version of torch that this was run with.
With --check, nothing is written: it counts the pairs on which the simulation and PyTorch's lists do not agree, by name.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from devlint.verify import install
from devlint.verify.sim.operators import dtypes
from devlint.verify.sim.operators.handwritten_kernels import HANDWRITTEN
from devlint.verify.sim.operators.operator_table import table

TABLE = Path(dtypes.__file__).with_name("dtypes.json")
_LEFT_OUT = ("empty", "new_empty", "to_sparse", "torch.ops.aten._")
_LENGTH = "cuFFT only supports dimensions"
"""Of an error for the lengths of a sample, not for its type."""
_WHOLE = ("bool", "uint8", "int8", "int16", "int32", "int64")


_HALF = {torch.float16, torch.bfloat16}
_ASKED = {torch.int64, torch.uint8, torch.bool, *_HALF}
"""The types in which every function is run."""


class Noted(TorchDispatchMode):
    """Notes the operators that are called, with the type of their first tensor."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: set[tuple[str, str]] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func._schema.name.partition("::")[2]
        overload = func._overloadname
        for value in args:
            if isinstance(value, torch.Tensor):
                full = name if overload == "default" else f"{name}.{overload}"
                self.calls.add((full, str(value.dtype).removeprefix("torch.")))
                break
        return func(*args, **(kwargs or {}))


def functions() -> Iterator[tuple[Any, set[Any], set[Any]]]:
    """PyTorch's functions with their types on the CPU and on CUDA; to be imported where CUDA seems to be there."""
    from tests.verify.opinfo import operators

    for function in operators():
        if "jiterator" not in function.name and not function.name.startswith(_LEFT_OUT):
            on_cpu = set(function.dtypes)
            on_cuda = function.dtypesIfCUDA
            yield function, on_cpu, on_cpu if on_cuda is None else set(on_cuda)


def tried(function: Any, dtype: Any) -> tuple[str | None, set[tuple[str, str]]]:
    """What the first sample of a function raises in a type, if there is one, and the operators it calls."""
    try:
        sample = next(iter(function.sample_inputs("cuda", dtype, requires_grad=False)))
    except Exception:
        return "no sample", set()
    with Noted() as noted:
        try:
            function(sample.input, *sample.args, **sample.kwargs)
        except Exception as error:
            return f"{type(error).__name__}: {error}".splitlines()[0][:100], noted.calls
    return None, noted.calls


def make() -> dict[str, dict[str, list[str]]]:
    """The table for this torch."""
    suspects: dict[tuple[str, str], set[tuple[str, str]]] = {}
    innocent: set[tuple[str, str]] = set()
    accepted: dict[str, set[str]] = defaultdict(set)
    every = list(functions())
    for function, on_cpu, on_cuda in every:
        for dtype in sorted((on_cpu - on_cuda) | (_ASKED & on_cuda) | (on_cuda - on_cpu) | (_HALF - on_cuda), key=str):
            error, calls = tried(function, dtype)
            name = str(dtype).removeprefix("torch.")
            mine = {call for call in calls if call[1] == name}
            if (
                dtype not in on_cuda and name not in _WHOLE and dtype not in _HALF
            ):  # rare: only where the operator has the function's name
                suspects[function.formatted_name, name] = {
                    call for call in mine if call[0].partition(".")[0] == function.aten_name
                }
            elif dtype not in on_cuda:
                if error is None or dtype in on_cpu or _LENGTH in error:
                    suspects[function.formatted_name, name] = {call for call in mine if not call[0].startswith("_use_")}
            elif error is None:
                innocent |= mine
                if dtype is torch.int64:  # kernels take all signed types of whole numbers or none
                    innocent |= {(operator, one) for operator, _ in mine for one in ("int8", "int16", "int32")}
            elif dtype not in on_cpu and name in _WHOLE and "not implemented for" in error and mine:
                accepted[function.aten_name].add(name)
    refused: dict[str, set[str]] = defaultdict(set)
    for calls in suspects.values():
        for operator, name in calls - innocent:
            refused[operator].add(name)
    kernels = table()
    with_kernels = {name for name, facts in kernels.items() if {"CPU", "CUDA"} <= facts.keys} | {*HANDWRITTEN}
    with_kernels |= {name.removesuffix(".out") for name in with_kernels}  # `polar` is made of `polar.out`
    return {
        word: {operator: sorted(found[operator]) for operator in sorted(found.keys() & with_kernels)}
        for word, found in (("refused", refused), ("accepted", accepted))
    }


def check() -> int:
    """Print the pairs on which the simulation and the lists do not agree."""
    totals, wrong = [0, 0], [0, 0]
    for function, on_cpu, on_cuda in functions():
        for dtype in sorted((on_cpu ^ on_cuda) | (_HALF - on_cpu - on_cuda), key=str):
            error, _ = tried(function, dtype)
            if error != "no sample":
                only_cuda = dtype in on_cuda
                totals[only_cuda] += 1
                if (error is None) != only_cuda:
                    wrong[only_cuda] += 1
                    print("refuses" if only_cuda else "accepts", function.formatted_name, dtype, error or "")
    print(
        f"accepts {wrong[0]} of {totals[0]} pairs that CUDA refuses, refuses {wrong[1]} of {totals[1]} that it accepts"
    )
    return 0


def main() -> int:
    """Write the table, or check it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if not options.check:
        TABLE.write_text("{}" if not TABLE.exists() else TABLE.read_text())
        dtypes.read_table = lambda: ({}, {})
    install(devices=1)  # before PyTorch's tests are imported: their lists ask what the GPU can do
    if options.check:
        return check()
    tables = json.loads(TABLE.read_text())
    tables[".".join(torch.__version__.partition("+")[0].split(".")[:2])] = make()
    TABLE.write_text(json.dumps(tables, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
