"""DEV705: a name of torch.accelerator that the oldest torch to be supported does not have."""

from __future__ import annotations

import re

import libcst as cst

from devlint.analysis.apis.accelerator_members import accelerator_member
from devlint.analysis.apis.optional_members import is_expected_absent
from devlint.analysis.guards.guards import guards_of
from devlint.analysis.guards.questions import Question
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.resolution import sole_value
from devlint.core.lazy_regex import regex
from devlint.rules.base import Rule
from devlint.rules.triggers.names import Member
from devlint.syntax.file_context import FileContext
from devlint.torch_api.accelerator_api import KEYWORDS_SINCE, MODULES_SINCE, SINCE, Version

_ASKS = regex(r"attr\(|version|is_torch_|TORCH_|torch_(?:greater|less)|accelerator_available|\bdir\(", re.IGNORECASE)


class NewerThanTorchMin(Rule):
    """A name of ``torch.accelerator`` that is newer than the oldest torch the project supports.

    What it does
    ------------
    Finds names of ``torch.accelerator``, and ``check_available=``, that are newer than ``torch-min-version``, or than
    the project's own requirement of torch if that is not set. If neither says which torch is the oldest, or if the
    file tests for the name or the version, there is no finding.

    Why is this bad?
    ----------------
    ``torch.accelerator`` has grown since torch 2.6: ``device_index`` exists since 2.8, ``empty_cache`` and the memory
    statistics since 2.9, ``get_memory_info`` since 2.10. With the oldest torch that the project allows, the program
    stops with an AttributeError.

    Example
    -------
    ```python
    import torch


    def clean() -> None:
        if torch.accelerator.is_available():
            torch.accelerator.empty_cache()
    ```

    Use instead:
    ```python
    import torch


    def clean() -> None:
        if hasattr(torch, "accelerator") and hasattr(torch.accelerator, "empty_cache"):
            if torch.accelerator.is_available():
                torch.accelerator.empty_cache()
    ```

    Fix safety
    ----------
    There is no fix: test for the name, or require a newer torch.
    """

    code = "DEV705"
    name = "newer-than-torch-min"
    advice = "Test for the name with `hasattr`, or require a newer torch"
    needs_torch_min = True
    trigger = Member("torch.accelerator")

    def visit_Attribute(self, node: cst.Attribute) -> None:
        member = accelerator_member(self.ctx, node)
        if member is None or (member in MODULES_SINCE and isinstance(self.ctx.tree.parent(node), cst.Attribute)):
            return
        self._check(node, member, f"torch.accelerator.{member}", SINCE.get(member) or MODULES_SINCE.get(member))

    def visit_ImportFrom(self, node: cst.ImportFrom) -> None:
        if node.relative or node.module is None or isinstance(node.names, cst.ImportStar):
            return
        if dotted_name(node.module) == "torch.accelerator":
            for alias in node.names:
                name = dotted_name(alias.name) or ""
                self._check(alias, name, f"torch.accelerator.{name}", SINCE.get(name) or MODULES_SINCE.get(name))

    def visit_Call(self, node: cst.Call) -> None:
        keyword, since = KEYWORDS_SINCE.get(accelerator_member(self.ctx, node.func) or "", ("", None))
        for arg in node.args:
            if arg.keyword is None or arg.keyword.value == keyword:
                self._check(arg, keyword, f"{keyword}=", since)

    def _check(self, node: cst.CSTNode, name: str, written: str, since: Version | None) -> None:
        """Report ``node`` if what it names came after the oldest torch, and nothing asks whether it is there."""
        target = self.ctx.target
        if since is None or since <= target.torch_min_version or target.torch_min_is_guess:
            return
        names = {name, "accelerator"} if since == min(SINCE.values()) else {name}
        if any(is_expected_absent(self.ctx, node, one.rpartition(".")[2]) for one in names):
            return
        if next(guards_of(self.ctx, node, _FOR_VERSION), None) is not None:
            return
        first, oldest = (".".join(map(str, version)) for version in (since, target.torch_min_version))
        self.report(node, f"`{written}` is new in torch {first}, but the project supports torch {oldest}")


def _asks_for_version(ctx: FileContext, test: cst.CSTNode, holds: bool) -> bool:
    """Whether a test is about what torch has, whichever way."""
    value = sole_value(ctx, test) if isinstance(test, cst.Name) else None
    return any(_ASKS.search(ctx.text_of(one)) is not None for one in (test, value) if one is not None)


_FOR_VERSION = Question(_asks_for_version, regex("torch|version"))
