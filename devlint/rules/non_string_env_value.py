"""DEV303: a number, a truth value or a list put into the environment, which holds strings only."""

from __future__ import annotations

import re

import libcst as cst

from devlint.analysis.apis.environment_writes import EnvironmentWrite, environment_writes
from devlint.analysis.names.bindings import Binding, How, dotted_name
from devlint.analysis.names.resolution import bindings
from devlint.analysis.names.scopes import scopes
from devlint.core.diagnostic import Fix
from devlint.rules.base import Rule
from devlint.rules.triggers.environment import EnvironmentValue
from devlint.syntax import edits
from devlint.torch_api.environment_variables import COUNTING

_NUMBERS = (cst.Integer, cst.Float)
_FLAGS = ("CUDA_LAUNCH_BLOCKING", "_DISABLE", "_ENABLE", "_BLOCKING_WAIT", "_ERROR_HANDLING", "_FALLBACK")
"""Ends of names of variables that are switched on by 1 and off by 0."""


class NonStringEnvValue(Rule):
    """A value that is not a string put into the environment.

    What it does
    ------------
    Finds numbers, ``True``, ``False``, ``None``, lists, and variables that hold numbers, assigned to ``os.environ``,
    passed to ``os.putenv``, or put into a copy of the environment for another program. Values that may be strings are
    not reported.

    Why is this bad?
    ----------------
    The line raises ``TypeError: str expected, not int`` when it runs, which is often long after it was written,
    because nobody has tried ``--gpu 1`` before.

    Example
    -------
    ```python
    import os

    os.environ["CUDA_VISIBLE_DEVICES"] = 0
    ```

    Use instead:
    ```python
    import os

    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    ```

    Fix safety
    ----------
    Safe: the line has always failed. There is no fix if several strings are possible, as for ``None``, and for
    ``True`` unless ``1`` is known to turn the variable on.
    """

    code = "DEV303"
    name = "non-string-env-value"
    advice = "Put a string into the environment"
    trigger = EnvironmentValue()

    def visit_Module(self, node: cst.Module) -> None:
        for write in environment_writes(self.ctx):
            kind = self._kind(write.value)
            if kind is not None:
                message = f"The environment holds strings: {kind} raises TypeError here"
                self.report(write.value, message, self._fix(write))

    def _kind(self, value: cst.BaseExpression) -> str | None:
        """What a value certainly is, if it is no string."""
        if isinstance(value, cst.Name) and value.value in ("True", "False", "None"):
            return f"`{value.value}`"
        if isinstance(value, (cst.List, cst.Tuple)):
            return "a list" if isinstance(value, cst.List) else "a tuple"
        return "a number" if self._is_number(value) else None

    def _is_number(self, value: cst.CSTNode, depth: int = 0) -> bool:
        """Whether an expression certainly is a number."""
        if isinstance(value, cst.UnaryOperation):
            return not isinstance(value.operator, cst.Not) and self._is_number(value.expression, depth)
        if isinstance(value, cst.BinaryOperation):
            return self._is_number(value.left, depth) and self._is_number(value.right, depth)
        if isinstance(value, cst.Call):
            name = dotted_name(value.func)
            return name in COUNTING and scopes(self.ctx).binder(name, value) is None
        if isinstance(value, cst.Name) and depth < 4:
            _, found = bindings(self.ctx, value.value, value)
            return bool(found) and all(self._binds_number(one, depth) for one in found)
        return isinstance(value, _NUMBERS)

    def _binds_number(self, binding: Binding, depth: int) -> bool:
        """Whether a name gets a number: ``n = 3``, ``for n in range(8)``."""
        if binding.how is How.LOOP and isinstance(binding.node, (cst.For, cst.CompFor)):
            loop = binding.node
            called = dotted_name(loop.iter.func) if isinstance(loop.iter, cst.Call) else None
            counts = isinstance(loop.target, cst.Name) and called == "range"
            return counts and scopes(self.ctx).binder("range", loop) is None
        return binding.how is How.ASSIGN and binding.value is not None and self._is_number(binding.value, depth + 1)

    def _fix(self, write: EnvironmentWrite) -> Fix | None:
        text = self._text(write)
        around = self.ctx.tree.parent(write.node)
        if text is None or (isinstance(around, cst.Assign) and len(around.targets) > 1):
            return None
        outer = self.ctx.text_of(write.value)
        change = None if "#" in outer else edits.replace_outer(self.ctx, write.value, text)
        return edits.as_fix("Make it a string", [change])

    def _text(self, write: EnvironmentWrite) -> str | None:
        """The string that was meant."""
        value, name = write.value, write.name or ""
        quote = "'" if self.ctx.text_of(write.key).endswith("'") else '"'
        if isinstance(value, cst.Name) and value.value in ("True", "False"):
            switch = "1" if value.value == "True" else "0"
            return f"{quote}{switch}{quote}" if name.endswith(_FLAGS) else None
        if isinstance(value, (cst.List, cst.Tuple)):
            numbers = [one.value.value for one in value.elements if isinstance(one.value, cst.Integer)]
            whole = len(numbers) == len(value.elements) and name.endswith("VISIBLE_DEVICES")
            return f"{quote}{','.join(numbers)}{quote}" if whole else None
        minus = isinstance(value, cst.UnaryOperation) and isinstance(value.operator, cst.Minus)
        number = value.expression if minus and isinstance(value, cst.UnaryOperation) else value
        if isinstance(number, cst.Integer) and re.fullmatch(r"0|[1-9]\d*", number.value):
            return f"{quote}{'-' if minus else ''}{number.value}{quote}"
        if not self._is_number(value) or scopes(self.ctx).binder("str", value) is not None:
            return None
        return f"str({self.ctx.text_of(value)})"
