"""What CUDA says of operands that are not on one device."""

from __future__ import annotations

import torch

from devlint.verify.sim.dlpack_relabel import Tensor
from devlint.verify.sim.operators.operator_table import Argument, Operator

# TensorIterator takes a CPU operand without dimensions beside a CUDA one, except in these.
_NO_CPU_SCALAR = frozenset(
    "lerp.Scalar lerp_.Scalar lerp.Scalar_out masked_scatter_ masked_select masked_select.out equal mse_loss "
    "mse_loss.out smooth_l1_loss smooth_l1_loss.out binary_cross_entropy binary_cross_entropy.out".split()
)


def another_device(first: torch.device, second: torch.device) -> RuntimeError:
    """What TensorIterator raises for operands on two devices."""
    return RuntimeError(
        f"Expected all tensors to be on the same device, but found at least two devices, {first} and {second}!"
    )


def misplaced(argument: str, device: torch.device, common: torch.device, wrapper: str) -> RuntimeError:
    """What the generated CUDA wrapper of an operator raises for an argument that is elsewhere."""
    return RuntimeError(
        f"Expected all tensors to be on the same device, but got {argument} is on {device}, different from "
        f"other tensors on {common} (when checking argument in method wrapper_CUDA_{wrapper})"
    )


class DeviceCheck:
    """Checks the devices of an operator's operands as CUDA does."""

    def __init__(self, name: str, facts: Operator | None) -> None:
        self.name = name
        self.unchecked = facts is not None and facts.unchecked
        self.takes_cpu_scalar = self.unchecked and name not in _NO_CPU_SCALAR
        self.is_lerp = name.startswith("lerp")
        self.wrapper = (facts or Operator()).wrapper(name)

    def check(self, index: int, elsewhere: list[tuple[Argument, Tensor]]) -> None:
        """Raise what CUDA raises for the first operand that is not where the others are."""
        common = torch.device("cuda", index)
        for argument, tensor in elsewhere:
            device = tensor.device
            scalar = tensor.dim() == 0 and device.type == "cpu" and not argument.written
            if scalar and self.takes_cpu_scalar and (not self.is_lerp or argument.name == "weight"):
                continue
            if self.unchecked:
                raise another_device(common, device)
            raise misplaced(argument.name, device, common, self.wrapper)
