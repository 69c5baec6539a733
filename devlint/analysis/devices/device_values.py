"""Whether an expression is a device, and which: the values behind names like ``device``."""

from __future__ import annotations

import re

import libcst as cst

from devlint.analysis.choosers.asked_choices import asked_choice
from devlint.analysis.cuda.constant_flags import always_gives_cpu, imports_cpu
from devlint.analysis.devices.number_options import numeric_options
from devlint.analysis.devices.torch_device_values import Proof, torch_device_proof
from devlint.analysis.devices.used_devices import is_used_as_device, names_used_as_device
from devlint.analysis.devices.which_device import MAY_BE_NONE, DeviceValue, Given, WhichDevice, is_class, merge_values
from devlint.analysis.guards.condition_text import condition_text
from devlint.analysis.guards.implications import means_cuda
from devlint.analysis.names.bindings import Binding, How, dotted_name
from devlint.analysis.names.resolution import bindings, is_none, origin
from devlint.analysis.names.scopes import Scope, scopes
from devlint.analysis.project.ask import own_module, project_around
from devlint.analysis.project.exports import exported_device, is_set_by_others, numbered_device
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext
from devlint.syntax.libcst_terms import libcst_term
from devlint.syntax.terms import Attribute, Call, Name, Term
from devlint.torch_api.device_naming import (
    EXECUTION_DEVICE,
    holds_options,
    looks_like_device,
    mentions_device,
)
from devlint.torch_api.libraries import TORCH_LOADERS, TORCH_PACKAGES

_DEPTH = 4

_PLAIN = regex(r"(?:torch_)?dev(?:ice)?\Z")
_ALONE = regex(r"_*(?:torch_|execution_)?device_*\Z", re.IGNORECASE)


def device_value(ctx: FileContext, node: cst.CSTNode, depth: int = _DEPTH) -> DeviceValue | None:
    """What device an expression is; None where it is not known to be one."""
    return _OfFile(ctx).of(libcst_term(node), depth)


class _OfFile(WhichDevice):
    """What names and attributes of a file stand for, by its scopes."""

    def __init__(self, ctx: FileContext) -> None:
        self.ctx = ctx

    def called(self, function: Term) -> str:
        """The full name of what is called."""
        return origin(self.ctx, function.node) or function.dotted

    def of_name(self, name: Name, depth: int, given: Given) -> DeviceValue | None:
        """All that the name is ever bound to."""
        _, found = bindings(self.ctx, name.name, name.node)
        values = [binding_value(self.ctx, one, depth - 1) for one in found]
        return merge_values(values) if values else None

    def of_attribute(self, attribute: Attribute) -> DeviceValue | None:
        """The device of a tensor, or an option that is no number."""
        node = attribute.node
        if _is_number(self.ctx, node) or not (_ALONE.match(attribute.name) or _is_used(self.ctx, node)):
            return None
        return DeviceValue(False if _is_of_tensor(self.ctx, node) else None)

    def gives_cpu(self, call: Call) -> bool:
        """Whether constants of the program say so."""
        return always_gives_cpu(self.ctx, call.node)

    def asked_by(self, call: Call) -> str | None:
        """What a function of the project asks, in words of the file."""
        return asked_choice(self.ctx, call.node)

    def condition(self, test: Term, holds: bool) -> str | None:
        """The test, if it means in whatever way that there is a GPU."""
        return condition_text(self.ctx, test.node, holds) if means_cuda(self.ctx, test.node, holds) else None

    def text_of(self, term: Term) -> str:
        """How a text with holes is written."""
        return self.ctx.text_of(term.node) if isinstance(term.node, (cst.FormattedString, cst.BinaryOperation)) else ""


def _is_used(ctx: FileContext, node: cst.Attribute) -> bool:
    """Whether the file uses attributes of this name as devices: ``args.dev_file`` is called like one, and is none."""
    used = {one.rpartition(".")[2] for one in names_used_as_device(ctx)}
    return node.attr.value in used or torch_device_proof(ctx, node) is not None


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


