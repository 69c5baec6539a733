"""DEV506: ``torch.cuda.OutOfMemoryError`` where ``torch.OutOfMemoryError`` is the same class."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.names.resolution import is_torch
from devlint.core.diagnostic import Fix
from devlint.core.lazy_regex import regex
from devlint.fixes.torch_import import torch_name
from devlint.rules.base import Rule
from devlint.rules.triggers.names import Member
from devlint.syntax import edits, line_edits
from devlint.torch_api.cuda_members import OUT_OF_MEMORY

_NAME, _SINCE = OUT_OF_MEMORY
_ASKED = regex(rf"[\"']{_NAME}[\"']")
_MESSAGE = "`torch.cuda.OutOfMemoryError` is `torch.OutOfMemoryError`, which other devices raise too"


class CudaOomError(Rule):
    """``torch.cuda.OutOfMemoryError`` where ``torch.OutOfMemoryError`` is the same class.

    What it does
    ------------
    Finds ``torch.cuda.OutOfMemoryError``, written out or imported, if every torch that the project supports has
    ``torch.OutOfMemoryError``: with a ``torch-min-version`` of 2.5 or newer. Code that tests which of the two exists
    (``hasattr``, a ``try`` around the import, a choice between both) is not reported.

    Why is this bad?
    ----------------
    Other accelerators also run out of memory and raise ``torch.OutOfMemoryError``. The name in ``torch.cuda`` is an
    old alias, and suggests that only CUDA is handled here.

    Example
    -------
    ```toml
    [tool.devlint]
    torch-min-version = "2.5"
    ```

    ```python
    import torch


    def attempt(model: torch.nn.Module, x: torch.Tensor) -> bool:
        try:
            model(x)
        except torch.cuda.OutOfMemoryError:
            return False
        return True
    ```

    Use instead:
    ```python
    import torch


    def attempt(model: torch.nn.Module, x: torch.Tensor) -> bool:
        try:
            model(x)
        except torch.OutOfMemoryError:
            return False
        return True
    ```

    Fix safety
    ----------
    Safe: the two names are the same class.
    """

    code = "DEV506"
    name = "cuda-oom-error"
    advice = "Catch `torch.OutOfMemoryError`, which is the same class"
    torch_since = _SINCE
    trigger = Member("torch.cuda", "OutOfMemoryError")

    def visit_Attribute(self, node: cst.Attribute) -> None:
        if node.attr.value == _NAME and is_torch(self.ctx, node, f"cuda.{_NAME}") and self._is_plain(node):
            self.report(node, _MESSAGE, self._fix(node))

    def visit_ImportFrom(self, node: cst.ImportFrom) -> None:
        if isinstance(node.names, cst.ImportStar) or node.relative or node.module is None:
            return
        names = list(node.names)
        found = [index for index, alias in enumerate(names) if alias.name.value == _NAME]
        if not found or self.ctx.text_of(node.module) not in ("torch.cuda", "torch.cuda.memory"):
            return
        alias = names[found[0]]
        if self._is_plain(node):
            self.report(alias, _MESSAGE, self._import(node, names, found[0]))

    def _is_plain(self, node: cst.CSTNode) -> bool:
        """Whether every torch has the other name, and the program does not choose between the two."""
        if self.ctx.target.torch_min_version < self.torch_since or _ASKED.search(self.ctx.source.text):
            return False
        for parent in self.ctx.tree.ancestors(node):
            if isinstance(parent, (cst.FunctionDef, cst.ClassDef)):
                return True
            if isinstance(parent, (cst.If, cst.IfExp)) and f"torch.{_NAME}" in self.ctx.text_of(parent):
                return False
            if isinstance(parent, cst.Try) and isinstance(node, cst.ImportFrom):
                return False
        return True

    def _fix(self, node: cst.Attribute) -> Fix | None:
        """Write the other name; in a tuple that has it already, drop this one."""
        torch = torch_name(self.ctx, node)
        element = self.ctx.tree.parent(node)
        around = self.ctx.tree.parent(element) if isinstance(element, cst.Element) else None
        if torch is None:
            return None
        if isinstance(around, cst.Tuple):
            values = [one.value for one in around.elements]
            if any(is_torch(self.ctx, value, _NAME) for value in values):
                index = next(place for place, value in enumerate(values) if value is node)
                gone = edits.remove_items(self.ctx, around.elements, {index})
                return edits.as_fix("Drop the second name of one class", gone)
        changes = [edits.replace(self.ctx, node, f"{torch[0]}.{_NAME}"), *torch[1]]
        return edits.as_fix(f"Replace by `{torch[0]}.{_NAME}`", changes)

    def _import(self, node: cst.ImportFrom, names: list[cst.ImportAlias], index: int) -> Fix | None:
        """Import the name from torch; what else is imported stays where it is."""
        assert node.module is not None
        if len(names) == 1:
            return edits.as_fix("Import it from `torch`", [edits.replace(self.ctx, node.module, "torch")])
        line = self.ctx.tree.parent(node)
        bound = names[index].evaluated_alias
        text = f"from torch import {_NAME}" + (f" as {bound}" if bound is not None else "")
        added = line_edits.insert_line_before(self.ctx, line, [text]) if line is not None else None
        return edits.as_fix("Import it from `torch`", [*edits.remove_items(self.ctx, names, {index}), added])
