"""DEV605: a name of torch's that concerns devices, misspelled."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from devlint.analysis.apis.accelerator_members import is_since
from devlint.analysis.apis.optional_members import is_expected_absent
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import origin, reads
from devlint.analysis.names.scopes import scopes
from devlint.core.diagnostic import Edit, Fix
from devlint.rules.base import Rule
from devlint.rules.triggers.misspelled_members import MisspelledMember
from devlint.syntax import edits
from devlint.torch_api.accelerator_api import SINCE
from devlint.torch_api.module_members import intended


class MisspelledDeviceApi(Rule):
    """A misspelled name of torch that concerns devices.

    What it does
    ------------
    Finds names that ``torch``, ``torch.cuda``, ``torch.nn``, ``torch.amp``, ``torch.backends`` or
    ``torch.accelerator`` do not have, and that differ by one letter, or by upper and lower case, from one that they
    have and that concerns devices: ``torch.cuda.is_avaliable()``, ``nn.Dataparallel``, and
    ``torch.backends.cudnn.benchmak = True``. A name that the file itself defines there, tests with ``hasattr`` or
    expects to be absent is not reported.

    Why is this bad?
    ----------------
    The program stops with an AttributeError when the line runs, often only on a machine with a GPU. Assigning to a
    misspelled flag of ``torch.backends`` is worse: it has no effect, and there is no error.

    Example
    -------
    ```python
    import torch

    if torch.cuda.is_avaliable():
        torch.cuda.empty_cahce()
    ```

    Use instead:
    ```python
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    ```

    Fix safety
    ----------
    Safe: with the misspelled name the program stops. Unsafe for a flag that is assigned to, because it now has an
    effect. There is no fix if two names are equally similar, or if the oldest torch that the project supports does not
    have the right one.
    """

    code = "DEV605"
    name = "misspelled-device-api"
    advice = "Write a name that the oldest torch of the project has"
    trigger = MisspelledMember()

    def visit_Attribute(self, node: cst.Attribute) -> None:
        module = origin(self.ctx, node.value)
        names = intended(module, node.attr.value) if module is not None else ()
        if not names or is_expected_absent(self.ctx, node, node.attr.value):
            return
        assigned = isinstance(self.ctx.tree.parent(node), cst.AssignTarget)
        if assigned and not (module or "").startswith("torch.backends."):
            return
        changes = [edits.replace(self.ctx, node.attr, names[0])]
        self._found(
            node, f"{module}.{node.attr.value}", names, changes, "the flag has an effect then" if assigned else None
        )

    def visit_ImportFrom(self, node: cst.ImportFrom) -> None:
        module = dotted_name(node.module) if node.module is not None and not node.relative else None
        for alias in node.names if not isinstance(node.names, cst.ImportStar) else ():
            names = intended(module or "", alias.name.value) if isinstance(alias.name, cst.Name) else ()
            if names and not is_expected_absent(self.ctx, alias, str(alias.name.value)):
                self._found(alias, f"{module}.{alias.name.value}", names, self._imported(node, alias, names[0]))

    def _found(
        self,
        node: cst.CSTNode,
        written: str,
        names: tuple[str, ...],
        changes: Sequence[Edit | None],
        caveat: str | None = None,
    ) -> None:
        fix: Fix | None = None
        if len(names) == 1 and self._has(written.rpartition(".")[0], names[0]):
            fix = edits.as_fix(f"Replace by `{names[0]}`", changes, caveat)
        meant = " or ".join(f"`{name}`" for name in names)
        self.report(node, f"torch has no `{written}`; {meant} is meant", fix)

    def _has(self, module: str, name: str) -> bool:
        """Whether every torch that the project supports has a name."""
        if module == "torch.accelerator":
            return is_since(self.ctx, name)
        return name != "accelerator" or self.ctx.target.torch_min_version >= min(SINCE.values())

    def _imported(self, node: cst.ImportFrom, alias: cst.ImportAlias, name: str) -> list[Edit | None]:
        """The imported name, and every use of it; None among them where the right name is taken."""
        first: Edit | None = edits.replace(self.ctx, alias.name, name)
        if alias.asname is not None:
            return [first]
        table, wrong = scopes(self.ctx), str(alias.name.value)
        scope = table.scope_of(node)
        uses = [one for one in reads(self.ctx) if one.value == wrong]
        if len(scope.bindings[wrong]) != 1 or any(table.binder(name, one) is not None for one in [node, *uses]):
            return [None]
        if any(table.binder(wrong, one) is not scope for one in uses) or f'"{wrong}"' in self.ctx.source.text:
            return [None]
        return [first, *(edits.replace(self.ctx, one, name) for one in uses)]
