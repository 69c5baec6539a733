"""Kernels of Triton and cuTile, which take tensors of one device only."""

from __future__ import annotations

import ast
from collections.abc import Callable

from devlint.analysis.places.meetings import MeetingRecorder
from devlint.analysis.places.parameters import shown_by
from devlint.analysis.places.tensor_methods import Given
from devlint.analysis.places.values import Items, UnknownValue, Value
from devlint.analysis.places.written.choices import choices_in
from devlint.torch_api.tensor_places import TRITON_KERNEL


def may_mix(recorder: MeetingRecorder, given: Given) -> bool:
    """Whether what a kernel is given may be on two devices, here or in a call of the function that starts it."""
    function = recorder.function
    are_shown = any(isinstance(one, UnknownValue) and shown_by(one, function.uses) is not one for one in given.values)
    return are_shown or given.has_cpu_tensor or bool(choices_in(given.node, function.node))


def start_kernel(recorder: MeetingRecorder, given: Given, value_of: Callable[[ast.expr], Value]) -> None:
    """A kernel is started: whichever side of a choice it is given, all must be on one device."""
    function = recorder.function
    choices = choices_in(given.node, function.node)
    sides = (value_of(side) for one in choices for side in (one.body, one.orelse))
    values = [each for one in given.values for each in (one.elements if isinstance(one, Items) else [one])]
    recorder.meet_all([shown_by(one, function.uses) for one in (*values, *sides)], given.node, TRITON_KERNEL)
