"""DEV403: a tensor that a module keeps, but does not take along."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import class_of, self_name
from devlint.analysis.owners.plain_bases import is_known_as_plain
from devlint.analysis.tensors.cpu_tensors import kept_tensors
from devlint.core.diagnostic import Fix
from devlint.rules.base import Rule
from devlint.rules.triggers.cpu_tensors import CpuTensor
from devlint.syntax import edits
from devlint.torch_api.tensor_makers import CPU_CONSTRUCTORS


class UnregisteredTensor(Rule):
    """A tensor that does not move with its module.

    What it does
    ------------
    Finds ``self.mask = torch.ones(4)`` in the ``__init__`` of an nn.Module, if ``self.mask`` meets, in an operation
    that wants its tensors on one device, a tensor that moves with the module or is given to it. Tensors are followed
    through the methods of the class and the functions of the file. Tensors without dimensions, indices, attributes
    that a method moves or sets again, what may be a copy of a tensor on a device (``torch.tensor(mean)``), tests, and
    modules that define ``to`` or ``_apply`` are not reported.

    Why is this bad?
    ----------------
    ``module.to(device)`` moves parameters, buffers and submodules. A plain attribute stays on the CPU, and ``forward``
    fails on every other device.

    Example
    -------
    ```python
    import torch


    class Masked(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.mask = torch.ones(4)

        def forward(self, x):
            return x * self.mask
    ```

    Use instead:
    ```python
    import torch


    class Masked(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("mask", torch.ones(4), persistent=False)

        def forward(self, x):
            return x * self.mask
    ```

    Fix safety
    ----------
    Unsafe: the tensor then moves with the module to every device and, with ``.half()``, to every dtype.
    ``persistent=False`` keeps it out of the state dict, as before. There is no fix before ``super().__init__()``.
    """

    code = "DEV403"
    name = "unregistered-tensor"
    advice = "Register it with `self.register_buffer(…, persistent=False)`, so that it moves with the module"
    trigger = CpuTensor(is_kept=True)

    def check(self, node: cst.Call) -> None:
        kept = kept_tensors(self.ctx)
        missing = kept.get(self.ctx.span(node)) if kept else None
        function = self._function(node) if missing is not None else None
        definition = class_of(self.ctx, function) if function is not None else None
        if missing is None or function is None or definition is None or is_known_as_plain(self.ctx, definition):
            return
        around = self.ctx.span(function)
        first = min(
            span.start
            for span, one in kept.items()
            if one.attribute == missing.attribute and around.start <= span.start < around.end
        )
        name = f"{self_name(function)}.{missing.attribute}"
        statement = self._kept_by(node, function, name)
        if statement is None or not self._is_tensor(statement.value) or first < self.ctx.span(node).start:
            return
        met = f"meets a tensor {missing.partner} ({missing.meeting_in_words})"
        message = f"`{name}` does not follow the module to another device, and {met}"
        self.report(statement, message, self._fix(statement, name, function))

    def _function(self, node: cst.CSTNode) -> cst.FunctionDef | None:
        """The function around a node."""
        current = self.ctx.tree.parent(node)
        while current is not None and not isinstance(current, cst.FunctionDef):
            current = self.ctx.tree.parent(current)
        return current

    def _kept_by(self, node: cst.Call, function: cst.FunctionDef, name: str) -> cst.Assign | None:
        """The statement that gives an attribute what a call makes, itself or by a name, if there is such a one."""
        end = self.ctx.span(node).end
        every = [one for one in self.ctx.tree.below(function.body) if isinstance(one, cst.Assign)]
        given = [one for one in every if any(dotted_name(each.target) == name for each in one.targets)]
        below = [one for one in given if self.ctx.span(one).end >= end]
        around = (one for one in below if self.ctx.span(one.value).end >= end > self.ctx.span(one.value).start)
        direct = next(around, None)
        if direct is None and len(below) > 1:
            return None  # the last of several values, of which nobody knows which is the tensor
        return direct or (below[0] if below else None)

    def _is_tensor(self, value: cst.BaseExpression) -> bool:
        """Whether a value is a tensor, and no instance of another class: a distribution, a list of parameters."""
        called = (dotted_name(one.func) or "" for one in self.ctx.tree.below(value) if isinstance(one, cst.Call))
        names = (one.rpartition(".")[2] for one in called)
        return not any(name[:1].isupper() and name not in CPU_CONSTRUCTORS for name in names)

    def _fix(self, statement: cst.Assign, name: str, function: cst.FunctionDef) -> Fix | None:
        above = self.ctx.source.text[self.ctx.span(function).start : self.ctx.span(statement).start]
        if len(statement.targets) != 1 or ".__init__(" not in above:  # without which nothing can be registered
            return None
        instance, _, attribute = name.partition(".")
        value = self.ctx.text_of(statement.value)
        text = f'{instance}.register_buffer("{attribute}", {value}, persistent=False)'
        caveat = "the tensor then follows the module to every device and dtype"
        return edits.as_fix("Register it as a buffer", [edits.replace(self.ctx, statement, text)], caveat)
