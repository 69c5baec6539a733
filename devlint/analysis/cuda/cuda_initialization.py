"""Which calls certainly start CUDA, after which the visible GPUs can no longer be chosen."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.cuda_literals import LiteralKind, cuda_literal
from devlint.analysis.names.resolution import origin
from devlint.analysis.slots.device_arguments import device_slot, imports_torch
from devlint.analysis.transfers.cuda_method_calls import cuda_move
from devlint.syntax.file_context import FileContext

_STARTS = frozenset(
    f"torch.{name}"
    for name in (
        "cuda.is_available cuda.set_device cuda.current_device cuda.get_device_name cuda.get_device_properties "
        "cuda.get_device_capability cuda.synchronize cuda.current_stream cuda.default_stream cuda.Stream cuda.init "
        "cuda.mem_get_info cuda.is_bf16_supported cuda.get_rng_state cuda.get_rng_state_all cuda.ipc_collect "
        "accelerator.is_available accelerator.current_device_index accelerator.set_device_index "
        "accelerator.synchronize"
    ).split()
)
"""Seeding is not among them, since it waits for CUDA, nor is counting, which newer releases do without starting it."""


def starts_cuda(ctx: FileContext, call: cst.Call) -> bool:
    """Whether a call, when it runs, certainly starts CUDA where there is one."""
    called = origin(ctx, call.func)
    if called in _STARTS:
        return True
    if called is not None and called.startswith("torch.cuda.") and called.endswith("Tensor"):
        return True
    if isinstance(call.func, cst.Attribute) and call.func.attr.value == "cuda":
        return imports_torch(ctx) and cuda_move(ctx, call) is not None
    if called in ("torch.load", "torch.jit.load", "torch.set_default_device") or not imports_torch(ctx):
        return False
    slot = device_slot(ctx, call)
    if slot is None or (slot.keyword is not None and slot.keyword.value == "map_location"):
        return False
    literal = cuda_literal(ctx, slot.value)
    return literal is not None and literal.kind in (LiteralKind.STRING, LiteralKind.DEVICE)
