"""What makes modules and optimizers."""

from __future__ import annotations

MAKES_MODULES = ("torch.nn.", "torch.optim.", "torchvision.models.")
"""What the full names begin with of what makes a module or an optimizer that loads a state as torch's own do."""

KEEPS_MODULE = frozenset({"bfloat16", "double", "eval", "float", "half", "requires_grad_", "train"})
"""Methods of a module that return it, on the device where it was."""
RETURNS_MODULE = KEEPS_MODULE | {"cpu", "cuda", "to"}
"""Methods of a module that return it."""
