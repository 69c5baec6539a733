"""What the analysis says of small programs, and what PyTorch says of them on a simulated GPU."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator

import pytest

from devlint.analysis.places.results.missing_devices import missing_devices
from devlint.verify import simulated_cuda
from tests.analysis.places.programs import APART, MEET, RUN, program

pytest.importorskip("torch", reason="asks the simulated GPU")

MESSAGES = (
    "Expected all tensors to be on the same device",
    "indices should be either on cpu or on the same device as the indexed tensor",
    "meshgrid expects all tensors to have the same device",
    "Input and hidden tensors are not at the same device",
    "Attention bias and Query/Key/Value should be on the same device",
)
"""How PyTorch refuses operands of several devices."""


@pytest.fixture(scope="module")
def gpu() -> Iterator[None]:
    with simulated_cuda():
        yield


def said(body: str) -> str:
    """How the program with this body fails where there is a GPU; empty where it does not."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program(body) + RUN, "program", "exec"), {"__name__": "program"})
    return printed.getvalue()


@pytest.mark.parametrize("body", MEET)
def test_what_meets(body: str) -> None:
    assert len(missing_devices(program(body))) >= 1


@pytest.mark.parametrize("body", APART)
def test_what_does_not(body: str) -> None:
    assert missing_devices(program(body)) == ()


@pytest.mark.usefixtures("gpu")
@pytest.mark.parametrize("body", MEET)
def test_torch_refuses_what_meets(body: str) -> None:
    failure = said(body)
    assert any(one in failure for one in MESSAGES), failure


@pytest.mark.usefixtures("gpu")
@pytest.mark.parametrize("body", APART)
def test_torch_takes_what_does_not(body: str) -> None:
    assert said(body) == ""


@pytest.mark.usefixtures("gpu")
def test_torch_refuses_a_generator_of_another_device() -> None:
    torch = pytest.importorskip("torch")
    generator = torch.Generator(torch.device("cuda")).manual_seed(0)
    assert torch.rand(2, generator=generator, device="cuda").device.type == "cuda"
    with pytest.raises(RuntimeError, match="Expected a 'cpu' device type for generator but found 'cuda'"):
        torch.rand(2, generator=generator)
