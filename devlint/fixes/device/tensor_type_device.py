"""The device that replaces a CUDA tensor type, chosen by the same condition."""

from __future__ import annotations

import re
from collections.abc import Callable

import libcst as cst

from devlint.analysis.guards.condition_text import condition_text
from devlint.analysis.guards.conditions import AVAILABILITY
from devlint.analysis.legacy_types.modern_calls import Rewrite, modern_cast, modern_constructor
from devlint.analysis.legacy_types.tensor_types import TensorType, TypeChoice
from devlint.analysis.legacy_types.type_uses import TypeRole, TypeUse
from devlint.analysis.names.resolution import origin
from devlint.analysis.names.scopes import bound_values
from devlint.core.diagnostic import Fix
from devlint.core.lazy_regex import regex
from devlint.fixes.device import resolver
from devlint.fixes.device.choice import DeviceChoice
from devlint.fixes.torch_import import torch_name
from devlint.syntax import edits
from devlint.syntax.file_context import FileContext

Modern = Callable[[FileContext, cst.Call, TensorType, str, str], Rewrite | None]
"""What rewrites a call that has to do with a CUDA type, with the name of torch and the device."""

_AVAILABLE = "torch.cuda.is_available()"
_ASKS = regex(r"(?:\w+\.)?(?:cuda|accelerator)\.is_available\(\)\Z")
_AND_AVAILABLE = regex(rf" and {_ASKS.pattern}")


def modern_form(use: TypeUse) -> Modern:
    """What rewrites a use of a CUDA type that makes or casts a tensor."""
    return modern_cast if use.role is TypeRole.CAST else modern_constructor


def fix_of_use(ctx: FileContext, use: TypeUse, modern: Modern) -> Fix | None:
    """The fix that replaces a call of a CUDA type, or a cast to one, by what ``modern`` makes of it."""
    assert isinstance(use.owner, cst.Call)
    torch = torch_name(ctx, use.node)
    choice = device_of_type(ctx, use.choice) if use.choice.consistent else None
    if torch is None or choice is None:
        return None
    made = modern(ctx, use.owner, use.choice.cuda, torch[0], choice.expression)
    if made is None:
        return None
    wanted = choice.edits if made.uses_device else ()
    caveat = (choice.caveat if made.uses_device else None) or made.caveat
    return edits.as_fix(f"Replace by `{made.message}`", [*made.edits, *torch[1], *wanted], caveat)


def device_of_type(ctx: FileContext, choice: TypeChoice) -> DeviceChoice | None:
    """The device for a tensor of ``choice``, an expression that stands where the tensor is made or cast."""
    own = queried_tensor_device(ctx, choice)
    if own is not None or choice.test is None:
        return own or resolver.resolve_device(ctx, choice.node)
    found = resolver.resolve_device(ctx, choice.cuda_node)
    if found is None or matches_type_condition(ctx, choice, found):
        return found
    condition = choice.condition(ctx)
    return found.replace(expression=f'{found.expression} if {condition} else "cpu"', is_string=None)


def queried_tensor_device(ctx: FileContext, choice: TypeChoice) -> DeviceChoice | None:
    """``x.device`` where the type is chosen by ``x.is_cuda``."""
    test = choice.test
    if isinstance(test, cst.Attribute) and test.attr.value == "is_cuda" and choice.holds:
        return DeviceChoice(f"{condition_text(ctx, test.value)}.device")
    return None


def matches_type_condition(ctx: FileContext, choice: TypeChoice, found: DeviceChoice) -> bool:
    """Whether ``found`` is a GPU exactly where ``choice`` is a CUDA type, as long as there is CUDA."""
    if choice.test is None:
        return True
    wanted = choice.condition(ctx)
    if found.condition is None or wanted is None:
        return False
    texts = {found.condition, _AND_AVAILABLE.sub("", found.condition)}
    known = texts | {_meaning(ctx, text, choice.node) for text in texts}
    return bool(known & {wanted, _meaning(ctx, wanted, choice.node)})


def _meaning(ctx: FileContext, text: str, at: cst.CSTNode) -> str:
    """The only value of a flag, as source text: ``torch.cuda.is_available()`` for ``cuda``."""
    if not re.fullmatch(r"[\w.]+", text):
        return _AVAILABLE if _ASKS.match(text) else text
    values = bound_values(ctx, text, at)
    if len(values) != 1:
        return text
    value = values[0]
    if isinstance(value, cst.IfExp) and _is(value.body, "True") and _is(value.orelse, "False"):
        value = value.test
    elif isinstance(value, cst.Call) and _is(value.func, "bool") and len(value.args) == 1:
        value = value.args[0].value
    if isinstance(value, cst.Call) and origin(ctx, value.func) in AVAILABILITY:
        return _AVAILABLE
    return condition_text(ctx, value)


def _is(node: cst.CSTNode, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name
