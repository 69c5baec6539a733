"""Calls that fail without CUDA, and that no rule reports: for CUDA alone, of a stream, a pipeline, or for cards."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.cuda.failing.failures_beside import does_no_harm
from devlint.analysis.guards.cuda_only_code import runs_on_cuda_alone
from devlint.analysis.names.resolution import origin
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.string_literals import string_value
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

_MAKERS = frozenset({"from_config", "from_pretrained"})
_ATTENTION = frozenset({"attn_implementation", "_attn_implementation"})
_FLASH = frozenset({"flash_attention_2", "flash_attention_3"})
"""What transformers refuses to take where flash-attn cannot run."""
_FOR_8_BIT = "peft.prepare_model_for_int8_training"
"""A function of the releases of peft in whose time no model with numbers of 8 bits could be loaded without CUDA."""
_REFUSES = (*CAUGHT, "ImportError", "ValueError")


@fact
def unreported_calls(ctx: FileContext) -> list[cst.Call]:
    """Those of a file that no test guards, that nothing catches, and that are not in a function to run later."""
    failing = [one for one in ctx.tree.of_type(cst.Call) if _may_fail(ctx, one)]
    return [one for one in failing if not does_no_harm(ctx, one, _REFUSES if _wants_flash(one) else CAUGHT)]


def _may_fail(ctx: FileContext, call: cst.Call) -> bool:
    """Whether no rule reports a call that fails without CUDA: for CUDA alone, torch's own, or one of a given stream."""
    method = call.func.attr.value if isinstance(call.func, cst.Attribute) else ""
    if method in _ORDERS or (method in _OF_PIPELINES and keyword_argument(call, "device") is None):
        return True
    if is_given_cards(ctx, call) or _wants_flash(call) or _loads_in_8_bit(ctx, call):
        return True
    called = origin(ctx, call.func) or ""
    if called == "torch.cuda.stream":  # a name may be None
        return bool(call.args) and isinstance(call.args[0].value, cst.Subscript)
    member = cuda_member(called) if called.startswith("torch.cuda.") else None
    fails = member is not None and member.on_cpu is OnCpu.RAISES and runs_on_cuda_alone(ctx, call)
    return fails or called == _INITIALIZES


def _loads_in_8_bit(ctx: FileContext, call: cst.Call) -> bool:
    """Whether a model is loaded with ``load_in_8bit=True``, in a program of the time when that took CUDA."""
    if not isinstance(call.func, cst.Attribute) or call.func.attr.value not in _MAKERS:
        return False
    given = keyword_argument(call, "load_in_8bit")
    is_on = given is not None and isinstance(given.value, cst.Name) and given.value.value == "True"
    bound = scopes(ctx).module.bindings.values() if is_on else ()
    return any(one.origin == _FOR_8_BIT for found in bound for one in found)


def _wants_flash(call: cst.Call) -> bool:
    """Whether a model of transformers is made with flash-attn: ``from_pretrained(…, use_flash_attention_2=True)``."""
    for arg in call.args if isinstance(call.func, cst.Attribute) and call.func.attr.value in _MAKERS else ():
        name = arg.keyword.value if arg.keyword is not None else None
        if name in _ATTENTION and string_value(arg.value) in _FLASH:
            return True
        if name == "use_flash_attention_2" and isinstance(arg.value, cst.Name) and arg.value.value == "True":
            return True
    return False
