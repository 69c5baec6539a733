"""What makes modules and optimizers."""

from __future__ import annotations

MAKES_MODULES = ("torch.nn.", "torch.optim.", "torchvision.models.")
"""What the full names begin with of what makes a module or an optimizer that loads a state as torch's own do."""
LOADS_AS_TORCH = (*MAKES_MODULES, "torch.amp.GradScaler", "torch.cuda.amp.GradScaler")
"""What keeps no tensor of a state that it loads; a scaler has numbers alone."""
