"""``torch.compile`` on simulated devices: Dynamo leaves the simulator's functions alone, inductor runs eagerly."""

from __future__ import annotations

import functools
import importlib.util
import sys
from collections.abc import Callable
from typing import Any

import torch

from devlint.verify.sim.patches import Patches


def install_compilation(patches: Patches) -> None:
    """Run eagerly what inductor would compile to Triton, and have Dynamo skip the simulator."""
    patches.set(torch, "compile", _without_inductor(torch.compile))
    if "torch._dynamo" in sys.modules:
        _skip_simulator()
    else:
        finder = _AfterDynamo()
        sys.meta_path.insert(0, finder)
        patches.on_undo(lambda: sys.meta_path.remove(finder) if finder in sys.meta_path else None)


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


class _AfterDynamo:
    """A finder that runs ``_skip_simulator`` when Dynamo has been imported, which takes a second."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """The usual spec of Dynamo, whose loader then tells it."""
        if name != "torch._dynamo":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        assert spec is not None and spec.loader is not None
        execute = spec.loader.exec_module

        def exec_module(module: Any) -> None:
            execute(module)
            _skip_simulator()

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec
