"""Calls that fail without CUDA, and that no rule reports: for CUDA alone, of a stream, a pipeline, or for cards."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.guards.cuda_only_code import runs_on_cuda_alone
from devlint.analysis.guards.guards import runs_guarded
from devlint.analysis.names.exception_handling import is_caught
from devlint.analysis.names.resolution import origin
from devlint.analysis.transfers.distributed_models import is_given_cards
from devlint.syntax.call_arguments import keyword_argument
from devlint.syntax.file_context import FileContext, fact
from devlint.torch_api.cuda_members import OnCpu, cuda_member
from devlint.torch_api.cuda_naming import CAUGHT

_INITIALIZES = "torch.cuda._lazy_init"
_ORDERS = frozenset({"record_stream", "wait_event", "wait_stream"})
"""What only streams have, or takes one."""
_OF_PIPELINES = frozenset(
    {"enable_xformers_memory_efficient_attention", "enable_model_cpu_offload", "enable_sequential_cpu_offload"}
)
"""Methods of the pipelines and models of diffusers that fail where there is no GPU, unless they are given a device."""


@fact
def unreported_calls(ctx: FileContext) -> list[cst.Call]:
    """Those of a file that no test guards, that nothing catches, and that are not in a function to run later."""
    return [one for one in ctx.tree.of_type(cst.Call) if _may_fail(ctx, one) and not _is_without_harm(ctx, one)]


def _may_fail(ctx: FileContext, call: cst.Call) -> bool:
    """Whether no rule reports a call that fails without CUDA: for CUDA alone, torch's own, or one of a given stream."""
    method = call.func.attr.value if isinstance(call.func, cst.Attribute) else ""
    if method in _ORDERS or (method in _OF_PIPELINES and keyword_argument(call, "device") is None):
        return True
    if is_given_cards(ctx, call):
        return True
    called = origin(ctx, call.func) or ""
    if called == "torch.cuda.stream":  # a name may be None
        return bool(call.args) and isinstance(call.args[0].value, cst.Subscript)
    member = cuda_member(called) if called.startswith("torch.cuda.") else None
    fails = member is not None and member.on_cpu is OnCpu.RAISES and runs_on_cuda_alone(ctx, call)
    return fails or called == _INITIALIZES


def _is_without_harm(ctx: FileContext, call: cst.Call) -> bool:
    """Whether a call is guarded, caught, or waits in a ``lambda``."""
    waits = any(isinstance(one, cst.Lambda) for one in ctx.tree.ancestors(call))
    return waits or runs_guarded(ctx, call) or is_caught(ctx, call, *CAUGHT)
