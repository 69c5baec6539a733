"""Generators of random numbers that are on a device, and draw no numbers for a tensor on another."""

from __future__ import annotations

import ast

from devlint.analysis.places.meetings import MeetingRecorder
from devlint.analysis.places.parameters import stored_names
from devlint.analysis.places.tensor_methods import Given
from devlint.analysis.places.values import GENERATOR, UNKNOWN, Device, Kind, Places, Tensor, UnknownValue, Value
from devlint.analysis.places.written.definitions import FunctionDefinition
from devlint.syntax.python_tree.nodes import dotted_text, last_name
from devlint.torch_api.device_naming import EXECUTION_DEVICE


class Generator(UnknownValue):
    """A generator that was made on a device."""

    __slots__ = ("places",)

    def __init__(self, places: Places) -> None:
        self.places = places


def made_generator(recorder: MeetingRecorder, given: Given) -> Value:
    """``torch.Generator(device)``; nothing is known where the device is a choice, which may be the CPU."""
    device = given.keywords.get("device") or (given.arguments[0] if given.arguments else UNKNOWN)
    nodes = [*given.node.args, *(one.value for one in given.node.keywords)]
    if not isinstance(device, Device) or len(nodes) != 1 or not _is_given(recorder.function, nodes[0]):
        return UNKNOWN
    is_known = all(one.kind in (Kind.DEVICE, Kind.ELSEWHERE, Kind.ARGUMENT) for one in device.places)
    return Generator(device.places) if is_known else UNKNOWN


def _is_given(function: FunctionDefinition, node: ast.expr) -> bool:
    """Whether a device is an argument as it was given, or that of an object with a name."""
    if isinstance(node, ast.Attribute):
        return last_name(node) in ("device", EXECUTION_DEVICE) and bool(dotted_text(node))
    is_argument = isinstance(node, ast.Name) and any(one.arg == node.id for one in function.parameters)
    return is_argument and getattr(node, "id", "") not in stored_names(function.node)


def draw(recorder: MeetingRecorder, tensor: Tensor, given: Given) -> None:
    """A tensor is made of the numbers of a generator, which must be where the tensor is."""
    generator = given.keywords.get("generator")
    if isinstance(generator, Generator) and tensor.is_on_cpu:
        recorder.meet(tensor, Tensor(generator.places), given.node, GENERATOR)
