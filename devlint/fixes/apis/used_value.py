"""What a call of ``torch.cuda`` whose value is used becomes, where there may be no CUDA."""

from __future__ import annotations

from devlint.core.diagnostic import Edit, Fix
from devlint.fixes.apis.current_card import current_card_fix
from devlint.fixes.apis.device_module import module_fix
from devlint.fixes.apis.failing_cuda_calls import CudaCall, availability_test_for
from devlint.fixes.conditional_device import needs_parentheses
from devlint.fixes.torch_import import torch_name
from devlint.syntax import edits
from devlint.syntax.file_context import FileContext


def used_value_fix(ctx: FileContext, call: CudaCall) -> Fix | None:
    """The fix for such a call; None where nobody knows what its value should be."""
    if call.member.name == "current_device":
        return current_card_fix(ctx, call.node)
    if call.member.name == "get_rng_state" and ctx.target.kind == "cuda":
        return _random_state_fix(ctx, call)
    return module_fix(ctx, call.node, call.member)


def _random_state_fix(ctx: FileContext, call: CudaCall) -> Fix | None:
    """The CPU's state without CUDA: ``torch.cuda.set_rng_state`` takes it there, and does nothing, but not None."""
    test, torch = availability_test_for(ctx, call), torch_name(ctx, call.node)
    if test is None or torch is None:
        return None
    text = f" if {test.text} else {torch[0]}.get_rng_state()"
    made: list[Edit | None] = [edits.insert_after(ctx, call.node, text), *test.imports, *torch[1]]
    if needs_parentheses(ctx, call.node):
        made[:1] = [edits.insert_before(ctx, call.node, "("), edits.insert_after(ctx, call.node, f"{text})")]
    return edits.as_fix("Take the state of the CPU where there is no CUDA", made)
