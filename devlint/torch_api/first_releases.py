"""The release of torch that has a name first, for all names of which devlint knows it and that 2.0 lacks."""

from __future__ import annotations

from devlint.torch_api.accelerator_api import MODULES_SINCE, SINCE
from devlint.torch_api.cuda_members import CUDA, OUT_OF_MEMORY

_Release = tuple[int, int]

GRAD_SCALER: _Release = (2, 3)
"""``torch.amp.GradScaler``; ``torch.amp.autocast`` is older than all that matters."""
CUSTOM_FUNCTIONS: _Release = (2, 4)
"""``torch.amp.custom_fwd`` and ``custom_bwd``."""
BACKEND_FOR_DEVICE: _Release = (2, 6)
"""``torch.distributed.get_default_backend_for_device``."""

FIRST_RELEASES: dict[str, _Release] = {
    **{f"torch.{one.counterpart}": one.counterpart_since for one in CUDA.values() if one.counterpart is not None},
    **{f"torch.accelerator.{name}": since for name, since in {**MODULES_SINCE, **SINCE}.items()},
    f"torch.{OUT_OF_MEMORY[0]}": OUT_OF_MEMORY[1],
    "torch.amp.GradScaler": GRAD_SCALER,
    "torch.amp.custom_fwd": CUSTOM_FUNCTIONS,
    "torch.amp.custom_bwd": CUSTOM_FUNCTIONS,
    "torch.distributed.get_default_backend_for_device": BACKEND_FOR_DEVICE,
}
