"""DEV302: the visible GPUs are chosen when CUDA has already looked."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.apis.environment_writes import EnvironmentWrite, environment_writes
from devlint.analysis.cuda.initialization_order import Execution
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import bindings
from devlint.core.lazy_regex import regex
from devlint.rules.base import Rule
from devlint.rules.triggers.strings import Variable
from devlint.torch_api.environment_variables import meant

_NAMES = frozenset({"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"})
_STARTS_OTHERS = regex(
    r"\b(?:subprocess|Popen|multiprocessing|torch_mp|mp|Process|ProcessPool\w*|Pool|spawn|ray|submitit|joblib|execv\w*"
    r"|os\.system|os\.exec\w+|os\.fork|launch\w*)\b"
)


class LateEnvVar(Rule):
    """The visible GPUs are chosen after CUDA was started.

    What it does
    ------------
    Finds ``os.environ["CUDA_VISIBLE_DEVICES"] = …`` (and ``CUDA_DEVICE_ORDER``) at a place that is only reached after
    the program has asked for CUDA or used it: ``torch.cuda.is_available()``, ``torch.cuda.set_device(...)``,
    ``.cuda()``, ``device="cuda"``. devlint follows the program in its order of execution, through the functions it
    calls. ``import torch`` alone does not start CUDA. Files that start other programs, which do see the variable, are
    not reported.

    Why is this bad?
    ----------------
    CUDA reads the variable once, when it starts. A later change has no effect: the program runs on GPUs that it was
    told not to use.

    Example
    -------
    ```python
    import os
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
    ```

    Use instead:
    ```python
    import os
    import torch

    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    ```

    Fix safety
    ----------
    There is no fix: the program would run on another GPU than before.
    """

    code = "DEV302"
    name = "late-env-var"
    advice = "Set the variable before anything touches CUDA, best before torch is imported"
    trigger = Variable("_VISIBLE_DEVICE", "CUDA_DEVICE_ORDER", "CUDA_VIS")

    def visit_Module(self, node: cst.Module) -> None:
        writes = [one for one in environment_writes(self.ctx) if self._chooses(one)]
        if not writes or _STARTS_OTHERS.search(self.ctx.source.text):
            return
        execution = Execution(self.ctx, {id(one.node) for one in writes})
        for write in writes:
            start = execution.started_before(write.node)
            if start is not None:
                row = self.ctx.source.place(self.ctx.span(start).start)
                place = f"line {row.row}" if row.cell is None else f"cell {row.cell}, line {row.row}"
                what = self.ctx.one_line_of(start)
                shown = what if len(what) <= 40 else f"{what[:37]}..."
                self.report(write.node, f"Too late to have an effect: `{shown}` in {place} has started CUDA")

    def _chooses(self, write: EnvironmentWrite) -> bool:
        """Whether a write is to choose the GPUs of this process."""
        if write.name is None or not write.own or not ({write.name, meant(write.name)} & _NAMES):
            return False
        call = write.node if isinstance(write.node, cst.Call) else self._call_of(write.node)
        return not (call is not None and (dotted_name(call.func) or "").endswith("patch.dict")) and not self._restores(
            write.value
        )

    def _call_of(self, node: cst.CSTNode) -> cst.Call | None:
        return next((one for one in self.ctx.tree.ancestors(node) if isinstance(one, cst.Call)), None)

    def _restores(self, value: cst.BaseExpression) -> bool:
        """Whether a value was in the environment before."""
        if not isinstance(value, cst.Name):
            return False
        _, found = bindings(self.ctx, value.value, value)
        return any(one.value is not None and "environ" in self.ctx.text_of(one.value) for one in found)
