"""DEV204: a legacy CUDA tensor type made the default."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.apis.visible_devices import visible_devices_set_after
from devlint.analysis.guards.guards import runs_guarded
from devlint.analysis.legacy_types.type_uses import TypeRole, TypeUse, type_uses
from devlint.analysis.names.string_literals import string_value
from devlint.core.diagnostic import Fix
from devlint.fixes.device.tensor_type_device import device_of_type
from devlint.fixes.torch_import import torch_name
from devlint.rules.base import Rule
from devlint.rules.triggers.names import Name
from devlint.syntax import edits, line_edits

_SINCE = (2, 0)
_CAVEAT = "`torch.Tensor(...)` stays on the CPU, a DataLoader that shuffles needs a generator on the device"


class CudaDefaultTensorType(Rule):
    """A legacy CUDA tensor type set as the default.

    What it does
    ------------
    Finds ``torch.set_default_tensor_type("torch.cuda.FloatTensor")`` and the same with the type itself, but with target
    ``cuda`` not under a test for CUDA, where nothing fails.

    Why is this bad?
    ----------------
    It raises an error on every machine without CUDA. The function is deprecated since PyTorch 2.1; dtype and device
    are now set separately.

    Example
    -------
    ```python
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.set_default_tensor_type("torch.cuda.FloatTensor")
    ```

    Use instead:
    ```python
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.set_default_tensor_type("torch.cuda.FloatTensor" if torch.cuda.is_available() else "torch.FloatTensor")
    ```

    Fix safety
    ----------
    Safe: where there is CUDA nothing changes. Where that would ask for CUDA too early, and for other targets than
    ``cuda``, the fix writes ``torch.set_default_dtype(torch.float32)`` and ``torch.set_default_device(device)``, which
    is unsafe: ``torch.Tensor(...)`` and ``torch.FloatTensor(...)`` then stay on the CPU, and a ``DataLoader`` that
    shuffles needs a generator on the device (pytorch#132483, #126533). There is no fix for integer types, which cannot
    be the default, and no such one if PyTorch before 2.0 must be supported.
    """

    code = "DEV204"
    name = "cuda-default-tensor-type"
    trigger = Name("set_default_tensor_type")

    def visit_Module(self, node: cst.Module) -> None:
        for use in type_uses(self.ctx, TypeRole.DEFAULT):
            if self.ctx.target.kind == "cuda" and runs_guarded(self.ctx, use.choice.cuda_node):
                continue
            fix = self._elsewhere(use) or self._fix(use)
            self.report(use.owner, "makes CUDA the home of every new tensor", fix)

    def _elsewhere(self, use: TypeUse) -> Fix | None:
        """The same type of the CPU where there is no CUDA; None where it is too early to ask."""
        kind, torch = use.choice.cuda, torch_name(self.ctx, use.node)
        if self.ctx.target.kind != "cuda" or torch is None or use.choice.test is not None:
            return None
        if "float" not in kind.dtype or kind.sparse or visible_devices_set_after(self.ctx, use.owner):
            return None
        written = self.ctx.text_of(use.node)
        is_string = string_value(use.node) is not None
        other = written.replace("torch.cuda.", "torch.") if is_string else f"{torch[0]}.{kind.name}"
        if other == written:
            return None
        text = f" if {self.ctx.target.available(torch[0])} else {other}"
        added = edits.insert_after(self.ctx, use.node, text)
        return edits.as_fix(f"Make {other} the default where there is no CUDA", [added, *torch[1]])

    def _fix(self, use: TypeUse) -> Fix | None:
        kind, call = use.choice.cuda, use.owner
        assert isinstance(call, cst.Call)
        torch = torch_name(self.ctx, use.node)
        statement = self.ctx.tree.parent(call)
        line = self.ctx.tree.parent(statement) if isinstance(statement, cst.Expr) else None
        if torch is None or line is None or not use.choice.consistent or "float" not in kind.dtype or kind.sparse:
            return None
        choice = device_of_type(self.ctx, use.choice) if self.ctx.target.torch_min_version >= _SINCE else None
        if choice is None:
            return None
        given, second = call.args[0], f"{torch[0]}.set_default_device({choice.expression})"
        changes = [
            edits.replace_outer(self.ctx, call.func, f"{torch[0]}.set_default_dtype"),
            edits.replace_outer(self.ctx, given.value, f"{torch[0]}.{kind.dtype}"),
            line_edits.insert_statement(self.ctx, line, call, second),
        ]
        return edits.as_fix(
            f"Set the dtype and `{second}`", [*changes, *torch[1], *choice.edits], choice.caveat or _CAVEAT
        )
