"""Operators of CUDA for which the host waits, as ``torch.cuda.set_sync_debug_mode`` tells (seen on an H200)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from devlint.verify.sim.dlpack_relabel import Tensor
from devlint.verify.sim.machine import machine

Kernel = Callable[..., Any]
Condition = Callable[..., bool]
_ALWAYS = (
    "nonzero nonzero.out masked_select masked_select.out _unique2 unique_dim unique_consecutive unique_dim_consecutive "
    "bincount _to_sparse _to_sparse.sparse_dim _to_sparse_csr _to_sparse_csc _to_sparse_bsr _to_sparse_bsc"
).split()
"""Those whose result has a shape that depends on values."""
_CHECKED = (
    "cholesky cholesky.out linalg_eig linalg_eig.out _linalg_eigvals linalg_eigvals.out _linalg_eigh "
    "_linalg_eigh.eigenvalues _linalg_svd _linalg_svd.U linalg_lstsq linalg_lstsq.out normal.Tensor_Tensor "
    "normal.Tensor_Tensor_out normal.float_Tensor normal.float_Tensor_out"
).split()
"""Those that look at whether they have succeeded, or at their operands."""


def _differ_in_values(first: Tensor, second: Tensor) -> bool:
    """``equal``: tensors of different shapes are different without a look at them."""
    return first.shape == second.shape and first.numel() > 0


def _has_no_size(repeats: Tensor, *, output_size: int | None = None) -> bool:
    """``repeat_interleave``: the sum of the repeats is the size of the result, unless the program gives that."""
    return output_size is None


def _searches_the_range(values: Tensor, bins: int = 100, min: float = 0, max: float = 0, **kwargs: Any) -> bool:
    """``histc``: without a range, that of the values is used."""
    return min == max


def _sorts(elements: Tensor, tests: Tensor, *, assume_unique: bool = False, **kwargs: Any) -> bool:
    """``isin``: many values are sorted, duplicates left out."""
    return not assume_unique and tests.numel() >= 10 * elements.numel() ** 0.145


def _reads_the_value(values: Tensor, *rest: Any) -> bool:
    """``masked_fill_`` and ``index_fill_``: the value to fill with is a number for their kernels."""
    return bool(rest[-1].is_cuda)


def _has_a_norm(matrices: Tensor) -> bool:
    """``matrix_exp``: how many terms are needed depends on the norms of the matrices."""
    return matrices.numel() > 0 and matrices.size(-1) > 1


_SOMETIMES: dict[str, Condition] = {
    "equal": _differ_in_values,
    "histc": _searches_the_range,
    "histc.out": _searches_the_range,
    "repeat_interleave.Tensor": _has_no_size,
    "isin.Tensor_Tensor": _sorts,
    "isin.Tensor_Tensor_out": _sorts,
    "masked_fill_.Tensor": _reads_the_value,
    "index_fill_.int_Tensor": _reads_the_value,
    "linalg_matrix_exp": _has_a_norm,
}


def with_waiting(kernels: dict[str, Kernel]) -> None:
    """Have the host wait where it does so for CUDA."""
    conditions: dict[str, Condition] = {name: lambda *args, **kwargs: True for name in (*_ALWAYS, *_CHECKED)}
    for name, condition in {**conditions, **_SOMETIMES}.items():
        if name in kernels:
            kernels[name] = _waiting(kernels[name], condition)


def _waiting(kernel: Kernel, condition: Condition) -> Kernel:
    def wait(*args: Any, **kwargs: Any) -> Any:
        if condition(*args, **kwargs):
            machine.hidden_wait()
        return kernel(*args, **kwargs)

    return wait
