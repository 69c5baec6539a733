from __future__ import annotations

import pytest

from devlint.torch_api.layers import RECURRENT_LAYERS, TAKE_TENSORS, WEIGHTED_LAYERS, WEIGHTS

nn = pytest.importorskip("torch.nn")


@pytest.mark.parametrize("name", sorted(WEIGHTS))
def test_layers_have_weights(name: str) -> None:
    layer = getattr(nn, name)(
        *{"Bilinear": (2, 2, 2), "LayerNorm": (2,)}.get(name, (2, 2) if "Conv" not in name else (2, 2, 1))
    )
    assert isinstance(getattr(layer, WEIGHTS[name]), nn.Parameter)
    assert name.startswith(WEIGHTED_LAYERS)


def test_layers_exist() -> None:
    assert not [one for one in TAKE_TENSORS | RECURRENT_LAYERS if not hasattr(nn, one)]
    assert not [one for one in WEIGHTED_LAYERS if not any(name.startswith(one) for name in dir(nn))]
