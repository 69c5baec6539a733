"""What CUDA refuses or reports and the CPU does not."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator

import pytest
import torch
from torch.nn import functional as F

from devlint.verify.sim import memory_counters

pytestmark = pytest.mark.usefixtures("simulation")

NOT_DETERMINISTIC: dict[str, Callable[[torch.Tensor, torch.Tensor], object]] = {
    "AvgPool3d": lambda x, v: F.avg_pool3d(v, 2).sum().backward(),
    "AdaptiveAvgPool2d": lambda x, v: F.adaptive_avg_pool2d(x, 3).sum().backward(),
    "AdaptiveAvgPool3d": lambda x, v: F.adaptive_avg_pool3d(v, 3).sum().backward(),
    "AdaptiveMaxPool2d": lambda x, v: F.adaptive_max_pool2d(x, 3).sum().backward(),
    "FractionalMaxPool2d": lambda x, v: F.fractional_max_pool2d(x, 2, 3).sum().backward(),
    "FractionalMaxPool3d": lambda x, v: F.fractional_max_pool3d(v, 2, 2).sum().backward(),
    "MaxUnpool2d": lambda x, v: F.max_unpool2d(*F.max_pool2d(x.detach(), 2, return_indices=True), 2),
    "bicubic": lambda x, v: F.interpolate(x, scale_factor=2, mode="bicubic").sum().backward(),
    "ReflectionPad1d": lambda x, v: F.pad(x[0], (1, 1), mode="reflect").sum().backward(),
    "ReflectionPad2d": lambda x, v: F.pad(x, (1, 1, 1, 1), mode="reflect").sum().backward(),
    "ReflectionPad3d": lambda x, v: F.pad(v, (1,) * 6, mode="reflect").sum().backward(),
    "NLLLoss": lambda x, v: F.nll_loss(x, torch.zeros(2, 8, 8, dtype=torch.long, device="cuda")),
    "EmbeddingBag": lambda x, v: (
        F.embedding_bag(torch.tensor([[0, 1]], device="cuda"), x[0, 0], mode="max").sum().backward()
    ),
    "put_": lambda x, v: x.detach().put_(torch.tensor([0], device="cuda"), torch.ones(1, device="cuda")),
    "histc": lambda x, v: torch.histc(x.detach(), 4),
    "bincount": lambda x, v: torch.bincount(torch.tensor([1], device="cuda"), torch.ones(1, device="cuda")),
    "median": lambda x, v: x.detach().median(0),
    "grid_sample": lambda x, v: (
        F.grid_sample(x, torch.rand(2, 4, 4, 2, device="cuda"), align_corners=False).sum().backward()
    ),
    "cumsum": lambda x, v: x.detach().cumsum(0),
    "scatter_reduce": lambda x, v: x.detach().scatter_reduce(0, x.detach().long() * 0, x.detach(), "prod"),
}


@pytest.fixture
def deterministic() -> Iterator[None]:
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)


@pytest.mark.parametrize("name", NOT_DETERMINISTIC)
def test_what_is_not_deterministic_raises(name: str, deterministic: None) -> None:
    x = torch.randn(2, 3, 8, 8, device="cuda", requires_grad=True)
    v = torch.randn(1, 1, 4, 4, 4, device="cuda", requires_grad=True)
    with pytest.raises(RuntimeError, match="does not have a deterministic implementation"):
        NOT_DETERMINISTIC[name](x, v)


def test_what_is_deterministic_does_not(deterministic: None) -> None:
    x = torch.randn(2, 3, 8, 8, device="cuda", requires_grad=True)
    F.conv2d(x, torch.ones(1, 3, 2, 2, device="cuda")).sum().backward()
    F.pad(x, (1, 1, 1, 1), mode="replicate").sum().backward()
    F.cross_entropy(x[:, :, 0, 0], torch.tensor([0, 1], device="cuda")).backward()
    assert torch.arange(3, device="cuda").cumsum(0).tolist() == [0, 1, 3]


def test_what_is_not_deterministic_warns_if_asked_to() -> None:
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        with pytest.warns(
            UserWarning, match="_histc_cuda with floating point input does not have a deterministic implementation"
        ):
            torch.histc(torch.rand(3, device="cuda"), 4)
    finally:
        torch.use_deterministic_algorithms(False)


WAITING: dict[str, Callable[[torch.Tensor], object]] = {
    "item": lambda x: x.sum().item(),
    "bool": lambda x: bool(x.sum() > 0),
    "tolist": lambda x: x.tolist(),
    "cpu": lambda x: x.cpu(),
    "numpy": lambda x: x.cpu().numpy(),
    "print": repr,
    "nonzero": lambda x: x.nonzero(),
    "a mask": lambda x: x[x > 0],
    "masked_select": lambda x: x.masked_select(x > 0),
    "unique": lambda x: x.unique(),
    "equal": lambda x: torch.equal(x, x),
    "from the CPU": lambda x: torch.ones(2).to("cuda"),
}


@pytest.mark.parametrize("name", WAITING)
def test_hidden_waiting_is_reported(name: str) -> None:
    x = torch.ones(3, device="cuda")
    try:
        torch.cuda.set_sync_debug_mode("error")
        assert torch.cuda.get_sync_debug_mode() == 2
        with pytest.raises(RuntimeError, match="called a synchronizing CUDA operation"):
            WAITING[name](x)
        torch.cuda.set_sync_debug_mode("warn")
        with pytest.warns(UserWarning, match="called a synchronizing CUDA operation"):
            WAITING[name](x)
    finally:
        torch.cuda.set_sync_debug_mode("default")


def test_what_does_not_wait_is_not_reported() -> None:
    x = torch.ones(3, device="cuda", requires_grad=True)
    pinned = torch.ones(3).pin_memory()
    torch.cuda.set_sync_debug_mode("error")
    try:
        (x * 2 + torch.zeros(3, device="cuda")).sum().backward()
        pinned.to("cuda", non_blocking=True)
        x.detach().where(x > 0, 0)
        x.detach().repeat_interleave(torch.ones(3, dtype=torch.int64, device="cuda"), output_size=3)
        torch.cuda.synchronize()
    finally:
        torch.cuda.set_sync_debug_mode("default")


BEYOND: dict[str, Callable[[torch.Tensor, torch.Tensor], object]] = {
    "index": lambda x, i: x[i],
    "index_put": lambda x, i: x.index_put((i,), x[:1, 0]),
    "index_select": lambda x, i: x.index_select(0, i),
    "gather": lambda x, i: x.gather(0, i[:, None]),
    "scatter": lambda x, i: x.scatter(0, i[:, None], 1.0),
    "index_add": lambda x, i: x.index_add(0, i, x[:1]),
    "embedding": lambda x, i: F.embedding(i, x),
    "cross_entropy": lambda x, i: F.cross_entropy(x[:1], i),
    "multi_margin_loss": lambda x, i: F.multi_margin_loss(x[:1], i),
    "embedding_bag": lambda x, i: F.embedding_bag(i, x, i * 0),
    "max_unpool2d": lambda x, i: F.max_unpool2d(x[:1, :1, None], i[:, None, None], 2),
    "max_unpool3d": lambda x, i: F.max_unpool3d(x[None, :1, :1, None], i[:, None, None, None] + 1, 2),
}


@pytest.mark.parametrize("name", BEYOND)
def test_an_index_out_of_range_is_an_error_of_cuda(name: str) -> None:
    x, index = torch.ones(3, 4, device="cuda"), torch.tensor([7], device="cuda")
    with pytest.raises(torch.AcceleratorError, match="device-side assert triggered"):
        BEYOND[name](x, index)


@pytest.mark.parametrize("name", ["bernoulli", "bernoulli_", "poisson", "multinomial"])
def test_a_probability_that_is_none_is_an_error_of_cuda(name: str) -> None:
    wrong = torch.tensor([-1.0, 3.0], device="cuda")
    programs: dict[str, Callable[[], object]] = {
        "bernoulli": lambda: torch.bernoulli(wrong),
        "bernoulli_": lambda: torch.zeros(2, device="cuda").bernoulli_(wrong),
        "poisson": lambda: torch.poisson(wrong),
        "multinomial": lambda: torch.multinomial(wrong, 1),
    }
    with pytest.raises(torch.AcceleratorError, match="device-side assert triggered"):
        programs[name]()
    with pytest.raises(RuntimeError, match=r"expects p to be in \[0, 1\]"):
        torch.zeros(2, device="cuda").bernoulli_(3.0)  # a number is looked at by the host


def test_a_dimension_or_a_plain_index_out_of_range_is_pythons_error() -> None:
    x = torch.ones(3, device="cuda")
    with pytest.raises(IndexError, match="Dimension out of range"):
        x.index_select(3, torch.tensor([0], device="cuda"))
    with pytest.raises(IndexError, match="out of bounds for dimension 0"):
        x[7]


def test_whole_numbers_divided_by_zero_are_no_error() -> None:
    x, zero = torch.tensor([5, 6], device="cuda"), torch.tensor([0, 2], device="cuda")
    assert (x // zero).tolist()[1] == 3
    assert (x % zero).tolist()[1] == 0
    for divided in (
        x % 0,
        x // 0,
        x.fmod(0),
        7 % zero,
        torch.div(x, 0, rounding_mode="trunc"),
        x.clone().remainder_(0),
    ):
        assert divided.is_cuda and divided.shape == (2,)
    assert torch.div(x, zero, rounding_mode="trunc").tolist()[1] == 3


def test_more_memory_than_there_is(no_garbage: None) -> None:
    total = torch.cuda.get_device_properties(0).total_memory
    with pytest.raises(torch.cuda.OutOfMemoryError, match="CUDA out of memory. Tried to allocate 32.00 GiB. GPU 0"):
        torch.empty(total * 2, dtype=torch.int8, device="cuda")
    free, all_of_it = torch.cuda.mem_get_info()
    x = torch.ones(1 << 18, device="cuda")
    assert all_of_it == total and free - torch.cuda.mem_get_info()[0] == x.nbytes


def test_types_that_only_one_of_the_devices_has() -> None:
    whole = torch.ones(2, 2, dtype=torch.long, device="cuda")
    for refused in (
        lambda: whole @ whole,
        lambda: whole.mv(whole[0]),
        lambda: F.linear(whole, whole),
        lambda: torch.einsum("ij,jk", whole, whole),
    ):
        with pytest.raises(NotImplementedError, match="cuda\" not implemented for 'Long'"):
            refused()
    with pytest.raises(NotImplementedError, match="not implemented for 'Half'"):
        torch.linalg.cholesky(torch.eye(2, dtype=torch.float16, device="cuda"))  # nor has the CPU a kernel
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        half = torch.tensor([1.0, 2.0], dtype=torch.complex32, device="cuda")
        assert half.cos().dtype is torch.complex32
        assert torch.fft.rfft(torch.ones(8, dtype=torch.float16, device="cuda")).dtype is torch.complex32
        spectrum = torch.fft.hfft(torch.ones(5, dtype=torch.complex32, device="cuda"))
        assert spectrum.dtype is torch.float16
    assert torch.ones(2, dtype=torch.bool, device="cuda").abs().all()
    assert torch.histc(torch.tensor([1, 2], device="cuda"), 2).tolist() == [1, 1]
    assert torch.tensor([1 + 1j, complex("nan")], device="cuda").nansum().item() == 1 + 1j


def test_lerp_takes_a_weight_from_the_cpu_and_least_squares_one_driver() -> None:
    x = torch.ones(3, device="cuda")
    assert torch.lerp(x, x + 1, torch.tensor(0.5)).tolist() == [1.5] * 3
    with pytest.raises(RuntimeError, match="same device"):
        torch.lerp(x, torch.tensor(1.0), torch.tensor(0.5))
    a = torch.eye(3, device="cuda")
    assert torch.linalg.lstsq(a, a).solution.tolist() == a.tolist()
    with pytest.raises(RuntimeError, match="other than `gels`"):
        torch.linalg.lstsq(a, a, driver="gelsd")


def test_settings_of_the_allocator_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_counters, "_fractions", {})
    monkeypatch.setenv("PYTORCH_CUDA_ALLOC_CONF", "backend:cudaMallocAsync, per_process_memory_fraction:0.001")
    assert torch.cuda.get_allocator_backend() == "cudaMallocAsync"
    assert torch.cuda.get_per_process_memory_fraction() == 0.001
    with pytest.raises(torch.cuda.OutOfMemoryError):
        torch.empty(1 << 29, dtype=torch.uint8, device="cuda")
    monkeypatch.setenv("PYTORCH_ALLOC_CONF", "per_process_memory_fraction:1.5")  # the newer name comes first
    memory_counters._fractions.clear()
    with pytest.raises(ValueError, match="per_process_memory_fraction is invalid:1.5"):
        torch.cuda.get_per_process_memory_fraction()
