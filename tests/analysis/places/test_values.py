"""What is known of the values of a program, held against what PyTorch gives on a simulated GPU."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from devlint.analysis.places.interpreter import Interpreter
from devlint.analysis.places.meetings import MeetingRecorder
from devlint.analysis.places.parameters import parameter_values
from devlint.analysis.places.summaries import FileSummaries
from devlint.analysis.places.values import (
    ANY,
    LEFT_ON_CPU,
    NUMBERS,
    PLAIN,
    SOME,
    UNKNOWN,
    Alternatives,
    Device,
    Function,
    InlineFunction,
    Instance,
    Items,
    Kind,
    Many,
    Mapping,
    Module,
    Tensor,
    TensorPlace,
    UnknownPart,
    Value,
)
from devlint.analysis.places.written.file_definitions import FileDefinitions
from devlint.verify import simulated_cuda
from tests.analysis.places.cases import cases, program_with

CASES = cases("cases", "r = ")


def known(body: str) -> Value | None:
    """What is known of ``r`` where the program has run; None where it does not get there, or gives it no value."""
    program = FileDefinitions(program_with(body), is_whole=True)
    function = program.definition("Net").method("forward")  # type: ignore[union-attr]
    summaries = FileSummaries(program)
    recorder = MeetingRecorder(summaries, function)
    names = parameter_values(program, function, recorder.is_in_module)
    after = Interpreter(summaries, recorder).run(function.node.body, names)
    return None if after is None else after.get("r")


def place_in_words(place: TensorPlace) -> str:
    return {
        Kind.CPU: f"cpu:{place.name}",
        Kind.ARGUMENT: place.name,
        Kind.DEVICE: f"<{place.name}>",
        Kind.MODULE: "module",
        Kind.ELSEWHERE: f"<{place.name or 'named'}>",
        Kind.ANYWHERE: "anywhere",
    }[place.kind]


def in_words(value: Value | None) -> str:
    """A value in one line: ``[2] cpu:ones`` for a tensor of two dimensions that ``torch.ones`` made on the CPU."""
    if value is None:
        return "not reached"
    simple = {id(PLAIN): "plain", id(NUMBERS): "numbers", id(UNKNOWN): "unknown"}.get(id(value))
    if simple:
        return simple
    if isinstance(value, (Tensor, Device, UnknownPart)):
        is_left = value.places == LEFT_ON_CPU
        places = "left on cpu" if is_left else " or ".join(sorted(map(place_in_words, value.places)))
        if not isinstance(value, Tensor):
            return f"{'device' if isinstance(value, Device) else 'perhaps'} {places}"
        rank = {SOME: "1..", ANY: "0.."}.get(value.rank, value.rank)
        return f"{'output ' if value.is_output else ''}[{rank}] {places}"
    if isinstance(value, Items):
        return f"({', '.join(map(in_words, value.elements))})"
    if isinstance(value, Many):
        return f"many {in_words(value.element)}"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {in_words(one)}' for key, one in value.items.items())}}}"
    if isinstance(value, Module):
        kind = value.definition.node.name if value.definition else value.kind or "?"
        return f"{'new ' if value.is_new else ''}module {kind}"
    if isinstance(value, Alternatives):
        return " or ".join(map(in_words, value.modules))
    if isinstance(value, (Instance, Function)):
        return f"{type(value).__name__.lower()} {value.definition.node.name}"
    assert isinstance(value, InlineFunction)
    return "lambda"


@pytest.mark.parametrize(("body", "expected"), CASES)
def test_what_is_known(body: str, expected: str) -> None:
    assert in_words(known(body)) == expected


def given(body: str) -> Any:
    """What ``r`` is when the program runs with a module and a tensor on one simulated GPU, and a device that is another."""
    import torch

    names: dict[str, Any] = {"__name__": "program"}
    exec(compile(program_with(body) + "        return r\n", "program", "exec"), names)
    net = names["Net"](3, torch.nn.Linear(4, 4)).cuda()
    x, z = torch.ones(2, 4).cuda(), torch.ones(2, 4).cuda()
    holder = torch.nn.Module()
    return asyncio.run(net(x, z, 2, torch.device("cuda:1"), holder))


def contradictions(value: Value | None, real: Any) -> Iterator[str]:
    """In what PyTorch gives something else than what is known."""
    import torch

    if isinstance(value, Tensor) and isinstance(real, torch.Tensor):
        least, most = {SOME: (1, 99), ANY: (0, 99)}.get(value.rank, (value.rank, value.rank))
        if real.dim() == 0 and least > 0 or least == most == 0 and real.dim() > 0:
            yield f"{in_words(value)} has {real.dim()} dimensions"
        if not any(may_be_at(one, real.device) for one in value.places):
            yield f"{in_words(value)} is on {real.device}"
    elif isinstance(value, Device) and isinstance(real, torch.device):
        if not any(may_be_at(one, real) for one in value.places):
            yield f"{in_words(value)} is {real}"
    elif isinstance(value, (Items, Many)) and isinstance(real, (tuple, list)):
        parts = value.elements if isinstance(value, Items) else [value.element] * len(real)
        if len(parts) != len(real):
            yield f"{in_words(value)} has {len(real)} elements"
        yield from itertools.chain(*map(contradictions, parts, real))
    elif isinstance(value, Mapping) and isinstance(real, dict):
        yield from itertools.chain(*(contradictions(one, real.get(key)) for key, one in value.items.items()))
    elif (value is PLAIN or value is NUMBERS) and isinstance(real, torch.Tensor):
        yield f"{in_words(value)} is a tensor"
    elif isinstance(value, Module) and not isinstance(real, (torch.nn.Module, type(None))):
        yield f"{in_words(value)} is a {type(real).__name__}"


def may_be_at(place: TensorPlace, device: Any) -> bool:
    """Whether a tensor on a device may be at a place, where all that the program is given is on ``cuda:0``."""
    if place.kind is Kind.CPU:
        return bool(device.type == "cpu")
    if place.kind is Kind.DEVICE:
        return str(device) == "cuda:1"
    return place.kind is Kind.ANYWHERE or str(device) == "cuda:0"


@pytest.mark.slow
def test_torch_agrees() -> None:
    pytest.importorskip("torch", reason="asks the simulated GPU")
    failed, wrong = [], {}
    with simulated_cuda(devices=2):
        for body, _ in CASES:
            try:
                real = given(body)
            except Exception:  # the program mixes devices, or does what torch does not allow
                failed.append(body)
                continue
            found = list(contradictions(known(body), real))
            if found:
                wrong[body] = found
    assert wrong == {}
    assert len(failed) < 0.3 * len(CASES), failed
