"""``torch.compile`` on simulated devices: Dynamo leaves the simulator's functions alone, inductor runs eagerly."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from devlint.verify.sim.after_import import when_imported
from devlint.verify.sim.patches import Patches


def install_compilation(patches: Patches) -> None:
    """Run eagerly what inductor would compile to Triton, and have Dynamo skip the simulator."""
    patches.set(torch, "compile", _without_inductor(torch.compile))
    patches.on_undo(when_imported("torch._dynamo", _skip_simulator))


def _without_inductor(plain: Any) -> Callable[..., Any]:
    @functools.wraps(plain)
    def compile(model: Any = None, **options: Any) -> Any:
        if options.get("backend", "inductor") != "inductor":
            return plain(model, **options)
        if model is None:
            return lambda decorated: compile(decorated, **options)
        if not isinstance(model, torch.nn.Module):
            return model
        compiled = plain(model, backend="eager")  # the usual wrapper, also in the names of its parameters
        if compiled is not model:  # as it is where the environment turns compiling off
            compiled.forward = model.__call__
        return compiled

    return compile


def _skip_simulator() -> None:
    """Tell Dynamo to compile none of the functions that replace those in C++, and to know them by their new objects."""
    from torch._dynamo import trace_rules, variables

    trace_rules.add(__package__)
    trace_rules.clear_lru_cache()
    constants: Any = variables.torch.constant_fold_functions
    constants[torch.cuda.is_available] = None
