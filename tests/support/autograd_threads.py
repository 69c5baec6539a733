"""A backward pass in a thread that autograd has started, as it does for every GPU: no Python function runs above it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import torch

_DEPTH = 62
"""Autograd takes another thread for the sixtieth backward pass within others (``MAX_DEPTH`` in its engine.h)."""


class _Nested(torch.autograd.Function):
    """Runs a backward pass within its own, down to the depth."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, begin: Callable[[torch.Tensor, int], None], depth: int) -> torch.Tensor:
        ctx.begin, ctx.depth = begin, depth
        return x.clone()

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> Any:
        if ctx.depth < _DEPTH:
            with torch.enable_grad():
                x = torch.ones((), requires_grad=True)
                ctx.begin(_Nested.apply(x, ctx.begin, ctx.depth + 1), ctx.depth + 1)
        return gradients[0], None, None


def backward_at_each_depth(
    forward: Callable[[torch.Tensor], torch.Tensor], mode: Callable[[], AbstractContextManager[Any]]
) -> None:
    """Run the backward pass of a function of one number in ever deeper ones, each under a mode of its own."""

    def begin(x: torch.Tensor, depth: int) -> None:
        with mode():
            forward(x).backward()

    begin(_Nested.apply(torch.ones((), requires_grad=True), begin, 0), 0)
