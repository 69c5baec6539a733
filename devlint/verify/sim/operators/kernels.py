"""Makes the simulated kernel of an operator: check devices, run the CPU kernel, relabel the results."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from devlint.verify.sim.dlpack_relabel import CPU, CPU_KEYS, Tensor, to_cpu, to_cuda
from devlint.verify.sim.generators import generator_on
from devlint.verify.sim.machine import machine
from devlint.verify.sim.operators.device_check import DeviceCheck
from devlint.verify.sim.operators.half_precision import in_single, refuses_half, with_lengths_of_cufft
from devlint.verify.sim.operators.operator_table import Argument, Operator, Signature

Kernel = Callable[..., Any]


class Operands:
    """The relabelled arguments of one call, their device, and those on another device."""

    __slots__ = ("elsewhere", "index", "named", "numbers", "positional")

    def __init__(self, signature: Signature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.index = -1
        self.elsewhere: list[tuple[Argument, Tensor]] = []
        self.numbers = False
        self.positional = list(args)
        self.named = dict(kwargs)
        for argument in signature.tensors:
            self._place(argument, self._one)
        for argument in signature.lists:
            self._place(argument, self._several)
        if signature.device is not None:
            self._place_device(signature.device)

    def _place(self, argument: Argument, change: Callable[[Argument, Any], Any]) -> None:
        if argument.keyword_only or argument.position >= len(self.positional):
            value = self.named.get(argument.name)
            if value is not None:
                self.named[argument.name] = change(argument, value)
        elif self.positional[argument.position] is not None:
            self.positional[argument.position] = change(argument, self.positional[argument.position])

    def _one(self, argument: Argument, value: Any) -> Any:
        if not isinstance(value, Tensor):
            self.numbers = True  # a Python number where the schema has a tensor
            return value
        index = value.get_device()
        if index < 0:
            self.elsewhere.append((argument, value))
            return value
        if self.index < 0:
            self.index = index
        elif index != self.index:
            self.elsewhere.append((argument, value))
        if argument.keyword_only and argument.written and not value.numel():
            # An empty out= is about to be resized, and an alias cannot be.
            return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype)
        return to_cpu(value)

    def _several(self, argument: Argument, values: Any) -> Any:
        placed: list[Any] = []
        replaced = argument.keyword_only and argument.written
        for value in values:
            if isinstance(value, Tensor) and value.get_device() == self.index >= 0 and not replaced:
                placed.append(to_cpu(value))
            else:
                placed.append(None if value is None else self._one(argument, value))
        return placed

    def _place_device(self, name: str) -> None:
        device = self.named.get(name)
        if device is not None and device.type == "cuda":
            self.index = machine.of(device)
            self.named[name] = CPU
        if self.named.get("pin_memory"):
            self.named["pin_memory"] = False

    def draw_from(self, argument: Argument) -> None:
        """Let the operator draw random numbers from the stream of its device."""
        if argument.keyword_only or argument.position >= len(self.positional):
            generator = generator_on(self.index, self.named.get(argument.name))
            if generator is not None:
                self.named[argument.name] = generator
        else:
            given = self.positional[argument.position]
            self.positional[argument.position] = generator_on(self.index, given)


_MESSAGES = {
    '"topk_cpu"': '"topk_out_cuda"',
    '_cpu" not implemented for': '_cuda" not implemented for',
    "expected m1 and m2 to have the same dtype": "expected mat1 and mat2 to have the same dtype",
}
"""What the CPU's kernels say of types, and CUDA's."""


def cpu_kernel(operator: Any) -> Kernel:
    """The CPU kernel itself, without the CPU's autocast."""
    return functools.partial(operator._handle.redispatch_boxed, CPU_KEYS)


def make_kernel(operator: Any, name: str, facts: Operator | None) -> Kernel:
    """Make the kernel of an operator, a faster one where all its tensors come first."""
    signature = Signature(operator)
    general = _general_kernel(operator, name, signature, DeviceCheck(name, facts))
    if name.startswith("_fft_"):
        return with_lengths_of_cufft(general)
    if signature.leading == 0:
        return general
    if signature.leading == 1:
        return _unary_kernel(operator, name, signature.returns[0], general)
    return _leading_kernel(operator, name, signature, general)


def named_for_cuda(error: RuntimeError) -> RuntimeError:
    """The error itself, or one that names CUDA's kernel, if the CPU's lacks a type."""
    said = named = str(error)
    for on_cpu, on_cuda in _MESSAGES.items():
        named = named.replace(on_cpu, on_cuda)
    return error if named == said else type(error)(named)


