"""Whether an expression is a device, and which: the values behind names like ``device``."""

from __future__ import annotations

import re

import libcst as cst

from devlint.analysis.cuda.constant_flags import always_gives_cpu, imports_cpu
from devlint.analysis.devices.number_options import numeric_options
from devlint.analysis.devices.torch_device_values import Proof, torch_device_proof
from devlint.analysis.devices.used_devices import names_used_as_device
from devlint.analysis.guards.condition_text import condition_text
from devlint.analysis.guards.implications import means_cuda
from devlint.analysis.names.bindings import Binding, How, dotted_name
from devlint.analysis.names.resolution import bindings, implies_not_none, is_none, origin
from devlint.analysis.names.scopes import scopes
from devlint.analysis.project.ask import project_around
from devlint.analysis.project.exports import exported_device
from devlint.core.lazy_regex import regex
from devlint.core.record import Record
from devlint.syntax.file_context import FileContext
from devlint.syntax.literals import literal_value
from devlint.torch_api.device_naming import (
    CURRENT,
    EXECUTION_DEVICE,
    NOT_FOR_CUDA,
    holds_options,
    looks_like_device,
    mentions_device,
)

_DEPTH = 4

_KINDS = NOT_FOR_CUDA | {"cpu", "cuda"}
"""The devices that a string may name."""
_PLAIN = regex(r"(?:torch_)?dev(?:ice)?\Z")

RUNTIME_INDEX = "?"
"""An index that is only known at run time."""
FUNCTION_INDEX = "*"
"""An index that a function chose, perhaps that of the current device."""
MAY_BE_NONE = "may be None"


class DeviceValue(Record):
    """What is known of a device."""

    is_string: bool | None = None
    cuda: bool = True
    """Whether it may be a GPU."""
    index: str | None = None
    """The index as source text, ``RUNTIME_INDEX``, ``FUNCTION_INDEX``, or None for the current device."""
    condition: str | None = None
    """The test that decides between GPU and CPU."""
    caveat: str | None = None


def device_value(ctx: FileContext, node: cst.CSTNode, depth: int = _DEPTH) -> DeviceValue | None:
    """What device an expression is; None where it is not known to be one."""
    if depth == 0:
        return None
    if isinstance(node, (cst.SimpleString, cst.FormattedString, cst.BinaryOperation)):
        return _string(ctx, node)
    if isinstance(node, cst.IfExp):
        return _either(ctx, node, depth)
    if isinstance(node, cst.BooleanOperation):
        right = device_value(ctx, node.right, depth - 1)
        if isinstance(node.left, cst.Name) and looks_like_device(node.left.value):
            return right
        return merge_values([device_value(ctx, node.left, depth - 1), right])
    if isinstance(node, cst.Call):
        return _call(ctx, node, depth)
    if isinstance(node, cst.Name):
        return _name(ctx, node, depth)
    if isinstance(node, cst.Attribute) and looks_like_device(node.attr.value) and not _is_number(ctx, node):
        return DeviceValue(False if _is_of_tensor(ctx, node) else None)
    return None


def _is_number(ctx: FileContext, node: cst.Attribute) -> bool:
    """Whether an attribute is an option that the file reads as a number: ``args.device``."""
    return _is_options(node) and node.attr.value in numeric_options(ctx)


def _is_of_tensor(ctx: FileContext, node: cst.Attribute) -> bool:
    """Whether an attribute is the device of a tensor, model or pipeline; another object's may be a string."""
    if node.attr.value != "device":
        return node.attr.value == EXECUTION_DEVICE
    if torch_device_proof(ctx, node) is Proof.CERTAIN:
        return True
    return not _is_options(node) and (dotted_name(node.value) or "") in ctx.fact(_have_shape)


def _have_shape(ctx: FileContext) -> frozenset[str]:
    """Names whose ``shape`` the file reads: they are tensors, and not the options of a program."""
    owners = (one.value for one in ctx.tree.of_type(cst.Attribute) if one.attr.value == "shape")
    return frozenset(name for name in map(dotted_name, owners) if name is not None)


def _is_options(node: cst.Attribute) -> bool:
    """Whether an attribute is an option of a program rather than of a tensor."""
    owner = (dotted_name(node.value) or "").rpartition(".")[2]
    return holds_options(owner) or owner == "self" or "setting" in owner.lower()


