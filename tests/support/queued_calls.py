"""What torch does when CUDA starts."""

from __future__ import annotations

import importlib


def forget_queued_calls() -> None:
    """Drop what other tests have asked of CUDA before it was there, such as a random state: it would happen amid a test."""
    torch = importlib.import_module("torch")
    calls = torch.cuda._queued_calls
    calls[:] = [one for one in calls if one[0].__module__ == torch.cuda.__name__]  # its own checks stay
