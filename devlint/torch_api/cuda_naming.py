"""The words by which programs ask for CUDA, and call what is for CUDA alone."""

from __future__ import annotations

import re

from devlint.core.lazy_regex import regex

_VERBS = r"(?:use|using|used|with|is|has|have|on|enable|do|to|train|run|if|want|want_to|should|support|supports)"
_STATES = r"(?:available|enabled|flag|on|exists?|avail|found|mode|ready|condition|usable)"
_DEVICES = ("cuda", "gpu", "cpu")
"""One of them is in each of the names below; most names have none."""
_FLAG = regex(
    rf"_*(?:{_VERBS}_?)*(?:cuda|gpu)s?(?:_?(?:is_?)?{_STATES})?_*\Z",
    re.IGNORECASE,
)
_OPPOSITE = regex(
    r"_*(?:no_?|not_?|disable_?|without_?|dont_use_?|disable_)(?:use_?)?(?:cuda|gpu)s?_*\Z"
    r"|_*(?:use_?|force_?|only_?|on_?|run_on_?)?cpu(?:_?only)?_*\Z",
    re.IGNORECASE,
)
_ALONE = r"cuda|cudagraphs?|cudnn|nccl|nvtx|nvml|nvidia|triton|kernels?|cutlass|cublas"
_SNAKE = regex(rf"(?:^|_|\b)(?:{_ALONE})(?:$|_|\d|\b)", re.IGNORECASE)
_FILE = regex(rf"(?:^|_|\b)(?:{_ALONE}|gpus?)(?:$|_|\d|\b)", re.IGNORECASE)
_CAMEL = regex(r"Cuda|CUDA|Triton|NCCL|Nccl")
SAYS_CUDA = regex(r"cuda(?!_visible_devices)|nccl|rocm|nvidia", re.IGNORECASE)
"""What a test says that is for CUDA."""
NEGATES = regex(r"\bnot\b(?! None)|!=|\bis None\b")
"""What a test says that holds where there is no CUDA."""
CAUGHT = frozenset({"Exception", "BaseException", "RuntimeError", "AssertionError", "AcceleratorError"})
"""The exceptions that torch raises where there is no CUDA, and their bases."""
IS_CUDA = "is_cuda"


def polarity(name: str) -> bool | None:
    """True for a name that means "use the GPU" (``cuda``), False for its opposite (``no_cuda``), else None."""
    lowered = name.lower()
    if name == IS_CUDA or not any(device in lowered for device in _DEVICES):
        return None
    if _OPPOSITE.match(name):
        return False
    return True if _FLAG.match(name) else None


def is_file_for_cuda(name: str) -> bool:
    """Whether a file or folder of this name holds what is for CUDA alone."""
    return _FILE.search(name) is not None


def is_for_cuda(name: str) -> bool:
    """Whether a function or class of this name may be for CUDA alone; what is called after GPUs is for any of them."""
    return _SNAKE.search(name) is not None or _CAMEL.search(name) is not None
