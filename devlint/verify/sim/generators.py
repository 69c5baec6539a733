"""Random numbers on the simulated device: the CPU's stream for all, or a stream for each device as on real hardware."""

from __future__ import annotations

import weakref
from typing import Any

import torch

from devlint.verify.sim.machine import machine
from devlint.verify.sim.patches import Patches

_Generator: Any = torch._C.Generator
_devices: dict[int, int] = {}
"""The device of each generator made for one, by the address of its C++ object: Python may wrap that twice."""


class DeviceGenerator(_Generator):  # type: ignore[misc]
    """A CPU generator whose device is a simulated one."""

    simulated_device: torch.device

    @property
    def device(self) -> torch.device:
        """The device it says it is on."""
        return self.simulated_device

    def set_state(self, state: torch.Tensor) -> DeviceGenerator:
        """Set the state, if it has the right size."""
        _check_size(state, self)
        super().set_state(state)
        return self

    def clone_state(self) -> DeviceGenerator:
        """A generator of the same device that goes on from the same state."""
        index = _devices[self._cdata]
        return device_generator(index, self.simulated_device).set_state(self.get_state())

    graphsafe_get_state = clone_state

    def __reduce__(self) -> Any:
        """As torch.Generator's own, which would be one of the CPU."""
        return torch.Generator, (self.device,), (self.initial_seed(), None, self.get_state())


class SharedGenerator:
    """The default generator of a device whose numbers come from the CPU's stream."""

    def __init__(self, index: int) -> None:
        self.device = torch.device("cuda", index)
        self._stream = torch.default_generator

    def manual_seed(self, seed: int) -> SharedGenerator:
        """Do nothing: torch.manual_seed seeds the shared stream."""
        return self

    def seed(self) -> int:
        """The seed of the shared stream."""
        return self._stream.initial_seed()

    initial_seed = seed

    def get_state(self) -> torch.Tensor:
        """The state of the shared stream."""
        return self._stream.get_state()

    def set_state(self, state: torch.Tensor) -> SharedGenerator:
        """Set the state of the shared stream."""
        _check_size(state, self)
        self._stream.set_state(state)
        return self

    def get_offset(self) -> int:
        """The offset, always 0."""
        return 0

    def set_offset(self, offset: int) -> None:
        """Do nothing."""

    def clone_state(self) -> Any:
        """A copy of the stream."""
        return self._stream.clone_state()

    graphsafe_get_state = clone_state

    def graphsafe_set_state(self, generator: Any) -> None:
        """Take the state of a copy."""
        self._stream.set_state(generator.get_state())


def _check_size(state: torch.Tensor, generator: DeviceGenerator | SharedGenerator) -> None:
    if state.numel() != generator.get_state().numel():
        raise RuntimeError("RNG state is wrong size")


class _AnyGenerator(type):
    """The metaclass of ``torch.Generator``, which creates generators for every device."""

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, _Generator)

    def __call__(cls, device: Any = "cpu") -> Any:
        given = torch.device("cuda", device) if isinstance(device, int) else torch.device(device)
        if given.type != "cuda":
            return _Generator(device=given)
        return device_generator(machine.resolved(given).index, given)


def device_generator(index: int, given: torch.device | None = None) -> DeviceGenerator:
    """A new generator for a device, which tells the one that was given, with a number or without."""
    generator = DeviceGenerator()
    generator.simulated_device = given or torch.device("cuda", index)
    key = generator._cdata
    _devices[key] = index
    weakref.finalize(generator, _devices.pop, key, None)
    return generator


def generator_on(index: int, generator: Any) -> Any | None:
    """The generator that a CPU kernel draws from for an operator on a device."""
    if generator is None:
        return torch.cuda.default_generators[index] if machine.rng == "separate" else None
    if generator._cdata not in _devices and not isinstance(generator, DeviceGenerator):
        raise RuntimeError(f"Expected a 'cuda' device type for generator but found '{generator.device.type}'")
    return generator


def install_generators(patches: Patches) -> None:
    """Give each device its default generator."""
    defaults: list[Any] = []
    for index in range(machine.plugged):
        if machine.rng == "separate":
            defaults.append(device_generator(index).manual_seed(torch.initial_seed()))
        else:
            defaults.append(SharedGenerator(index))
    patches.set(torch.cuda, "default_generators", tuple(defaults))
    patches.set(torch, "Generator", _AnyGenerator("Generator", (), {"__module__": "torch"}))
