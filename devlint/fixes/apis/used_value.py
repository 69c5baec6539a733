"""What a call of ``torch.cuda`` whose value is used becomes, where there may be no CUDA."""

from __future__ import annotations

from devlint.core.diagnostic import Edit, Fix
from devlint.fixes.apis.current_card import current_card_fix
from devlint.fixes.apis.device_module import module_fix
from devlint.fixes.apis.failing_cuda_calls import CudaCall, availability_test_for
from devlint.fixes.apis.kept_random_states import edits_giving_back
from devlint.fixes.conditional_device import needs_parentheses
from devlint.fixes.torch_import import torch_name
from devlint.syntax import edits
from devlint.syntax.file_context import FileContext

_OTHERS = "without CUDA, the state of the CPU is kept as that of CUDA"


def used_value_fix(ctx: FileContext, call: CudaCall) -> Fix | None:
    """The fix for such a call; None where nobody knows what its value should be."""
    if call.member.name == "current_device":
        return current_card_fix(ctx, call.node)
    if call.member.name == "get_rng_state" and ctx.target.kind == "cuda":
        return _random_state_fix(ctx, call)
    return module_fix(ctx, call.node, call.member)


def _random_state_fix(ctx: FileContext, call: CudaCall) -> Fix | None:
    """None without CUDA, where all that reads the state gives it back to CUDA, which is then put under a test, too.

    Else the CPU's state: ``torch.cuda.set_rng_state`` takes it there, and does nothing. That is odd, and unsafe.
    """
    test, torch = availability_test_for(ctx, call), torch_name(ctx, call.node)
    if test is None or torch is None:
        return None
    back = edits_giving_back(ctx, call.node)
    other = "None" if back is not None else f"{torch[0]}.get_rng_state()"
    text = f" if {test.text} else {other}"
    made: list[Edit | None] = [edits.insert_after(ctx, call.node, text), *test.imports, *torch[1], *(back or ())]
    if needs_parentheses(ctx, call.node):
        made[:1] = [edits.insert_before(ctx, call.node, "("), edits.insert_after(ctx, call.node, f"{text})")]
    if back is not None:
        return edits.as_fix("Keep no state where there is no CUDA", made)
    return edits.as_fix("Take the state of the CPU where there is no CUDA", made, _OTHERS)
