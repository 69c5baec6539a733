"""Modules, optimisers and losses on the device."""

from __future__ import annotations

import copy

import pytest
import torch
import torch.nn.functional as F
from torch import nn


def test_a_module_moves_in_place() -> None:
    """Module.cuda() and .to() change the module and return it; parameters stay the same objects. Reference: nn.rst"""
    layer = nn.Linear(2, 2)
    weight = layer.weight
    assert layer.cuda() is layer
    assert layer.weight is weight
    assert weight.is_cuda
    assert layer.to("cuda:1").weight.get_device() == 1
    assert layer.to(0).weight.get_device() == 0
    assert layer.to(device="cpu").weight.device.type == "cpu"
    assert layer.cuda(1).bias.get_device() == 1
    assert layer.cpu().weight is weight


def test_buffers_move_and_plain_attributes_do_not() -> None:
    """A module moves parameters and buffers only. Reference: generated/torch.nn.Module"""

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("buffer", torch.ones(1))
            self.plain = torch.ones(1)

    net = Net().cuda()
    assert net.buffer.is_cuda
    assert not net.plain.is_cuda


def test_gradients_move_with_parameters() -> None:
    """Module.to moves .grad too. Reference: torch/nn/modules/module.py"""
    layer = nn.Linear(2, 1)
    layer(torch.ones(1, 2)).sum().backward()
    layer.cuda()
    assert layer.weight.grad is not None
    assert layer.weight.grad.is_cuda


def test_modules_are_made_on_a_device() -> None:
    """device= of a module's constructor. Reference: generated/torch.nn.Linear"""
    assert nn.Linear(2, 2, device="cuda:1").weight.get_device() == 1
    assert nn.LSTM(2, 2, device="cuda").weight_hh_l0.is_cuda
    with torch.device("meta"):
        layer = nn.Linear(2, 2)
    assert layer.to_empty(device="cuda").weight.is_cuda


LAYERS = {
    "linear": (lambda: nn.Linear(4, 3), (2, 4)),
    "bilinear": (lambda: nn.Bilinear(4, 4, 2), None),
    "conv1d": (lambda: nn.Conv1d(2, 3, 2), (1, 2, 5)),
    "conv2d": (lambda: nn.Conv2d(2, 3, 2, padding=1), (1, 2, 5, 5)),
    "conv3d": (lambda: nn.Conv3d(1, 2, 2), (1, 1, 3, 3, 3)),
    "conv transposed": (lambda: nn.ConvTranspose2d(2, 3, 2), (1, 2, 3, 3)),
    "batch norm": (lambda: nn.BatchNorm1d(4), (3, 4)),
    "layer norm": (lambda: nn.LayerNorm(4), (2, 4)),
    "group norm": (lambda: nn.GroupNorm(2, 4), (2, 4, 3)),
    "instance norm": (lambda: nn.InstanceNorm2d(2, affine=True), (1, 2, 3, 3)),
    "rnn": (lambda: nn.RNN(3, 4), (5, 2, 3)),
    "lstm": (lambda: nn.LSTM(3, 4, num_layers=2, bidirectional=True), (5, 2, 3)),
    "gru": (lambda: nn.GRU(3, 4, batch_first=True), (2, 5, 3)),
    "prelu": (lambda: nn.PReLU(), (2, 4)),
    "transformer": (lambda: nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True), (2, 3, 4)),
    "max pool": (lambda: nn.MaxPool2d(2), (1, 1, 4, 4)),
    "adaptive pool": (lambda: nn.AdaptiveAvgPool2d(1), (1, 2, 4, 4)),
    "upsample": (lambda: nn.Upsample(scale_factor=2, mode="bilinear"), (1, 1, 3, 3)),
    "gelu": (lambda: nn.GELU(), (2, 4)),
}


