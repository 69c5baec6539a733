"""What moves a tensor or a module, and which of their methods and attributes give them back where they were."""

from __future__ import annotations

from collections.abc import Collection, Iterable

MOVES = frozenset({"cuda", "to"})
"""Methods that put a tensor or a module on a device that may be a GPU."""
MOVES_ANYWHERE = MOVES | {"cpu"}
"""Methods that put a tensor or a module on a device."""
LEAVES = frozenset({"cpu", "numpy", "item", "tolist", "size", "dim", "numel"})
"""Methods of a tensor whose result is nowhere near it."""
KEEPS_MODULE = frozenset({"bfloat16", "double", "eval", "float", "half", "requires_grad_", "train"})
"""Methods of a module that return it, on the device where it was."""
RETURNS_MODULE = KEEPS_MODULE | MOVES_ANYWHERE
"""Methods of a module that return it."""
PARTS = frozenset("T mT H mH data real imag grad".split())
"""Attributes of a tensor that are tensors, where it is."""
MOVE_OPTIONS = frozenset({"non_blocking", "copy"})
"""What a move is told that changes nothing of the tensor."""
_KEEP_DEVICE = MOVE_OPTIONS | {"dtype", "memory_format"}
"""Arguments of ``to`` that move nothing."""
CONVERSIONS = frozenset("float double half bfloat16 int long short bool byte".split())
"""Methods of a tensor that only give it another type."""
PLAIN_WORDS = frozenset("int float bool non_blocking copy True False".split())
"""What ``to`` and ``type`` are given that is no device."""


def are_conversion(given: Iterable[str], keywords: Collection[str | None]) -> bool:
    """Whether ``to`` is told a dtype and options: by the text of its positional arguments, and its keywords."""
    if not _KEEP_DEVICE.issuperset(keywords):
        return False
    words = list(given)
    is_type = ("type" in one or one.startswith("torch.") or one in PLAIN_WORDS for one in words)
    return all(is_type) and bool(words or keywords) and not any("device" in one for one in words)
