"""``torch.compile`` without Triton."""

from __future__ import annotations

import functools
from typing import Any

import torch

from devlint.verify.sim.patches import Patches


def install_compilation(patches: Patches) -> None:
    """Run eagerly what inductor would compile to Triton."""
    plain: Any = torch.compile
    forced: list[bool] = []

    @functools.wraps(plain)
    def compile(model: Any = None, **options: Any) -> Any:
        if options.get("backend", "inductor") == "inductor":  # it would write Triton
            options["backend"] = "eager"
            options.pop("mode", None)
            options.pop("options", None)
            if not forced and hasattr(torch.compiler, "set_stance"):
                forced.append(True)
                torch.compiler.set_stance("force_eager")
        return plain(model, **options)

    patches.set(torch, "compile", compile)
    patches.on_undo(lambda: torch.compiler.set_stance("default") if forced else None)
