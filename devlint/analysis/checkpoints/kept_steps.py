"""Optimizers, which leave the number of steps where it is loaded: on the CPU, if it was saved from there.

All else of their state goes to the parameters. On a GPU the number would be waited for in each step.
"""

from __future__ import annotations

import libcst as cst

from devlint.analysis.checkpoints.own_loads import called_methods, made_for_part
from devlint.analysis.checkpoints.state_reads import is_copied_into
from devlint.analysis.checkpoints.used_modules import is_moved, is_put_on_device, is_used_as_module
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import is_module
from devlint.analysis.names.reaching_definitions import reaching_values
from devlint.analysis.names.resolution import bindings, origin
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import DEFAULT_SETTERS

_OPTIMIZERS = "torch.optim."
_OTHERS = ("torch.optim.lr_scheduler.", "torch.optim.swa_utils.")
"""What else is there, and has no tensors but those of modules."""
_WITHOUT_STEPS = frozenset({"SGD", "LBFGS", "SparseAdam"})
"""Optimizers that count no steps, or by a plain number."""
_WRAPPED = (".module", "._orig_mod")
"""What torch wraps has these names."""


def may_keep_steps(ctx: FileContext, taker: cst.BaseExpression) -> bool:
    """Whether what loads a state may be an optimizer that counts its steps by tensors."""
    if is_copied_into(ctx, taker):
        return False
    dotted, named = dotted_name(taker), _optimizers(ctx, taker)
    if named:
        return any(one not in _WITHOUT_STEPS for one in named)
    values = _values(ctx, taker)
    if dotted is None or any((origin(ctx, one.func) or "").startswith("torch.") for one in values):
        return False
    if any(True for _ in called_methods(ctx, dotted, taker, ("step",))):
        return True
    if is_moved(ctx, dotted, taker) or is_used_as_module(ctx, dotted, taker) or _is_moved_part(ctx, dotted, taker):
        return False
    return not any(is_module(ctx, one) for call in values for one in _classes(ctx, call))


def _is_moved_part(ctx: FileContext, dotted: str, taker: cst.BaseExpression) -> bool:
    """Whether an object is a module of what the file moves: ``net.layer``, or ``net.module`` of what wraps it."""
    if not is_put_on_device(ctx, dotted, taker):
        return False
    made = made_for_part(ctx, dotted, taker)
    return dotted.endswith(_WRAPPED) or (bool(made) and all(one.startswith("torch.nn.") for one in made))


def may_count_on_device(ctx: FileContext, taker: cst.BaseExpression) -> bool:
    """Whether the steps of an optimizer may have been saved from a GPU, as all that the program makes is there."""
    return any(one in ctx.source.text for one in DEFAULT_SETTERS) or "ASGD" in _optimizers(ctx, taker)


def _optimizers(ctx: FileContext, taker: cst.BaseExpression) -> list[str]:
    """The optimizers of torch that an object may be an instance of, as far as the file and its class name them."""
    made = [origin(ctx, one.func) or "" for one in _values(ctx, taker)]
    made += made_for_part(ctx, dotted_name(taker) or "", taker)
    return [
        one.removeprefix(_OPTIMIZERS) for one in made if one.startswith(_OPTIMIZERS) and not one.startswith(_OTHERS)
    ]


def _values(ctx: FileContext, taker: cst.BaseExpression) -> list[cst.Call]:
    dotted = dotted_name(taker)
    values = [taker] if dotted is None else reaching_values(ctx, dotted, taker)
    chosen = [part for one in values if isinstance(one, cst.IfExp) for part in (one.body, one.orelse)]
    return [one for one in (*values, *chosen) if isinstance(one, cst.Call)]


def _classes(ctx: FileContext, call: cst.Call) -> list[cst.ClassDef]:
    """The class of this file that a call makes an instance of."""
    found = bindings(ctx, call.func.value, call)[1] if isinstance(call.func, cst.Name) else []
    return [one.node for one in found if isinstance(one.node, cst.ClassDef)]
