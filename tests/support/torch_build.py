"""What tests need of Python and of the build of torch that is installed."""

from __future__ import annotations

import functools
import sys
from importlib import util

import pytest

needs_positions = pytest.mark.skipif(
    sys.version_info < (3, 11), reason="before Python 3.11 the line of an expression is known, and not its columns"
)


@functools.cache
def is_cuda_build() -> bool:
    """Whether torch is there and built for CUDA, which does otherwise without a GPU than a CPU build."""
    if util.find_spec("torch") is None:
        return False
    import torch

    return torch.version.cuda is not None