def _string(ctx: FileContext, node: cst.CSTNode) -> DeviceValue | None:
    """``"cuda"``, ``"cuda:1"``, ``f"cuda:{i}"``, ``"cuda:" + str(i)``, ``"cuda:%d" % i``."""
    if isinstance(node, cst.SimpleString):
        word = literal_value(node)
        if not isinstance(word, str):
            return None
        kind, _, index = word.partition(":")
        return DeviceValue(True, kind == "cuda", index or None) if kind in _KINDS else None
    text = ctx.text_of(node)
    return DeviceValue(True, index=RUNTIME_INDEX) if re.match(r"\(?[fF]?[\"']cuda:", text) else None


def _either(ctx: FileContext, node: cst.IfExp, depth: int) -> DeviceValue | None:
    body, orelse = _branch(ctx, node.body, node.test, True, depth), _branch(ctx, node.orelse, node.test, False, depth)
    both = merge_values([body, orelse])
    if both is None or body is None or orelse is None:
        return None
    if body.cuda and not orelse.cuda and means_cuda(ctx, node.test, True):
        return both.replace(condition=condition_text(ctx, node.test))
    if orelse.cuda and not body.cuda and means_cuda(ctx, node.test, False):
        return both.replace(condition=condition_text(ctx, node.test, False))
    return both


def _branch(
    ctx: FileContext, node: cst.BaseExpression, test: cst.BaseExpression, holds: bool, depth: int
) -> DeviceValue | None:
    """The value of a branch; ``device if device is not None else …`` is never None."""
    value = device_value(ctx, node, depth - 1)
    given = isinstance(node, cst.Name) and implies_not_none(test, node.value, holds)
    return value.replace(caveat=None) if value is not None and given and may_be_none(value) else value


def _reads_number(ctx: FileContext, value: cst.BaseExpression) -> bool:
    """Whether such an option is in a value: ``args.device[0] if type(args.device) is list else args.device``."""
    return bool(numeric_options(ctx)) and any(
        isinstance(one, cst.Attribute) and _is_number(ctx, one) for one in ctx.tree.below(value)
    )


def may_be_none(value: DeviceValue) -> bool:
    """Whether a device may be None, as a parameter by default."""
    return value.caveat is not None and MAY_BE_NONE in value.caveat


def merge_values(values: list[DeviceValue | None]) -> DeviceValue | None:
    """What is known of a device that is one of ``values``; None if one of them is no device."""
    known = [value for value in values if value is not None]
    if not known or len(known) != len(values):
        return None
    strings = {value.is_string for value in known}
    indices = {value.index for value in known if value.cuda}
    conditions = {value.condition for value in known}
    return DeviceValue(
        strings.pop() if len(strings) == 1 else None,
        any(value.cuda for value in known),
        _index(indices),
        conditions.pop() if len(conditions) == 1 else None,
        next((value.caveat for value in known if value.caveat), None),
    )


def _index(indices: set[str | None]) -> str | None:
    """The index of a device that has one of these."""
    if len(indices) <= 1:
        return next(iter(indices), None)
    return FUNCTION_INDEX if indices == {None, FUNCTION_INDEX} else RUNTIME_INDEX


def _call(ctx: FileContext, call: cst.Call, depth: int) -> DeviceValue | None:
    if isinstance(call.func, cst.Attribute) and isinstance(call.func.value, cst.SimpleString):
        is_numbered = call.func.attr.value == "format" and ":" in call.func.value.value
        return DeviceValue(True, index=RUNTIME_INDEX) if is_numbered else None
    called = origin(ctx, call.func) or dotted_name(call.func) or ""
    if called == "torch.device":
        if not call.args:
            return None
        inner = device_value(ctx, call.args[0].value, depth - 1) or DeviceValue()
        index = inner.index if len(call.args) == 1 else RUNTIME_INDEX
        if isinstance(call.args[0].value, cst.Integer):
            index = call.args[0].value.value
        return inner.replace(is_string=False, index=index)
    if called in CURRENT:
        return DeviceValue(False)
    last = called.rpartition(".")[2]
    if not mentions_device(last) or _is_class(last):
        return None
    return DeviceValue(cuda=False) if always_gives_cpu(ctx, call) else DeviceValue(None, index=FUNCTION_INDEX)


