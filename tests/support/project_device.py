"""What a project of its own would have: the function that says which device to use."""

from __future__ import annotations

import torch


def get_device() -> torch.device:
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")