def _general_kernel(operator: Any, name: str, signature: Signature, device_check: DeviceCheck) -> Kernel:
    call, packet = cpu_kernel(operator), operator._overloadpacket._op
    count = machine.counters.operators

    def kernel(*args: Any, **kwargs: Any) -> Any:
        count[name] += 1
        operands = Operands(signature, args, kwargs)
        if operands.index < 0 or machine.forked:
            operands.index = machine.checked(None)
        if operands.elsewhere:
            device_check.check(operands.index, operands.elsewhere)
        if signature.generator is not None:
            operands.draw_from(signature.generator)
        result = _run(packet if operands.numbers else call, signature, operands)
        for output in signature.outputs:
            if kwargs.get(output) is not None:
                _settle(kwargs[output], operands.named[output])
        return _results(signature, result, operands.index, args, kwargs)

    return kernel


def _run(call: Kernel, signature: Signature, operands: Operands) -> Any:
    try:
        return call(*operands.positional, **operands.named)
    except (NotImplementedError, RuntimeError) as error:
        if signature.outputs and "not resizable" in str(error):
            for output in signature.outputs:
                operands.named[output] = torch.empty(0, dtype=operands.named[output].dtype)
            return call(*operands.positional, **operands.named)
        if not refuses_half(error):
            raise named_for_cuda(error) from error.__cause__
        refusal = named_for_cuda(error)
    try:
        return in_single(call, signature, operands.positional, operands.named)
    except NotImplementedError:  # the CPU has no kernel for single precision either
        raise refusal from None


def _settle(output: Tensor, computed: Tensor) -> None:
    """Give an ``out=`` tensor the memory of one that the CPU kernel has resized."""
    if output.shape != computed.shape or output.data_ptr() != computed.data_ptr():
        with torch.no_grad():
            output.set_(to_cuda(computed, output.get_device()))  # type: ignore[call-overload]


def _results(signature: Signature, result: Any, index: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    returns = signature.returns
    if not returns:
        return None
    if len(returns) == 1:
        return on_device(result, index) if returns[0] is None else _given(returns[0], args, kwargs)
    pairs = zip(returns, result)
    return tuple(on_device(x, index) if given is None else _given(given, args, kwargs) for given, x in pairs)


def _given(argument: Argument, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return kwargs[argument.name] if argument.name in kwargs else args[argument.position]


def on_device(value: Any, index: int) -> Any:
    """Relabel the tensors in a result."""
    if isinstance(value, Tensor):
        return value if value.is_cuda else to_cuda(value, index)
    if isinstance(value, (list, tuple)):
        return type(value)(on_device(part, index) for part in value)
    return value


def _unary_kernel(operator: Any, name: str, returned: Argument | None, general: Kernel) -> Kernel:
    call, count, new = cpu_kernel(operator), machine.counters.operators, returned is None

    def kernel(*args: Any, **kwargs: Any) -> Any:
        if not args or not isinstance(args[0], Tensor) or machine.forked:
            return general(*args, **kwargs)
        tensor = args[0]
        index = tensor.get_device()
        if index < 0:
            return general(*args, **kwargs)
        try:
            result = call(to_cpu(tensor), *args[1:], **kwargs)
        except (NotImplementedError, RuntimeError) as error:
            if not refuses_half(error):
                raise named_for_cuda(error) from error.__cause__
            return general(*args, **kwargs)
        count[name] += 1
        return on_device(result, index) if new else tensor

    return kernel


def _leading_kernel(operator: Any, name: str, signature: Signature, general: Kernel) -> Kernel:
    call, count, number = cpu_kernel(operator), machine.counters.operators, signature.leading
    returned = signature.returns[0]

    def kernel(*args: Any, **kwargs: Any) -> Any:
        leading = args[:number]
        if len(leading) < number or machine.forked:
            return general(*args, **kwargs)
        try:
            index = leading[0].get_device()
            if index < 0:
                return general(*args, **kwargs)
            for tensor in leading:
                if tensor.get_device() != index:
                    return general(*args, **kwargs)
        except AttributeError:  # a number, or no tensor at all
            return general(*args, **kwargs)
        try:
            result = call(*map(to_cpu, leading), *args[number:], **kwargs)
        except (NotImplementedError, RuntimeError) as error:
            if not refuses_half(error):
                raise named_for_cuda(error) from error.__cause__
            return general(*args, **kwargs)
        count[name] += 1
        return on_device(result, index) if returned is None else args[returned.position]

    return kernel


def make_view_kernel(operator: Any) -> Kernel:
    """The kernel of a view, which touches no values: the CPU kernel on the device tensor itself."""
    return cpu_kernel(operator)
