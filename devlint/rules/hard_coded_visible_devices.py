"""DEV305: a program that chooses its own GPUs."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.apis.environment_reads import variable_name
from devlint.analysis.apis.environment_writes import EnvironmentWrite, environment_writes
from devlint.core.lazy_regex import regex
from devlint.rules.base import Rule
from devlint.rules.triggers.strings import Variable

_CARDS = regex(r"\s*(?:\d+|GPU-[\w-]+|MIG-[\w/-]+)\s*(?:,\s*(?:\d+|GPU-[\w-]+|MIG-[\w/-]+)?\s*)*\Z")
_NAMES = regex(r"[A-Z]+(?:_RT)?_VISIBLE_(?:DEVICES|MODULES)\Z")


class HardCodedVisibleDevices(Rule):
    """A program that selects its own GPUs.

    What it does
    ------------
    Finds ``os.environ["CUDA_VISIBLE_DEVICES"] = "1"`` and the corresponding variables of other vendors, set to literal
    indices. A value from an option, ``setdefault``, and ``""`` or ``"-1"``, which mean no GPU, are not reported. Not
    on by default.

    Why is this bad?
    ----------------
    The author's machine had a GPU with that index; on a machine without it, the program finds no GPU. Schedulers
    assign GPUs through this variable, and the program overwrites it.

    Example
    -------
    ```python
    import os

    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
    ```

    Fix safety
    ----------
    There is no fix: only the author knows who should choose. Usually the line can be removed, and whoever starts the
    program writes ``CUDA_VISIBLE_DEVICES=1 python …``; with ``os.environ.setdefault`` they can override the choice.
    """

    code = "DEV305"
    name = "hard-coded-visible-devices"
    advice = "Leave the choice of GPUs to whoever starts the program"
    default = False
    trigger = Variable("_VISIBLE_DEVICES", "_VISIBLE_MODULES")

    def visit_Module(self, node: cst.Module) -> None:
        for write in environment_writes(self.ctx):
            if write.own and write.overwrites and _NAMES.match(write.name or "") and self._names_cards(write.value):
                if not self._is_fallback(write):
                    self.report(write.node, f"The program chooses its own GPUs: `{write.name}` is overwritten")

    def _names_cards(self, value: cst.BaseExpression) -> bool:
        """Whether a value is a constant with the numbers of cards."""
        text = variable_name(value)
        return isinstance(value, cst.Integer) or (text is not None and _CARDS.match(text) is not None)

    def _is_fallback(self, write: EnvironmentWrite) -> bool:
        """Whether it is written only where nobody else has: ``if "CUDA_VISIBLE_DEVICES" not in os.environ:``."""
        ifs = (one for one in self.ctx.tree.ancestors(write.node) if isinstance(one, cst.If))
        return any(str(write.name) in self.ctx.text_of(one.test) for one in ifs)
