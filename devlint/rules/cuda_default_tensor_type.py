"""DEV204: a legacy CUDA tensor type made the default."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.guards.guards import runs_guarded
from devlint.analysis.legacy_types.type_uses import TypeRole, TypeUse, type_uses
from devlint.core.diagnostic import Fix
from devlint.fixes.conditional_device import conditional_value
from devlint.fixes.device.tensor_type_device import device_of_type
from devlint.fixes.torch_import import torch_name
from devlint.rules.base import Rule
from devlint.rules.triggers.names import Name
from devlint.syntax import edits, line_edits

_SINCE = (2, 0)
_MESSAGE = "makes CUDA the home of every new tensor"
_CAVEAT = "`torch.Tensor(...)` stays on the CPU, a DataLoader that shuffles needs a generator on the device"


class CudaDefaultTensorType(Rule):
    """A legacy CUDA tensor type set as the default.

    What it does
    ------------
    Finds ``torch.set_default_tensor_type("torch.cuda.FloatTensor")`` and the same with the type itself, but with target
    ``cuda`` not under a test for CUDA, where nothing fails.

    Why is this bad?
    ----------------
    It raises an error on every machine without CUDA. The function is deprecated since PyTorch 2.1; new code sets dtype
    and device separately.

    Example
    -------
    ```python
    import torch

    torch.set_default_tensor_type("torch.cuda.FloatTensor")
    ```

    Use instead:
    ```python
    import torch

    torch.set_default_tensor_type("torch.cuda.FloatTensor" if torch.cuda.is_available() else "torch.FloatTensor")
    ```

    Fix safety
    ----------
    Safe with target ``cuda``: with CUDA the type is the same. Unsafe if the test for CUDA would run when a library
    module is imported, or before the program sets ``CUDA_VISIBLE_DEVICES``. With other targets the fix writes
    ``torch.set_default_dtype(...)`` and ``torch.set_default_device(device)``, since other accelerators have no such
    types. That is unsafe: ``torch.Tensor(...)`` and ``torch.FloatTensor(...)`` stay on the CPU, and a ``DataLoader``
    that shuffles needs a generator on the device (pytorch#132483, #126533). There is no fix for integer types, which
    cannot be the default.
    """

    code = "DEV204"
    name = "cuda-default-tensor-type"
    advice = "Set dtype and device apart: `torch.set_default_dtype`, `torch.set_default_device`"
    gains_with_kernels = False
    trigger = Name("set_default_tensor_type")

    def visit_Module(self, node: cst.Module) -> None:
        for use in type_uses(self.ctx, TypeRole.DEFAULT):
            if self.ctx.target.kind != "cuda":
                self.report(use.owner, _MESSAGE, self._fix(use))
            elif not runs_guarded(self.ctx, use.choice.cuda_node):
                self.report(use.owner, _MESSAGE, self._choice(use))

    def _choice(self, use: TypeUse) -> Fix | None:
        """The same type of the CPU where there is no CUDA; with CUDA everything stays as it is."""
        kind, given = use.choice.cuda, use.choice.cuda_node
        torch = torch_name(self.ctx, given)
        if torch is None or use.choice.test is not None or "float" not in kind.dtype or kind.sparse:
            return None
        text = self.ctx.text_of(given)
        is_text = isinstance(given, cst.SimpleString)
        other = text.replace("torch.cuda.", "torch.", 1) if is_text else f"{torch[0]}.{kind.name}"
        made = conditional_value(self.ctx, given, other)
        message = f"Fall back to `{other}` where there is no CUDA"
        return edits.as_fix(message, made.edits, made.caveat) if made is not None else None

    def _fix(self, use: TypeUse) -> Fix | None:
        """Dtype and device set apart, since other accelerators have no such types."""
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
