"""DEV606: a test whether a device is CUDA where any accelerator would do."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.cuda.cuda_surroundings import has_counterparts
from devlint.analysis.cuda.device_alternatives import has_alternative
from devlint.analysis.devices.type_questions import is_refusal, type_question
from devlint.analysis.devices.vendor_actions import action_chains
from devlint.analysis.devices.vendor_chains import vendor_chains
from devlint.analysis.guards.cuda_only_code import does_without, needs_cuda
from devlint.analysis.guards.guards import runs_guarded
from devlint.analysis.names.string_literals import string_value
from devlint.analysis.slots.device_arguments import imports_torch
from devlint.fixes.device.types.device_type import target_type_fix
from devlint.fixes.device.types.type_question import choice_of_type, decision, question_fix, type_fix
from devlint.fixes.device.types.vendor_chain import action_fix, chain_fix
from devlint.rules.base import Rule
from devlint.rules.triggers.device_types import AsksForCuda
from devlint.syntax.call_arguments import keyword_argument


class DeviceTypeIsCuda(Rule):
    """A test whether a device is CUDA, where any accelerator would do.

    What it does
    ------------
    With ``target = "accelerator"`` or ``"project"``, finds ``device.type == "cuda"``, ``"cuda" in str(device)``,
    ``x.is_cuda`` and ``device_type = "cuda"``, and chains that ask for one kind of accelerator after the other
    (``if torch.cuda.is_available(): device = "cuda"``, ``elif is_torch_npu_available(): …``). A test is not reported
    where nothing shows that any accelerator is meant, where what it governs is for CUDA (kernels, functions of
    ``torch.cuda`` that ``torch.accelerator`` does not have, messages about CUDA), nor where the other branch is for
    another accelerator. ``if device.type != "cuda": raise …`` is reported outside of code for CUDA alone.

    Why is this bad?
    ----------------
    A program that runs on other accelerators treats them as the CPU here: it does not wait for them, pins no memory for
    them, or switches mixed precision off.

    Example
    -------
    ```python
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    device_type = "cuda" if "cuda" in str(device) else "cpu"
    loader = torch.utils.data.DataLoader([1, 2], pin_memory=device.type == "cuda")
    if device.type == "cuda":
        torch.cuda.synchronize()
    ```

    Use instead:
    ```python
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    device_type = torch.device(device).type
    loader = torch.utils.data.DataLoader([1, 2], pin_memory=device.type != "cpu")
    if device.type != "cpu":
        torch.accelerator.synchronize()
    ```

    Fix safety
    ----------
    Unsafe: other accelerators now take the branch for CUDA. A test changes together with all that it guards, or not at
    all. There is no fix where the branches do not show what is meant (``torch.float16 if device.type == "cuda" else
    torch.float32``) or refuse other devices, for a chain whose tests also ask for options of the program, and for the
    defaults of parameters, fields and options.
    """

    code = "DEV606"
    name = "device-type-is-cuda"
    advice = 'Ask what is meant: any accelerator (`device.type != "cpu"`), or only those that are named'
    targets = ("accelerator", "project")
    torch_since = (2, 6)
    trigger = AsksForCuda()

    def visit_Module(self, node: cst.Module) -> None:
        for chain in vendor_chains(self.ctx):
            message = "Each accelerator is asked for by its own name; `torch.accelerator` knows which one is there"
            place = chain.first.test if isinstance(chain.first, cst.If) else chain.first
            self.report(place, message, chain_fix(self.ctx, chain), end=chain.end)
        for action in action_chains(self.ctx):
            message = "The same is done for each accelerator by its own name; `torch.accelerator` does it for any"
            self.report(action.statement.test, message, action_fix(self.ctx, action))

    def visit_Comparison(self, node: cst.Comparison) -> None:
        self._check(node)

    def visit_Call(self, node: cst.Call) -> None:
        self._check(node)

    def visit_Attribute(self, node: cst.Attribute) -> None:
        self._check(node)

    def visit_SimpleString(self, node: cst.SimpleString) -> None:
        if string_value(node) == "cuda" and imports_torch(self.ctx):  # else the word may be another library's
            parent = self.ctx.tree.parent(node)
            if isinstance(parent, cst.Assign):
                targets = [one.target for one in parent.targets]
            elif isinstance(parent, cst.AnnAssign):
                targets = [parent.target]
            else:
                targets = [parent.name] if isinstance(parent, cst.Param) else []
            named = any(self._is_type(one) for one in targets) or self._is_option(node)
            if named and not self._is_for_cuda(node):
                fix = target_type_fix(self.ctx, node) if isinstance(parent, cst.Assign) else None
                self.report(node, "Only CUDA is this type; other accelerators have another one", fix)

    def _is_type(self, target: cst.BaseExpression) -> bool:
        """Whether a target is called ``device_type``."""
        name = target.attr if isinstance(target, cst.Attribute) else target
        return isinstance(name, cst.Name) and name.value.lower().endswith("device_type")

    def _is_option(self, node: cst.SimpleString) -> bool:
        """Whether it is the default of ``--device-type``."""
        arg = self.ctx.tree.parent(node)
        call = self.ctx.tree.parent(arg) if isinstance(arg, cst.Arg) and arg.keyword is not None else None
        if not isinstance(call, cst.Call) or call.args[0] is arg:
            return False
        named = string_value(call.args[0].value) or ""
        return keyword_argument(call, "default") is arg and named.strip("-").replace("-", "_").endswith("device_type")

    def _check(self, node: cst.BaseExpression) -> None:
        question = type_question(self.ctx, node)
        if question is None or self._is_for_cuda(node):
            return
        choice = choice_of_type(self.ctx, question)
        decided = decision(self.ctx, question) if choice is None else None
        said = f"`{self.ctx.one_line_of(node)}`: other accelerators are treated as the CPU"
        if choice is not None:
            self.report(node, said, type_fix(self.ctx, choice, question))
        elif decided is not None:
            self.report(node, said, question_fix(self.ctx, question, decided))
        elif is_refusal(self.ctx, question) and not does_without(self.ctx, node):
            self.report(node, "Other accelerators than CUDA are refused: decide whether they may be used")

    def _is_for_cuda(self, node: cst.BaseExpression) -> bool:
        asked = (has_counterparts, has_alternative, runs_guarded)
        return needs_cuda(self.ctx) or any(is_so(self.ctx, node) for is_so in asked)
