"""Nested tensors, in both layouts, and training with simulated quantization."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pytest
import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

LAYOUTS = [torch.strided, torch.jagged]


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the prototype stage of nested tensors
        yield


def nested(layout: torch.layout, device: str, requires_grad: bool = False) -> torch.Tensor:
    parts = [torch.arange(6.0, device=device).view(2, 3), torch.ones(4, 3, device=device)]
    return torch.nested.nested_tensor(parts, layout=layout, requires_grad=requires_grad)


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_what_is_computed_is_nested(layout: torch.layout) -> None:
    """Operators take the device of the parts. Reference: nested.rst"""
    x = nested(layout, "cuda")
    assert x.is_cuda and x.is_nested and [part.device.type for part in x.unbind()] == ["cuda"] * 2
    padded = torch.nested.to_padded_tensor((x + x).relu(), 7.0)
    assert padded.is_cuda and padded.shape == (2, 4, 3) and padded.sum().item() == 54 + 6 * 7
    assert (x * 2).unbind()[1].sum().item() == 24
    assert "cuda:0" in str(x)


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_nested_tensors_move(layout: torch.layout) -> None:
    """to() and cpu() move all parts. Reference: nested.rst"""
    x = nested(layout, "cpu").cuda()
    assert x.is_cuda and x.cpu().unbind()[0].tolist() == [[0, 1, 2], [3, 4, 5]] and not x.cpu().is_cuda


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_gradients_of_nested_tensors(layout: torch.layout) -> None:
    """backward() through a layer. Reference: nested.rst"""
    gradients = []
    for device in ("cpu", "cuda"):
        torch.manual_seed(0)
        layer, x = nn.Linear(3, 2).to(device), nested(layout, device, requires_grad=True)
        torch.nested.to_padded_tensor(layer(x).relu(), 0.0).sum().backward()
        assert x.grad is not None and x.grad.is_nested and layer.weight.grad is not None
        gradients.append((layer.weight.grad.tolist(), [part.tolist() for part in x.grad.unbind()]))
    assert gradients[0] == gradients[1]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_nested_tensors_are_not_mixed(layout: torch.layout) -> None:
    """Operands are on one device. Reference: notes/cuda.rst"""
    with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
        nn.Linear(3, 2)(nested(layout, "cuda"))


def test_an_encoder_leaves_padding_out() -> None:
    """The fast path of TransformerEncoder nests its input. Reference: generated/torch.nn.TransformerEncoder"""
    torch.manual_seed(0)
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, batch_first=True), 1).eval()
    x, mask = torch.rand(2, 3, 8), torch.tensor([[False, False, True], [False, False, False]])
    with torch.no_grad():
        expected = encoder(x, src_key_padding_mask=mask)
        result = encoder.cuda()(x.cuda(), src_key_padding_mask=mask.cuda())
    assert result.is_cuda
    torch.testing.assert_close(result.cpu(), expected)


def test_quantization_aware_training() -> None:
    """prepare_qat observes and rounds on the device. Reference: quantization.rst"""
    losses = []
    for device in ("cpu", "cuda"):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Conv2d(2, 3, 3), nn.ReLU()).train()
        model.qconfig = torch.ao.quantization.get_default_qat_qconfig("fbgemm")  # type: ignore[assignment]
        model = torch.ao.quantization.prepare_qat(model).to(device)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        for _ in range(2):
            loss = model(torch.ones(1, 2, 5, 5, device=device)).sum()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        assert {value.device.type for value in model.state_dict().values()} == {device}
    assert losses[:2] == losses[2:] and losses[0] != losses[1]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16], ids=str)
@pytest.mark.parametrize("backend", list(map(SDPBackend, range(4))), ids=str)
def test_a_choice_of_attention_kernels(backend: SDPBackend, dtype: torch.dtype) -> None:
    """Flash and cuDNN need half precision, efficient and math do not. Reference: generated/torch.nn.attention.SDPBackend"""
    q = torch.ones(1, 2, 4, 8, device="cuda", dtype=dtype)
    needs_half = backend in (SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION)
    with sdpa_kernel(backend):
        if needs_half and dtype is torch.float32:
            with pytest.raises(RuntimeError, match="No available kernel. Aborting execution"):
                nn.functional.scaled_dot_product_attention(q, q, q)
        else:
            assert nn.functional.scaled_dot_product_attention(q, q, q).eq(1).all()
