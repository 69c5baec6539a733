"""DEV601: a torch.device compared with a string, or used as one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import libcst as cst

from devlint.analysis.devices import device_strings
from devlint.analysis.devices.torch_device_values import Proof, is_type_checked, torch_device_proof
from devlint.analysis.names.string_literals import string_value
from devlint.core.diagnostic import Applicability, Fix
from devlint.fixes.device.types.compared_device import compare_type, compare_type_or_string, compare_with_card
from devlint.rules.base import Rule
from devlint.rules.triggers.comparisons import UsedAsString
from devlint.rules.triggers.names import Name
from devlint.rules.triggers.torch_devices import may_be_torch_device
from devlint.rules.triggers.trigger import Beside
from devlint.syntax import edits
from devlint.torch_api.device_naming import STRING_METHODS

_Make = Callable[[], Fix | None]  # a fix asks for places of nodes: it is made where there is something to fix
_SAYS_SO = "only its annotation says that it is a torch.device"
_ANSWERS_NOW = "the test gets another answer: what never ran may run now"


class DeviceEqualsString(Rule):
    """A torch.device compared with a string.

    What it does
    ------------
    Finds ``device == "cuda"``, ``x.device != "cpu"``, ``device in ("cuda", "mps")``, ``match device:`` with cases that
    are strings, ``{"cuda": 1}[device]`` and ``device.startswith("cuda")`` if the device is certainly a torch.device. A
    variable that may hold a string is not reported.

    Why is this bad?
    ----------------
    A torch.device is never equal to a string: the test is always false (or, with ``!=`` and ``not in``, always true)
    on every machine, without any error. The other forms stop with an error.

    Example
    -------
    ```python
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    pin_memory = device == "cuda"
    ```

    Use instead:
    ```python
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    pin_memory = device.type == "cuda"
    ```

    Fix safety
    ----------
    Unsafe: the test then does what it was meant to do, so a branch that never ran may now run, with CUDA too. Safe if
    the program raises an error here (``device.startswith("cuda")``, ``"cuda" in device``, ``{"cuda": 1}[device]``) and
    the device is certainly a torch.device. There is no fix for a string that is not a type of device.
    """

    code = "DEV601"
    name = "device-equals-string"
    advice = 'Compare the type of the device: `device.type == "cuda"`'
    trigger = Beside(UsedAsString().where(may_be_torch_device), Name("device", "get_default_device"))

    def visit_Comparison(self, node: cst.Comparison) -> None:
        if len(node.comparisons) != 1:
            return
        left, right, operator = node.left, node.comparisons[0].comparator, node.comparisons[0].operator
        outcome = "always true" if isinstance(operator, (cst.NotEqual, cst.NotIn)) else "never true"
        if isinstance(operator, (cst.Equal, cst.NotEqual)):
            for device, other in ((left, right), (right, left)):
                self._compared(node, device, other, outcome)
        elif isinstance(operator, (cst.In, cst.NotIn)):
            words = device_strings.strings_in(right)
            if words:
                how = "an error" if isinstance(right, cst.SimpleString) else outcome
                self._found(node, left, how, partial(compare_type, self.ctx, left, words))
            elif (word := string_value(left)) is not None:
                self._found(node, right, "an error", partial(compare_type, self.ctx, right, [word]), sure=True)

    def visit_Call(self, node: cst.Call) -> None:
        function = node.func
        if not isinstance(function, cst.Attribute):
            return
        if function.attr.value in STRING_METHODS:
            asked = node.args[0].value if node.args and function.attr.value == "startswith" else node
            fix = partial(compare_type_or_string, self.ctx, function.value, string_value(asked) or "")
            self._found(node, function.value, "an error", fix, sure=True)
        elif function.attr.value == "get" and isinstance(function.value, cst.Dict) and node.args:
            self._looked_up(node, function.value, node.args[0].value, "never a key of it")

    def visit_Subscript(self, node: cst.Subscript) -> None:
        if isinstance(node.value, cst.Dict) and len(node.slice) == 1 and isinstance(node.slice[0].slice, cst.Index):
            self._looked_up(node, node.value, node.slice[0].slice.value, "an error")

    def visit_Match(self, node: cst.Match) -> None:
        words = device_strings.strings_of_cases(node)
        if words:
            fix = partial(compare_type, self.ctx, node.subject, words)
            self._found(node.subject, node.subject, "never one of the cases", fix)

    def _looked_up(self, node: cst.BaseExpression, table: cst.Dict, key: cst.BaseExpression, outcome: str) -> None:
        words = device_strings.string_keys(table)
        if words:
            self._found(node, key, outcome, partial(compare_type, self.ctx, key, words), sure=True)

    def _compared(self, node: cst.Comparison, device: cst.BaseExpression, other: cst.BaseExpression, how: str) -> None:
        word = string_value(other)
        if word is not None:
            if device_strings.is_indexed(word):
                fix = partial(compare_with_card, self.ctx, other, word)
            else:
                fix = partial(compare_type, self.ctx, device, [word])
            self._found(node, device, how, fix, word=word)

    def _found(
        self, node: cst.CSTNode, device: cst.CSTNode, how: str, fix: _Make, sure: bool = False, word: str = ""
    ) -> None:
        proof = torch_device_proof(self.ctx, device)
        if proof is None or is_type_checked(self.ctx, device) or (sure and proof is not Proof.CERTAIN):
            return
        written = self.ctx.one_line_of(device)
        if device_strings.is_called_device(written, word):
            made = fix()
            caveat = _SAYS_SO if proof is Proof.ANNOTATED else _ANSWERS_NOW if how != "an error" else None
            if made is not None and made.applicability is Applicability.SAFE:
                made = edits.as_fix(made.message, made.edits, caveat)
            self.report(node, f"`{written}` is a torch.device, no string: this is {how}", made)
