"""DEV505: processes that talk over NCCL, which only CUDA has."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.apis.backend_defaults import is_default_backend
from devlint.analysis.apis.process_groups import group_of_backend, is_only_for_groups, name_of_distributed
from devlint.analysis.guards.cuda_only_code import does_without
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import origin
from devlint.analysis.names.scopes import scopes
from devlint.analysis.names.string_literals import string_value
from devlint.core.diagnostic import Edit, Fix
from devlint.fixes.conditional_device import availability_caveat, needs_parentheses
from devlint.fixes.device.resolver import resolve_device
from devlint.fixes.torch_import import torch_name
from devlint.rules.base import Rule
from devlint.rules.triggers.strings import Text
from devlint.rules.triggers.uses import is_given_or_default
from devlint.syntax import edits
from devlint.syntax.edits import replace_expression
from devlint.torch_api.backend_names import CPU_FIRST, CUDA_FIRST
from devlint.torch_api.first_releases import BACKEND_FOR_DEVICE

_BOTH = (CUDA_FIRST, CPU_FIRST)
_FOR_DEVICE = "get_default_backend_for_device"
_CAVEAT = "gloo lacks some operations of NCCL's"


class NcclBackend(Rule):
    """Processes that communicate over NCCL even without CUDA.

    What it does
    ------------
    Finds ``"nccl"`` passed to ``torch.distributed.init_process_group`` or ``new_group``, also in a dictionary
    (``**dict(backend="nccl")``), assigned to a name like ``backend``, or as the default of such an option or parameter,
    if there is no test for CUDA around it; and ``"cuda:nccl,cpu:gloo"``. A program that also names ``"gloo"`` has made
    a choice and is not reported.

    Why is this bad?
    ----------------
    NCCL only works between NVIDIA GPUs. Other accelerators have their own backends, and the CPU has gloo.

    Example
    -------
    ```python
    import torch
    import torch.distributed as dist

    dist.init_process_group("nccl")
    ```

    Use instead:
    ```python
    import torch
    import torch.distributed as dist

    dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
    ```

    Fix safety
    ----------
    Unsafe: gloo lacks some of NCCL's operations, so the program may fail later. If the ``torch-min-version`` is 2.6
    and the program has a device, torch chooses the backend (``get_default_backend_for_device(device)``); with the
    target ``accelerator`` it always does. There is no fix for the default of an option or parameter, and for
    ``"cuda:nccl,cpu:gloo"``.
    """

    code = "DEV505"
    name = "nccl-backend"
    advice = 'Choose by what there is: `"nccl" if torch.cuda.is_available() else "gloo"`'
    gains_with_kernels = False
    trigger = Text("nccl").where(is_given_or_default) | Text(CUDA_FIRST) | Text(CPU_FIRST)

    def check(self, node: cst.SimpleString) -> None:
        call = group_of_backend(self.ctx, node)
        if string_value(node) in _BOTH and call is not None and not does_without(self.ctx, node):
            self.report(node, f"`{self.ctx.text_of(node)}` needs CUDA: other devices have other backends")
        if string_value(node) != "nccl":
            return
        is_default = is_default_backend(self.ctx, node)
        if call is None and not is_default and not self._is_assigned(node):
            return
        if not self._has_gloo(node) and not does_without(self.ctx, node):
            message = '"nccl" needs CUDA: other devices have other backends'
            self.report(node, message, None if is_default else self._fix(node, call))

    def _is_assigned(self, node: cst.SimpleString) -> bool:
        """Whether it is given to a name like ``backend``, in a file that uses ``torch.distributed``."""
        statement = self.ctx.tree.parent(node)
        if not isinstance(statement, cst.Assign) or "distributed" not in self.ctx.source.text:
            return False
        names = [(dotted_name(one.target) or "").rpartition(".")[2] for one in statement.targets]
        return all("backend" in name.lower() for name in names) or is_only_for_groups(self.ctx, statement)

    def _has_gloo(self, node: cst.SimpleString) -> bool:
        """Whether the function (or the module outside all of them) names gloo as well."""
        function = scopes(self.ctx).function_of(node)
        strings = self.ctx.tree.of_type(cst.SimpleString)
        named = [one for one in strings if "gloo" in one.value and string_value(one) not in _BOTH]
        return any(scopes(self.ctx).function_of(one) is function for one in named)

    def _fix(self, node: cst.SimpleString, call: cst.Call | None) -> Fix | None:
        torch = torch_name(self.ctx, node)
        if torch is None:
            return None
        asked = self._asked(node, call, torch[0])
        if asked is not None:
            text, more = asked
            return edits.as_fix(
                f"Replace by `{text}`", [replace_expression(self.ctx, node, text), *torch[1], *more], _CAVEAT
            )
        if self.ctx.target.kind == "accelerator":
            return None
        quote = node.value[-1]
        suffix = f" if {self.ctx.target.available(torch[0])} else {quote}gloo{quote}"
        changes: list[Edit] = [edits.insert_after(self.ctx, node, suffix), *torch[1]]
        if needs_parentheses(self.ctx, node):
            changes[:1] = [
                edits.insert_before(self.ctx, node, "("),
                edits.insert_after(self.ctx, node, suffix + ")"),
            ]
        return edits.as_fix(
            "Fall back to gloo where there is no CUDA", changes, availability_caveat(self.ctx, node) or _CAVEAT
        )

    def _asked(self, node: cst.SimpleString, call: cst.Call | None, torch: str) -> tuple[str, tuple[Edit, ...]] | None:
        """torch's own answer for a device that the program has; for the accelerator one may be defined."""
        choice = resolve_device(self.ctx, node) if self.ctx.target.torch_min_version >= BACKEND_FOR_DEVICE else None
        if choice is None or (choice.edits and self.ctx.target.kind == "cuda"):
            return None
        if " " in choice.expression:
            return None
        owner = call.func.value if call is not None and isinstance(call.func, cst.Attribute) else None
        named = owner is not None and origin(self.ctx, owner) == "torch.distributed"
        module = (
            self.ctx.text_of(owner)
            if owner is not None and named
            else name_of_distributed(self.ctx) or f"{torch}.distributed"
        )
        return f"{module}.{_FOR_DEVICE}({choice.expression})", choice.edits