@pytest.mark.parametrize("name", LAYERS)
def test_layers_compute_and_differentiate(name: str) -> None:
    """Every layer runs on CUDA, forward and backward. Reference: nn.rst"""
    make, shape = LAYERS[name]
    layer = make()
    twin = copy.deepcopy(layer).cuda()
    inputs = [torch.randn(2, 4)] * 2 if shape is None else [torch.randn(*shape)]
    results = []
    for module, place in ((layer, "cpu"), (twin, "cuda")):
        given = [x.detach().to(place).requires_grad_() for x in inputs]
        output = module(*given)
        output = output[0] if isinstance(output, tuple) else output
        (output * output).sum().backward()
        assert output.device.type == place
        assert given[0].grad is not None
        results.append([output, *(x.grad for x in given), *(p.grad for p in module.parameters())])
    for on_cpu, on_device in zip(*results):
        torch.testing.assert_close(on_cpu, on_device.cpu())


LOSSES = {
    "cross entropy": lambda x, t: F.cross_entropy(x, t.argmax(1)),
    "nll": lambda x, t: F.nll_loss(F.log_softmax(x, 1), t.argmax(1)),
    "mse": F.mse_loss,
    "l1": F.l1_loss,
    "smooth l1": F.smooth_l1_loss,
    "huber": F.huber_loss,
    "bce with logits": F.binary_cross_entropy_with_logits,
    "kl": lambda x, t: F.kl_div(F.log_softmax(x, 1), t, reduction="batchmean"),
    "cosine": lambda x, t: F.cosine_similarity(x, t).mean(),
    "triplet": lambda x, t: F.triplet_margin_loss(x, t, t.flip(0)),
    "hinge": lambda x, t: F.hinge_embedding_loss(x, t.sign()),
}


@pytest.mark.parametrize("name", LOSSES)
def test_losses(name: str) -> None:
    """Losses are computed where their operands are. Reference: nn.functional.rst (Loss functions)"""
    x, target = torch.randn(3, 4), torch.rand(3, 4)
    on_device = LOSSES[name](x.cuda(), target.cuda())
    assert on_device.is_cuda
    torch.testing.assert_close(on_device.cpu(), LOSSES[name](x, target))


OPTIMIZERS = ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "Adamax", "NAdam", "RAdam", "Rprop", "ASGD"]


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimisers(name: str) -> None:
    """An optimiser's state lives where the parameters are. Reference: optim.rst"""
    results = []
    for place in ("cpu", "cuda"):
        torch.manual_seed(0)
        layer = nn.Linear(3, 2).to(place)
        optimizer = getattr(torch.optim, name)(layer.parameters(), lr=0.01)
        for _ in range(3):
            optimizer.zero_grad()
            layer(torch.ones(4, 3, device=place)).square().sum().backward()
            optimizer.step()
        state = next(iter(optimizer.state.values()), {})
        tensors = [value for value in state.values() if torch.is_tensor(value) and value.dim()]
        assert all(value.device.type == place for value in tensors)
        results.append(layer.weight.detach().cpu())
    torch.testing.assert_close(*results)


def test_fused_and_foreach_optimisers() -> None:
    """fused=True and foreach=True work on CUDA. Reference: optim.rst"""
    for options in ({"foreach": True}, {"fused": True}, {"capturable": True}):
        layer = nn.Linear(2, 1).cuda()
        optimizer = torch.optim.Adam(layer.parameters(), **options)
        layer(torch.ones(1, 2, device="cuda")).sum().backward()
        before = layer.weight.detach().clone()
        optimizer.step()
        assert not torch.equal(before, layer.weight)


def test_schedulers_and_clipping() -> None:
    """clip_grad_norm_ and schedulers. Reference: optim.rst"""
    layer = nn.Linear(2, 1).cuda()
    layer(torch.ones(1, 2, device="cuda")).sum().backward()
    norm = nn.utils.clip_grad_norm_(layer.parameters(), 0.1)
    assert norm.is_cuda
    nn.utils.clip_grad_value_(layer.parameters(), 0.01)
    assert layer.weight.grad is not None
    assert layer.weight.grad.abs().max() <= 0.01 + 1e-6