def _name(ctx: FileContext, name: cst.Name, depth: int) -> DeviceValue | None:
    _, found = bindings(ctx, name.value, name)
    values = [binding_value(ctx, one, depth - 1) for one in found]
    return merge_values(values) if values else None


def binding_value(ctx: FileContext, binding: Binding, depth: int = _DEPTH) -> DeviceValue | None:
    """What device a binding gives its name; None where it is not known to be one."""
    known = looks_like_device(binding.name)
    evident = known and binding.name in names_used_as_device(ctx)
    if binding.how is How.PARAMETER:
        return _parameter_value(ctx, binding, depth) if known else None
    if binding.how is How.ASSIGN and binding.value is not None:
        value = device_value(ctx, binding.value, depth)
        is_other = _is_no_device(binding.value) or _reads_number(ctx, binding.value)
        return value or (DeviceValue(None) if evident and not is_other else None)
    if binding.how in (How.UNPACK, How.IMPORT):
        imported = _imported(ctx, binding) if binding.how is How.IMPORT and known else None
        return imported or (DeviceValue(None) if evident else None)
    return None


def _imported(ctx: FileContext, binding: Binding) -> DeviceValue | None:
    """The device that another file of the project exports under the name, where it is a GPU if there is one."""
    module, _, name = (binding.origin or "").rpartition(".")
    project, found = project_around(ctx), project_around(ctx).module(module)
    known = exported_device(project, found, name) if found is not None else None
    if known is None or found is None:
        return DeviceValue(cuda=False) if found is not None and imports_cpu(project, found, name) else None
    return DeviceValue(known.is_string, known.cuda, known.index, f"torch.{known.asks}.is_available()")


def _is_no_device(node: cst.CSTNode) -> bool:
    """Whether a value is certainly no device: ``open3d.core.Device("CUDA:0")`` is one of another library."""
    if isinstance(node, cst.Call):
        return _is_class((dotted_name(node.func) or "").rpartition(".")[2])
    return isinstance(node, (cst.SimpleString, cst.Integer, cst.Float, cst.List, cst.Dict, cst.Tuple)) or is_none(node)


def _is_class(name: str) -> bool:
    return name[:1].isupper()


def _parameter_value(ctx: FileContext, binding: Binding, depth: int) -> DeviceValue | None:
    node = binding.node
    assert isinstance(node, cst.Param)
    annotation = ctx.text_of(node.annotation.annotation) if node.annotation is not None else ""
    if re.match(r"(?:int|float|bool|list|List|dict|Dict|Sequence|Optional\[int\])", annotation):
        return None
    if node.star in ("*", "**"):
        return None
    if _means_something_else(ctx, binding):
        return None
    if binding.value is None:
        return DeviceValue(None)
    if is_none(binding.value):
        return DeviceValue(None, caveat=f"`{binding.name}` {MAY_BE_NONE}")
    default = device_value(ctx, binding.value, depth)
    if default is None:
        return None
    if not default.cuda:
        return default.replace(cuda=True, caveat=f'`{binding.name}` is "cpu" unless the caller says otherwise')
    return default


def _means_something_else(ctx: FileContext, binding: Binding) -> bool:
    """Whether a function uses its parameter, but nowhere does the file use that name as a device."""
    ups = ctx.tree.ancestors(binding.node)
    owner = next((one for one in ups if isinstance(one, (cst.FunctionDef, cst.Lambda))), None)
    if owner is None or any(name.rpartition(".")[2] == binding.name for name in names_used_as_device(ctx)):
        return False
    others = scopes(ctx).opened_by(owner).bindings[binding.name]
    if any(one.how is How.ASSIGN and one.value is not None and _is_made(ctx, one.value) for one in others):
        return False
    if not _PLAIN.match(binding.name):
        return True
    return any(isinstance(node, cst.Name) and node.value == binding.name for node in ctx.tree.below(owner.body))


def _is_made(ctx: FileContext, value: cst.CSTNode) -> bool:
    """Whether a value is a device by itself, or by default: ``device or "cuda"``."""
    if isinstance(value, cst.BooleanOperation):
        return _is_made(ctx, value.right)
    return not isinstance(value, cst.Name) and device_value(ctx, value, 2) is not None
