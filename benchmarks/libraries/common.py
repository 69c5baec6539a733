"""What the programs have in common: the device, and how they train."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch

torch.manual_seed(0)
torch.set_num_threads(1)
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def train(parameters: Iterable[Any], loss_of: Callable[[], torch.Tensor], steps: int = 3) -> None:
    """Take a few steps, and print the losses."""
    optimizer = torch.optim.AdamW(list(parameters), lr=1e-3)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_of()
        assert loss.device.type == DEVICE.type, loss.device
        loss.backward()
        optimizer.step()
        print(f"{loss.item():.6f}")
