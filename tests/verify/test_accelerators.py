"""What is for real accelerators, tried with the simulated one in their place: no real one has been at hand."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from typing import Any

import pytest
import torch

from devlint.verify import simulated_cuda
from devlint.verify.child.random_replay import CopyCounter, RandomReplay
from devlint.verify.matrix import FACTOR, Task, verify
from devlint.verify.program import Limits, Program, Setting
from tests.verify.test_differences import seen, state, tensor

DRAWS = {
    "randn": lambda device: torch.randn(3, 2, device=device),
    "rand_like": lambda device: torch.rand_like(torch.zeros(4, device=device)),
    "randint": lambda device: torch.randint(0, 99, (5,), device=device),
    "randperm": lambda device: torch.randperm(9, device=device),
    "normal_": lambda device: torch.zeros(4, device=device).normal_(),
    "bernoulli": lambda device: torch.bernoulli(torch.full((9,), 0.5, device=device)),
    "multinomial": lambda device: torch.multinomial(torch.ones(9, device=device), 4),
    "dropout": lambda device: torch.nn.functional.dropout(torch.ones(20, device=device), 0.3),
    "out=": lambda device: torch.normal(0.0, torch.ones(3, device=device), out=torch.zeros(3, device=device)),
    "a generator": lambda device: torch.rand(3, device=device, generator=torch.Generator(device).manual_seed(7)),
    "weights": lambda device: torch.nn.init.kaiming_uniform_(torch.empty(3, 2, device=device)),
}


@pytest.mark.parametrize("name", DRAWS)
def test_random_numbers_of_a_device_are_those_of_the_cpu(name: str) -> None:
    torch.manual_seed(3)
    expected, after = DRAWS[name]("cpu"), torch.rand(1)
    with simulated_cuda(rng="separate"):
        torch.manual_seed(3)
        with RandomReplay():
            drawn, behind = DRAWS[name]("cuda"), torch.rand(1)
        assert drawn.is_cuda and torch.equal(drawn.cpu(), expected) and torch.equal(behind, after)


def test_copies_are_counted() -> None:
    with simulated_cuda(), CopyCounter() as counter:
        x = torch.ones(3).cuda()
        x.cpu()
        x.sum().item()
        torch.zeros(3, device="cuda").copy_(torch.ones(3))
        x.to("cuda")
    assert counter.copies == {"h2d": 2, "d2h": 2}


class Recorded:
    """Answers from a table in place of an observer, and knows what it was asked."""

    accelerators = ("cuda",)

    def __init__(self, answers: dict[tuple[str, str], Any]) -> None:
        self.answers = answers
        self.asked: list[tuple[str, Setting]] = []

    def ahead(self, runs: Iterable[tuple[Program, Setting]]) -> None:
        pass

    def give_up(self) -> None:
        pass

    def observe(self, program: Program, setting: Setting, again: bool = False) -> Any:
        self.asked.append((program.path, setting))
        return self.answers[program.path, setting.name]


def test_a_real_gpu_is_compared_with_itself_and_with_the_cpu() -> None:
    task = Task("t", Program("old"), Program("new"))
    near = state(x=tensor(1.0001, device="cpu"))
    answers = {("old", "cuda"): state(x=tensor()), ("new", "cuda"): state(x=tensor()), ("new", "cpu"): near}
    observer = Recorded(answers)
    verdict = verify(observer, task, ("cuda",))  # type: ignore[arg-type]
    assert [(one.setting, one.title) for one in verdict.outcomes] == [("cuda", "same"), ("cuda and cpu", "same")]
    assert observer.asked == [
        ("old", Setting("cuda")),
        ("new", Setting("cuda")),
        ("old", Setting("cuda", autocast=False, replay=True, within_tolerance=True)),
        ("new", Setting("cpu", autocast=False, within_tolerance=True)),
    ]
    answers["new", "cuda"] = state(x=tensor(1.0000001))
    answers["new", "cpu"] = state(x=tensor(1.1))
    verdict = verify(observer, task, ("cuda",))  # type: ignore[arg-type]
    assert [one.title for one in verdict.outcomes] == ["value differs"] * 2
    assert FACTOR == 100 and Limits().network is False


def test_a_gpu_that_is_not_used_any_more_is_told() -> None:
    answers = {
        ("old", "cuda"): state(x=tensor()),
        ("new", "cuda"): state(x=tensor(device="cpu")),
        ("new", "cpu"): seen(),
    }
    verdict = verify(Recorded(answers), Task("t", Program("old"), Program("new")), ("cuda",))  # type: ignore[arg-type]
    assert verdict.outcomes[0].title == "device differs"


@pytest.mark.slow
def test_real_accelerators_can_be_hidden() -> None:
    program = (
        "import torch\nfrom devlint.verify.simulation import install\nfrom devlint.verify.child.computer import hide_accelerators\n"
        "install(2)\nassert torch.cuda.device_count() == 2\nhide_accelerators()\n"
        "print(torch.cuda.is_available(), torch.cuda.device_count(), torch.accelerator.is_available(), "
        "torch.accelerator.current_accelerator(), torch.backends.mps.is_available())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    # A CUDA build without a visible GPU still names the accelerator that it was built for.
    assert done.stdout == "False 0 False cuda False\n", done.stderr
