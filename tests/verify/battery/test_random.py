"""Random numbers on the device."""

from __future__ import annotations

import pytest
import torch


def test_seeding_makes_them_repeat() -> None:
    """torch.manual_seed seeds all devices. Reference: notes/randomness.rst"""
    torch.manual_seed(3)
    first = torch.rand(4, device="cuda")
    torch.manual_seed(3)
    assert torch.equal(first, torch.rand(4, device="cuda"))


def test_a_generator_of_the_device() -> None:
    """torch.Generator(device="cuda"). Reference: generated/torch.Generator"""
    generator = torch.Generator(device="cuda")
    assert generator.device == torch.device("cuda")
    assert torch.Generator(device="cuda:0").device == torch.device("cuda", 0)
    assert isinstance(generator, torch.Generator)
    generator.manual_seed(5)
    first = torch.rand(3, device="cuda", generator=generator)
    assert torch.equal(first, torch.rand(3, device="cuda", generator=generator.manual_seed(5)))
    assert generator.initial_seed() == 5


@pytest.mark.parametrize(("of", "on"), [("cpu", "cuda"), ("cuda", "cpu")])
def test_a_generator_of_another_device_is_refused(of: str, on: str) -> None:
    """The generator must be of the tensor's device. Reference: aten/src/ATen/core/Generator.h"""
    generator = torch.Generator(device=of)
    with pytest.raises(RuntimeError, match=f"Expected a '{on}' device type for generator but found '{of}'"):
        torch.rand(3, device=on, generator=generator)
    with pytest.raises(RuntimeError, match=f"Expected a '{on}' device type for generator but found '{of}'"):
        torch.randn(3, device=on, generator=generator)
    with pytest.raises(RuntimeError, match=f"Expected a '{on}' device type for generator but found '{of}'"):
        torch.empty(3, device=on).normal_(generator=generator)
    with pytest.raises(RuntimeError, match=f"Expected a '{on}' device type for generator but found '{of}'"):
        torch.randperm(3, device=on, generator=generator)


def test_states_can_be_saved_and_restored() -> None:
    """torch.cuda.get_rng_state is a CPU byte tensor. Reference: cuda.rst"""
    state = torch.cuda.get_rng_state()
    assert (state.device.type, state.dtype) == ("cpu", torch.uint8)
    first = torch.rand(3, device="cuda")
    torch.cuda.set_rng_state(state)
    assert torch.equal(first, torch.rand(3, device="cuda"))
    states = torch.cuda.get_rng_state_all()
    assert len(states) == 2
    torch.cuda.set_rng_state_all(states)


def test_forking_keeps_the_state() -> None:
    """torch.random.fork_rng covers devices. Reference: random.rst"""
    state = torch.cuda.get_rng_state()
    with torch.random.fork_rng(devices=[0, 1]):
        torch.rand(3, device="cuda")
    assert torch.equal(state, torch.cuda.get_rng_state())


def test_seeding_of_cuda_alone() -> None:
    """torch.cuda.manual_seed, manual_seed_all, seed, initial_seed. Reference: cuda.rst"""
    torch.cuda.manual_seed(1)
    torch.cuda.manual_seed_all(1)
    assert isinstance(torch.cuda.initial_seed(), int)


def test_distributions_live_on_the_device() -> None:
    """torch.distributions follow their parameters. Reference: distributions.rst"""
    mean, deviation = torch.zeros(2, device="cuda"), torch.ones(2, device="cuda")
    normal = torch.distributions.Normal(mean, deviation)
    assert normal.sample().is_cuda
    assert normal.log_prob(mean).is_cuda
    categorical = torch.distributions.Categorical(logits=mean)
    assert categorical.sample().is_cuda
    assert torch.distributions.Bernoulli(torch.full((2,), 0.5, device="cuda")).sample().is_cuda


def test_in_place_and_functional_sampling() -> None:
    """normal_, uniform_, bernoulli, multinomial, dropout. Reference: torch.rst (Random sampling)"""
    x = torch.empty(100, device="cuda")
    for filled in (
        x.normal_(),
        x.uniform_(),
        x.bernoulli_(0.5),
        x.exponential_(),
        x.random_(5),
        x.cauchy_(),
        x.geometric_(0.5),
    ):
        assert filled is x
    assert torch.bernoulli(torch.full((3,), 0.5, device="cuda")).is_cuda
    assert torch.multinomial(torch.ones(4, device="cuda"), 2).shape == (2,)
    assert torch.normal(torch.zeros(3, device="cuda"), 1.0).is_cuda
    assert torch.poisson(torch.ones(3, device="cuda")).is_cuda
    dropped = torch.nn.functional.dropout(torch.ones(1000, device="cuda"), 0.5)
    assert set(dropped.tolist()) == {0.0, 2.0}


def test_shared_streams_draw_what_the_cpu_draws() -> None:
    """Not as CUDA, by choice: see docs/simulator.md. Reference: notes/randomness.rst (devices differ on real hardware)"""
    torch.manual_seed(7)
    on_device = torch.randn(5, device="cuda")
    torch.manual_seed(7)
    assert torch.equal(on_device.cpu(), torch.randn(5))
