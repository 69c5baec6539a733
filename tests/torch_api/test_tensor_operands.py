from __future__ import annotations

import pytest

from devlint.torch_api import tensor_operands, tensor_places

OPERATIONS = [
    *(f"torch.{name}" for name in dir(pytest.importorskip("torch"))),
    *(f"torch.nn.functional.{name}" for name in dir(pytest.importorskip("torch.nn.functional"))),
]


def test_what_must_be_on_one_device_may_not_be_on_any() -> None:
    strict = [one for one in OPERATIONS if tensor_operands.allows_number(one, 0, None) is not None]
    assert len(strict) > 40
    assert not {one.rpartition(".")[2] for one in strict} & tensor_places.INDEPENDENT_FUNCTIONS
    methods = tensor_operands.FIRST_METHODS | tensor_operands.INDEX_METHODS | tensor_operands.ARITHMETIC
    assert not methods & (tensor_places.TAKE_ANY_DEVICE_METHODS | tensor_places.TAKE_SIZES_METHODS)


@pytest.mark.parametrize("name", sorted(tensor_operands.LOSS_LAYERS))
def test_layers_are_those_of_torch(name: str) -> None:
    assert hasattr(pytest.importorskip("torch.nn"), name.rpartition(".")[2])
