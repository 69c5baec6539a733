"""DEV203: a tensor asked whether it has one of the legacy CUDA tensor types."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from devlint.analysis.legacy_types.tensor_types import TensorType
from devlint.analysis.legacy_types.type_uses import TypeRole, TypeUse, receiver_of_type_call, type_uses
from devlint.analysis.names.bindings import dotted_name
from devlint.core.diagnostic import Edit, Fix
from devlint.fixes.torch_import import torch_name
from devlint.rules.base import Rule
from devlint.rules.triggers.torch_names import LegacyType
from devlint.syntax import edits


class CudaTensorCheck(Rule):
    """A tensor checked for a legacy CUDA tensor type.

    What it does
    ------------
    Finds ``isinstance(x, torch.cuda.FloatTensor)``, ``x.type() == "torch.cuda.FloatTensor"`` and other comparisons
    with such a type or its name.

    Why is this bad?
    ----------------
    The result is false on every other kind of device, so the program silently takes another branch there. Since
    PyTorch 0.4, ``type(x)`` is ``torch.Tensor`` for all tensors, and ``type(x) == torch.cuda.FloatTensor`` is never
    true.

    Example
    -------
    ```python
    import torch

    x = torch.ones(4)
    if isinstance(x, torch.cuda.FloatTensor):
        print("on the GPU")
    if x.type() == "torch.cuda.HalfTensor":
        print("half precision")
    ```

    Use instead:
    ```python
    import torch

    x = torch.ones(4)
    if x.is_cuda and x.dtype == torch.float32:
        print("on the GPU")
    if x.dtype == torch.float16:
        print("half precision")
    ```

    Fix safety
    ----------
    Unsafe: ``isinstance`` also works for objects that are not tensors, where ``x.is_cuda`` raises an error. Code that
    compares names of types usually tests the precision, so the new test is true on the CPU as well. There is no fix
    for several types at once, for ``type(x)``, and if ``x`` would be computed twice.
    """

    code = "DEV203"
    name = "cuda-tensor-check"
    advice = "Ask for what is meant: `x.dtype` for the precision, `x.device` for the place"
    gains_with_kernels = False
    trigger = LegacyType()

    def visit_Module(self, node: cst.Module) -> None:
        for use in type_uses(self.ctx, TypeRole.CHECK):
            named = self.ctx.text_of(use.node).strip("\"'")
            self.report(use.node, f"only a tensor on CUDA can be a `{named}`", self._fix(use))

    def _fix(self, use: TypeUse) -> Fix | None:
        torch = torch_name(self.ctx, use.node)
        if torch is None or use.choice.test is not None or use.choice.cuda.sparse:
            return None
        if isinstance(use.owner, cst.Call):
            return self._instance(use, use.owner, *torch)
        return self._comparison(use, use.owner, *torch) if isinstance(use.owner, cst.Comparison) else None

    def _instance(self, use: TypeUse, call: cst.Call, torch: str, imports: Sequence[Edit]) -> Fix | None:
        """``isinstance(x, torch.cuda.FloatTensor)``."""
        if len(call.args) != 2 or call.args[1].value is not use.node or call.args[0].star:
            return None
        name = dotted_name(call.args[0].value)
        if name is None or not isinstance(call.func, cst.Name) or call.func.value != "isinstance":
            return None
        text = f"{name}.is_cuda and {_has_dtype(name, torch, use.choice.cuda)}"
        edit = edits.replace(self.ctx, call, text if self._stands_alone(call) else f"({text})")
        return edits.as_fix(f"Replace by `{text}`", [edit, *imports], f"`{name}` must be a tensor")

    def _comparison(self, use: TypeUse, comparison: cst.Comparison, torch: str, imports: Sequence[Edit]) -> Fix | None:
        """``x.type() == "torch.cuda.FloatTensor"``, either way round, and ``!=``."""
        target = comparison.comparisons[0]
        if len(comparison.comparisons) != 1 or not isinstance(target.operator, (cst.Equal, cst.NotEqual)):
            return None
        other = target.comparator if comparison.left is use.node else comparison.left
        asked = receiver_of_type_call(other)
        if asked is None or use.node not in (comparison.left, target.comparator):
            return None
        changes = [
            edits.replace(self.ctx, other, f"{self.ctx.text_of(asked)}.dtype"),
            edits.replace_outer(self.ctx, use.node, f"{torch}.{use.choice.cuda.dtype}"),
            *imports,
        ]
        return edits.as_fix("Ask for the dtype", changes, "true on the CPU as well")

    def _stands_alone(self, call: cst.Call) -> bool:
        """Whether an ``and`` in the place of ``call`` binds as it should."""
        if call.lpar:
            return True
        parent = self.ctx.tree.parent(call)
        if isinstance(parent, cst.BooleanOperation):
            return isinstance(parent.operator, cst.And) and parent.left is call
        if isinstance(parent, cst.Arg):
            return not parent.star
        return isinstance(parent, (cst.If, cst.While, cst.Assert, cst.Assign, cst.Return))


def _has_dtype(name: str, torch: str, kind: TensorType) -> str:
    return f"{name}.dtype == {torch}.{kind.dtype}"