def test_an_optimisers_state_follows_its_parameters_when_loaded() -> None:
    """load_state_dict casts the state to the parameter's device. Reference: generated/torch.optim.Optimizer.load_state_dict"""
    layer = nn.Linear(2, 1)
    optimizer = torch.optim.Adam(layer.parameters())
    layer(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    moved = nn.Linear(2, 1).cuda()
    other = torch.optim.Adam(moved.parameters())
    other.load_state_dict(optimizer.state_dict())
    assert next(iter(other.state.values()))["exp_avg"].is_cuda


def test_state_dicts_cross_devices() -> None:
    """load_state_dict copies into the module's device. Reference: generated/torch.nn.Module"""
    layer = nn.Linear(2, 2).cuda()
    layer.load_state_dict(nn.Linear(2, 2).state_dict())
    assert layer.weight.is_cuda
    assert all(value.is_cuda for value in layer.state_dict().values())


def test_functional_calls() -> None:
    """torch.func.functional_call. Reference: func.rst"""
    layer = nn.Linear(2, 1).cuda()
    assert torch.func.functional_call(layer, dict(layer.named_parameters()), torch.ones(1, 2, device="cuda")).is_cuda


def test_data_parallel() -> None:
    """DataParallel scatters the batch over the devices and gathers the output. Reference: generated/torch.nn.DataParallel"""
    seen: list[torch.device] = []

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = nn.Linear(3, 2)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            seen.append(x.device)
            return self.linear(x)  # type: ignore[no-any-return]

    net = nn.DataParallel(Net().cuda())
    output = net(torch.ones(4, 3, device="cuda"))
    assert (output.shape, output.device) == ((4, 2), torch.device("cuda", 0))
    assert {device.index for device in seen} == {0, 1}
    output.sum().backward()
    assert net.module.linear.weight.grad.tolist() == [[4, 4, 4], [4, 4, 4]]


def test_data_parallel_wants_its_module_on_the_first_device() -> None:
    """Parameters must be on device_ids[0]. Reference: generated/torch.nn.DataParallel"""
    net = nn.DataParallel(nn.Linear(2, 2).to("cuda:1"), device_ids=[0, 1])
    with pytest.raises(RuntimeError, match="module must have its parameters and buffers on device cuda:0"):
        net(torch.ones(4, 2, device="cuda"))


def test_packed_sequences() -> None:
    """Packed sequences move; lengths stay on the CPU. Reference: generated/torch.nn.utils.rnn.pack_padded_sequence"""
    x, lengths = torch.randn(3, 2, 4, device="cuda"), torch.tensor([3, 1])
    packed = nn.utils.rnn.pack_padded_sequence(x, lengths)
    assert packed.data.is_cuda
    assert not packed.batch_sizes.is_cuda
    output, _ = nn.LSTM(4, 5).cuda()(packed)
    padded, sizes = nn.utils.rnn.pad_packed_sequence(output)
    assert padded.is_cuda
    assert sizes.tolist() == [3, 1]
    with pytest.raises(RuntimeError, match="lengths.* should be a 1D CPU int64 tensor"):
        nn.utils.rnn.pack_padded_sequence(x, lengths.cuda())


def test_attention() -> None:
    """scaled_dot_product_attention and MultiheadAttention. Reference: generated/torch.nn.functional.scaled_dot_product_attention"""
    q = torch.randn(1, 2, 3, 4, device="cuda", requires_grad=True)
    output = F.scaled_dot_product_attention(q, q, q, is_causal=True)
    output.sum().backward()
    assert output.is_cuda
    attention = nn.MultiheadAttention(4, 2, batch_first=True).cuda()
    x = torch.randn(1, 3, 4, device="cuda")
    result, weights = attention(x, x, x)
    assert result.is_cuda
    assert weights.is_cuda
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        F.scaled_dot_product_attention(q, q, q)
