"""DEV704: a name that torch.accelerator never had."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.apis.accelerator_members import is_since
from devlint.analysis.apis.optional_members import is_expected_absent
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import origin
from devlint.core.diagnostic import Fix
from devlint.rules.base import Rule
from devlint.rules.triggers.names import Member
from devlint.rules.triggers.torch_names import is_unknown
from devlint.syntax import edits
from devlint.torch_api.accelerator_api import INSTEAD, RENAMED
from devlint.torch_api.module_members import is_never_of_accelerator

_MODULE = "torch.accelerator"


class UnknownAcceleratorName(Rule):
    """A name that ``torch.accelerator`` does not have, but ``torch.cuda`` or another module does.

    What it does
    ------------
    Finds attributes of ``torch.accelerator``, and names imported from it, that no release of torch has, and says what
    to use instead. DEV605 reports misspelled names. If the file tests for the name, defines it, or catches the error,
    there is no finding.

    Why is this bad?
    ----------------
    ``torch.accelerator`` is not ``torch.cuda`` with another name. Some functions have other names
    (``set_device_index``), some are elsewhere (``torch.Stream``), some do not exist. The program stops with an
    AttributeError when the line runs, with or without a GPU.

    Example
    -------
    ```python
    import torch

    if torch.accelerator.is_available():
        print(torch.accelerator.current_device())
    ```

    Use instead:
    ```python
    import torch

    if torch.accelerator.is_available():
        print(torch.accelerator.current_device_index())
    ```

    Fix safety
    ----------
    Safe: with the wrong name the program stops. There is a fix only if one function does exactly the same and every
    supported torch has it.
    """

    code = "DEV704"
    name = "unknown-accelerator-name"
    advice = "Use a function that the oldest torch of the project has"
    trigger = Member("torch.accelerator").where(is_unknown)

    def visit_Attribute(self, node: cst.Attribute) -> None:
        name = node.attr.value
        if origin(self.ctx, node.value) != _MODULE or isinstance(self.ctx.tree.parent(node), cst.AssignTarget):
            return
        if is_never_of_accelerator(name) and not is_expected_absent(self.ctx, node, name):
            self.report(node, self._message(name), self._fix(node))

    def visit_ImportFrom(self, node: cst.ImportFrom) -> None:
        if node.relative or node.module is None or isinstance(node.names, cst.ImportStar):
            return
        if dotted_name(node.module) != _MODULE:
            return
        for alias in node.names:
            name = dotted_name(alias.name) or ""
            if is_never_of_accelerator(name) and not is_expected_absent(self.ctx, alias, name):
                self.report(alias, self._message(name))

    def _message(self, name: str) -> str:
        instead = f"`{_MODULE}.{RENAMED[name]}`" if name in RENAMED else INSTEAD.get(name)
        return f"`{_MODULE}.{name}` does not exist" + (f"; there is {instead}" if instead else "")

    def _fix(self, node: cst.Attribute) -> Fix | None:
        renamed = RENAMED.get(node.attr.value, "")
        if not is_since(self.ctx, renamed):
            return None
        return edits.as_fix(f"Replace by `{renamed}`", [edits.replace(self.ctx, node.attr, renamed)])
