"""Whether a property ``device`` of a class certainly is no device: None, or something else altogether."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from devlint.analysis.devices.device_values import device_value
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import methods_named, self_name
from devlint.analysis.names.resolution import is_none
from devlint.analysis.owners.device_getter import DeviceGetter
from devlint.syntax.file_context import FileContext
from devlint.syntax.libcst_terms import libcst_term

_LITERALS = (cst.BaseNumber, cst.BaseString, cst.Tuple, cst.List, cst.Dict, cst.Set)


def device_properties(ctx: FileContext, family: Iterable[cst.ClassDef]) -> list[cst.FunctionDef]:
    """The methods ``device`` of classes that are decorated, as properties are."""
    return [one for owner in family for one in methods_named(ctx, owner, "device") if one.decorators]


def may_give_device(ctx: FileContext, family: list[cst.ClassDef]) -> bool:
    """Whether reading ``self.device`` may give a GPU: it is a property, and nothing says that it is something else."""
    getters = [_getter(ctx, one) for one in device_properties(ctx, family)]
    getters = [one for one in getters if one.is_property]
    if not getters or (is_set_by_property(ctx, family) and _is_given_another(ctx)):
        return False
    return all(
        one.may_give_gpu(
            lambda value: device_value(ctx, value) is not None,
            lambda value: is_no_gpu(ctx, value),
            lambda kept: _assigned(ctx, family, kept),
        )
        for one in getters
    )


def is_device_of_parameter(ctx: FileContext, family: list[cst.ClassDef]) -> bool:
    """Whether all that the properties return is the device of a parameter of the module, as a tensor has it."""
    return all(_getter(ctx, one).gives_device_of_parameter for one in device_properties(ctx, family))


def is_no_gpu(ctx: FileContext, value: cst.BaseExpression | None) -> bool:
    """Whether a value is certainly no GPU: None, the CPU, or a literal that is no device."""
    device = device_value(ctx, value) if value is not None else None
    if device is not None:
        return not device.cuda
    return is_none(value) or isinstance(value, _LITERALS)


def is_set_by_property(ctx: FileContext, family: Iterable[cst.ClassDef]) -> bool:
    """Whether an assignment to ``self.device`` calls a setter."""
    return any("device.setter" in _decorators(one) for one in device_properties(ctx, family))


def _decorators(method: cst.FunctionDef) -> list[str]:
    return [dotted_name(one.decorator) or "" for one in method.decorators]


def _is_given_another(ctx: FileContext) -> bool:
    """Whether the file gives a ``device`` of some object a value that is no GPU."""
    for one in ctx.tree.of_type(cst.Assign):
        targets = (target.target for target in one.targets)
        if any(isinstance(target, cst.Attribute) and target.attr.value == "device" for target in targets):
            if is_no_gpu(ctx, one.value):
                return True
    return False


def _getter(ctx: FileContext, method: cst.FunctionDef) -> DeviceGetter:
    inside = list(ctx.tree.below(method.body))
    return DeviceGetter(
        tuple(_decorators(method)),
        self_name(method) or "",
        tuple(libcst_term(one.value) if one.value else None for one in inside if isinstance(one, cst.Return)),
        any(isinstance(one, cst.Raise) for one in inside),
        any(isinstance(one, (cst.If, cst.IfExp, cst.Assign)) for one in inside),
    )


def _assigned(ctx: FileContext, family: list[cst.ClassDef], attribute: str) -> Iterator[cst.BaseExpression]:
    """Every value that classes, their methods included, give to an attribute of an instance."""
    for node in (node for owner in family for node in ctx.tree.below(owner.body)):
        targets = [one.target for one in node.targets] if isinstance(node, cst.Assign) else []
        targets += [node.target] if isinstance(node, cst.AnnAssign) else []
        if any((dotted_name(one) or "").rpartition(".")[2] == attribute for one in targets):
            if isinstance(node, (cst.Assign, cst.AnnAssign)) and node.value is not None:
                yield node.value
