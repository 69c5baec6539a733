"""What is said of a tensor that lacks its device, and the device that it is given."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.places.meetings import BESIDE
from devlint.analysis.places.results.missing_devices import MissingDevice
from devlint.analysis.places.values import GENERATOR
from devlint.core.diagnostic import Fix, Span
from devlint.syntax import edits
from devlint.syntax.file_context import FileContext
from devlint.torch_api.tensor_makers import CPU_CONSTRUCTORS
from devlint.torch_api.tensor_places import TAKE_NO_DEVICE

_CAVEAT = "other uses of the tensor may need it on the CPU"


def missing_device_at(ctx: FileContext, call: cst.Call, found: dict[Span, MissingDevice]) -> MissingDevice | None:
    """That of some tensors which a call makes; another call may begin and end there."""
    missing = found.get(ctx.span(call)) if found else None
    is_maker = missing is not None and (dotted_name(call.func) or "").rpartition(".")[2] == missing.maker
    return missing if is_maker else None


def missing_device_in_words(missing: MissingDevice) -> str:
    """What is said of a tensor that lacks its device."""
    made, row = f"`torch.{missing.maker}(...)` is made on the CPU and", missing.place.row
    if missing.kind == BESIDE:
        return f"{made} goes with a tensor {missing.partner} (line {row})"
    if missing.kind == GENERATOR:
        return f"{made[:-4]} with a generator {missing.partner}"
    return f"{made} meets a tensor {missing.partner} ({missing.meeting_in_words})"


def added_device(ctx: FileContext, call: cst.Call, missing: MissingDevice) -> Fix | None:
    """The fix that makes a tensor on the device of what it meets, where that has a name."""
    device = missing.device
    if not device:
        return None
    if missing.maker in TAKE_NO_DEVICE | CPU_CONSTRUCTORS:
        return edits.as_fix(f"Add `.to({device})`", [edits.insert_after(ctx, call, f".to({device})")], _CAVEAT)
    return edits.as_fix(f"Add `device={device}`", [edits.add_argument(ctx, call, ("device", device))], _CAVEAT)
