"""A few of PyTorch's own samples of operators; `make verify-operators` runs all of them."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from devlint.verify import simulated_cuda
from tests.verify.opinfo import dtype_of, name_of, operators, outcomes

ALWAYS = {"add", "matmul", "nn.functional.conv2d", "index_put", "cumsum", "nn.functional.layer_norm"}
# Of these the values are not the operator's to choose, or CUDA's kernel is another algorithm, or there is none.
NOT_EQUAL = (
    "empty empty_like empty_permuted empty_strided new_empty new_empty_strided renorm linalg.lstsq tensor_split "
    "sparse.mm.reduce sparse.sampled_addmm as_strided.partial_views histogram histogramdd"
).split()
NOT_SIMULATED = ("jiterator_", "torch.ops.aten._flash", "torch.ops.aten._efficient", "torch._scaled_mm")


@pytest.mark.filterwarnings("ignore")
def test_some_of_pytorchs_samples_are_bit_equal() -> None:
    chosen = [operator for operator in operators() if name_of(operator) in ALWAYS]
    others = [
        operator
        for operator in operators()
        if name_of(operator) not in {*ALWAYS, *NOT_EQUAL} and not name_of(operator).startswith(NOT_SIMULATED)
    ]
    totals: Counter[str] = Counter()
    with simulated_cuda():
        for operator in chosen + random.sample(others, 12):
            kinds = Counter(outcome.kind for outcome in outcomes(operator))
            assert set(kinds) == {"equal"}, (name_of(operator), dtype_of(operator), kinds)
            totals += kinds
    assert totals["equal"] > 100


@pytest.mark.filterwarnings("ignore")
def test_what_has_no_cuda_kernel_raises() -> None:
    (histogram,) = [operator for operator in operators() if operator.name == "histogram"]
    with simulated_cuda():
        found = list(outcomes(histogram))
    assert {outcome.kind for outcome in found} == {"raised"}
    assert "Could not run 'aten::histogram" in found[0].problem
