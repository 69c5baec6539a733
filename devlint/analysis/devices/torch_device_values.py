"""Whether an expression is certainly a torch.device, and not perhaps a string."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

import libcst as cst

from devlint.analysis.names.bindings import Binding, How, dotted_name
from devlint.analysis.names.control_flow import statements, statements_above
from devlint.analysis.names.reaching_definitions import reaching_definitions
from devlint.analysis.names.resolution import bindings, origin, sole_value
from devlint.analysis.names.scopes import scopes
from devlint.analysis.owners.device_attributes import assigned_to_attribute, device_by_base, property_of
from devlint.analysis.tensors.tensor_values import is_tensor
from devlint.core.lazy_regex import regex
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import ACCELERATORS_OF_LIBRARY, MAKERS

_DEPTH = 5
_MODEL = regex(r"\w*(?:Model|Pipeline|For[A-Z]\w*)\Z")


class Proof(Enum):
    """How sure it is that an expression is a torch.device."""

    CERTAIN = "it was made as one, or is the device of a tensor"
    ANNOTATED = "an annotation says so, which nothing enforces"


def torch_device_proof(ctx: FileContext, node: cst.CSTNode, depth: int = _DEPTH) -> Proof | None:
    """How sure it is that ``node`` is a torch.device; None where it may be something else."""
    if depth == 0:
        return None
    if isinstance(node, cst.Call):
        return Proof.CERTAIN if origin(ctx, node.func) in MAKERS else _call(ctx, node, depth - 1)
    if isinstance(node, cst.IfExp):
        return _all(torch_device_proof(ctx, one, depth - 1) for one in (node.body, node.orelse))
    if isinstance(node, cst.BooleanOperation):
        return _all(torch_device_proof(ctx, one, depth - 1) for one in (node.left, node.right))
    if isinstance(node, cst.Name):
        return _all(_bound(ctx, one, depth - 1) for one in reaching_definitions(ctx, node))
    return _attribute(ctx, node, depth - 1) if isinstance(node, cst.Attribute) else None


def is_tensor_device(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether ``node`` is ``x.device`` of a tensor, which always has an index where it is a GPU."""
    if isinstance(node, cst.Name):
        value = sole_value(ctx, node)
        return value is not None and not isinstance(value, cst.Name) and is_tensor_device(ctx, value)
    return isinstance(node, cst.Attribute) and node.attr.value == "device" and is_tensor(ctx, node.value)


def _all(proofs: Iterable[Proof | None]) -> Proof | None:
    """The proof that holds for each of several values."""
    found = list(proofs)
    if not found or None in found:
        return None
    return Proof.ANNOTATED if Proof.ANNOTATED in found else Proof.CERTAIN


def _call(ctx: FileContext, call: cst.Call, depth: int) -> Proof | None:
    """What a function of the file returns."""
    if not isinstance(call.func, cst.Name):
        return None
    _, found = bindings(ctx, call.func.value, call.func)
    function = found[0].node if len(found) == 1 else None
    return _returned(ctx, function, depth) if isinstance(function, cst.FunctionDef) else None


def _returned(ctx: FileContext, function: cst.FunctionDef, depth: int) -> Proof | None:
    """How sure it is that a function returns a torch.device."""
    own = [one for one in ctx.tree.of_type(cst.Return) if scopes(ctx).function_of(one) is function]
    plain = function.asynchronous is None and all(
        dotted_name(one.decorator) in ("property", "staticmethod") for one in function.decorators
    )
    proofs = [torch_device_proof(ctx, one.value, depth) if one.value is not None else None for one in own]
    proof = _all(proofs) if plain else None
    says = function.returns is not None and origin(ctx, function.returns.annotation) == "torch.device"
    return proof or (Proof.ANNOTATED if says and plain else None)


def _bound(ctx: FileContext, binding: Binding, depth: int) -> Proof | None:
    if binding.how is How.ASSIGN and binding.value is not None:
        return torch_device_proof(ctx, binding.value, depth)
    if binding.how is How.PARAMETER and isinstance(binding.node, cst.Param):
        return _parameter(ctx, binding.node, depth)
    return None


def _parameter(ctx: FileContext, param: cst.Param, depth: int) -> Proof | None:
    """By its annotation, unless the default or a test of the function's says that it may be something else."""
    if param.star or param.annotation is None or origin(ctx, param.annotation.annotation) != "torch.device":
        return None
    if param.default is not None and torch_device_proof(ctx, param.default, depth) is None:
        return None
    return None if is_type_checked(ctx, param.name) else Proof.ANNOTATED


def is_type_checked(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether the file tests the type of a name with ``isinstance``: then it may be a string."""
    written = dotted_name(node)
    return written is not None and written in ctx.fact(_type_checked)


def _type_checked(ctx: FileContext) -> frozenset[str]:
    calls = [one for one in ctx.tree.of_type(cst.Call) if one.args and dotted_name(one.func) == "isinstance"]
    return frozenset(dotted_name(one.args[0].value) or "" for one in calls)


def _attribute(ctx: FileContext, node: cst.Attribute, depth: int) -> Proof | None:
    if node.attr.value == "device" and (is_tensor(ctx, node.value) or _is_model(ctx, node.value)):
        return Proof.CERTAIN
    name = dotted_name(node)
    if name is None or name.count(".") != 1:
        return None
    owned = property_of(ctx, node)
    if owned is not None:
        return _returned(ctx, owned, depth)
    if device_by_base(ctx, node):
        return Proof.CERTAIN
    values = assigned_to_attribute(ctx, node)
    if not values or (not name.startswith("self.") and not _is_set_before(ctx, node, name)):
        return None
    return _all(torch_device_proof(ctx, one, depth) for one in values)


def _is_model(ctx: FileContext, node: cst.CSTNode) -> bool:
    """Whether an object is a model of transformers or diffusers, or an ``Accelerator()``: they have a torch.device."""
    value = sole_value(ctx, node) if isinstance(node, cst.Name) else node
    if not isinstance(value, cst.Call):
        return False
    called = origin(ctx, value.func) or ""
    package, _, rest = called.partition(".")
    owner, _, method = rest.rpartition(".")
    if called in ACCELERATORS_OF_LIBRARY:
        return True
    return package in ("transformers", "diffusers") and method == "from_pretrained" and _MODEL.match(owner) is not None


def _is_set_before(ctx: FileContext, node: cst.Attribute, name: str) -> bool:
    """Whether a statement above ``node``, in the same scope, assigns to the attribute ``name`` of a name."""
    scope = scopes(ctx).scope_of(node)
    for one in statements_above(ctx, node, scope.node):
        for small in statements(one) if isinstance(one, cst.SimpleStatementLine) else ():
            if isinstance(small, cst.Assign) and any(dotted_name(each.target) == name for each in small.targets):
                return True
    return False


def asks_for_default(ctx: FileContext, value: cst.CSTNode) -> bool:
    """Whether an expression may be torch's default device, which is the CPU also where there is CUDA."""
    return "get_default_device" in ctx.source.text and any(
        isinstance(one, cst.Call) and origin(ctx, one.func) == "torch.get_default_device"
        for one in (value, *ctx.tree.below(value))
    )