def is_only_called_so(ctx: FileContext, value: cst.BaseExpression) -> bool:
    """Whether nothing but a name says that a value is a device: ``row.device``, ``registry.find_device("lamp")``."""
    if isinstance(value, cst.Attribute):
        return not (_is_options(value) or _is_of_tensor(ctx, value) or _is_used(ctx, value))
    if not isinstance(value, cst.Call) or not mentions_device((dotted_name(value.func) or "").rpartition(".")[2]):
        return False
    called = dotted_name(value.func) or ""
    if (
        called.startswith("self.")
        or (origin(ctx, value.func) or "").partition(".")[0] in TORCH_LOADERS | TORCH_PACKAGES
    ):
        return False
    module = own_module(ctx)
    return module is None or project_around(ctx).index.resolve(module, called) is None


def _reads_number(ctx: FileContext, value: cst.BaseExpression) -> bool:
    """Whether such an option is in a value: ``args.device[0] if type(args.device) is list else args.device``."""
    return bool(numeric_options(ctx)) and any(
        isinstance(one, cst.Attribute) and _is_number(ctx, one) for one in ctx.tree.below(value)
    )


def binding_value(ctx: FileContext, binding: Binding, depth: int = _DEPTH) -> DeviceValue | None:
    """What device a binding gives its name; None where it is not known to be one."""
    known = looks_like_device(binding.name)
    scope = _scope_of(ctx, binding) if known else None
    evident = scope is not None and is_used_as_device(ctx, scope, binding.name)
    if binding.how is How.PARAMETER:
        return _parameter_value(ctx, binding, depth) if known else None
    if binding.how is How.ASSIGN and binding.value is not None:
        value = device_value(ctx, binding.value, depth)
        is_other = _is_no_device(binding.value) or _reads_number(ctx, binding.value)
        if known and not evident and is_only_called_so(ctx, binding.value):
            return None
        return value or (DeviceValue(None) if evident and not is_other else None)
    if binding.how in (How.UNPACK, How.IMPORT):
        module, _, name = (binding.origin or "").rpartition(".")
        imported = imported_value(ctx, module, name) if binding.how is How.IMPORT and known else None
        return imported or (DeviceValue(None) if evident and not _is_set_later(ctx, binding) else None)
    return None


def _scope_of(ctx: FileContext, binding: Binding) -> Scope | None:
    """The scope that a binding gives its name in."""
    if isinstance(binding.node, cst.Param):
        ups = ctx.tree.ancestors(binding.node)
        owner = next((one for one in ups if isinstance(one, (cst.FunctionDef, cst.Lambda))), None)
        return scopes(ctx).opened_by(owner) if owner is not None else None
    return scopes(ctx).binder(binding.name, binding.node)


def imported_value(ctx: FileContext, module: str, name: str) -> DeviceValue | None:
    """The device that another file of the project exports under a name, as far as that is known."""
    project, found = project_around(ctx), project_around(ctx).module(module)
    if found is None:
        return None
    known = exported_device(project, found, name) or numbered_device(project, found, name)
    return known or (DeviceValue(cuda=False) if imports_cpu(project, found, name) else None)


def _is_set_later(ctx: FileContext, binding: Binding) -> bool:
    """Whether what is imported under a name is set again in the project: this file may have it from before."""
    module, _, name = (binding.origin or "").rpartition(".")
    project = project_around(ctx)
    found = project.module(module) if binding.how is How.IMPORT else None
    if found is None:
        return False
    return name in found.declared_global or is_set_by_others(project, found.path, name) is True


def _is_no_device(node: cst.CSTNode) -> bool:
    """Whether a value is certainly no device: ``open3d.core.Device("CUDA:0")`` is one of another library."""
    if isinstance(node, cst.Call):
        return is_class((dotted_name(node.func) or "").rpartition(".")[2])
    return isinstance(node, (cst.SimpleString, cst.Integer, cst.Float, cst.List, cst.Dict, cst.Tuple)) or is_none(node)


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
    if owner is None or is_used_as_device(ctx, scopes(ctx).opened_by(owner), binding.name):
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
