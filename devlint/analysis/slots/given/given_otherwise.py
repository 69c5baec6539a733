"""Devices that other code of the project may give as None, or as what is no device, where it is seen what it gives."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.devices.none_devices import assigned_values, is_tested_for_none
from devlint.analysis.devices.which_device import MAY_BE_NONE, DeviceValue
from devlint.analysis.names.bindings import Binding, How, dotted_name
from devlint.analysis.names.classes import class_of
from devlint.analysis.names.reaching_definitions import may_reach
from devlint.analysis.names.resolution import attributes_named, origin
from devlint.analysis.names.scopes import scopes
from devlint.analysis.slots.given.given_by_callers import is_evident, is_given_device
from devlint.analysis.slots.given.given_devices import given_to
from devlint.analysis.slots.given.surely_given import replaces_none, takes_no_none
from devlint.syntax.file_context import FileContext
from devlint.torch_api.device_naming import LOADS

_DEPTH = 3


def otherwise_caveat(
    ctx: FileContext, name: str, value: DeviceValue, at: cst.CSTNode, any_card: bool = False
) -> str | None:
    """Why a name may be no device by what the project gives it; ``value`` is what is known of it.

    Of what nobody calls nothing else is known than how it is used. To None, and to no number, can be loaded.
    """
    loads = isinstance(at, cst.Call) and origin(ctx, at.func) in LOADS
    if any_card and not loads:
        return None
    is_otherwise = _Otherwise(ctx, loads).is_name(name, value, at, _DEPTH)
    return f"`{name}` {MAY_BE_NONE}, or no device, by what it is given" if is_otherwise else None


class _Otherwise:
    """What the project gives to parameters."""

    def __init__(self, ctx: FileContext, loads: bool) -> None:
        self._ctx, self._loads = ctx, loads

    def is_name(self, name: str, value: DeviceValue, at: cst.CSTNode, depth: int) -> bool:
        """Whether a call gives what a name, or ``self.device``, is at a place, and it may be no device."""
        ctx = self._ctx
        if is_evident(value) or not depth or takes_no_none(ctx, name, at) and not self._loads:
            return False
        if is_tested_for_none(ctx, name, at) and not self._loads:
            return False
        if "." in name:
            return any(self._is_value(one, depth) for one in _kept_values(ctx, name, at))
        scope = scopes(ctx).binder(name, at)
        found = list(may_reach(ctx, scope, scope.bindings[name], at)) if scope is not None else []
        if any(replaces_none(ctx, one, name, at) for one in found) and not self._loads:
            return False
        return any(self._is_binding(one, depth) for one in found)

    def _is_value(self, node: cst.BaseExpression, depth: int) -> bool:
        """Whether a value is a name that is given otherwise; what it is in other cases is asked elsewhere."""
        return isinstance(node, cst.Name) and self.is_name(node.value, DeviceValue(), node, depth - 1)

    def _is_binding(self, binding: Binding, depth: int) -> bool:
        if binding.how is How.ASSIGN and binding.value is not None:
            return self._is_value(binding.value, depth)
        param, ctx = binding.node, self._ctx
        parameters = ctx.tree.parent(param) if binding.how is How.PARAMETER else None
        function = ctx.tree.parent(parameters) if parameters is not None else None
        if not isinstance(param, cst.Param) or param.star or not isinstance(function, cst.FunctionDef):
            return False
        given = given_to(ctx, function, param)
        return not all(is_given_device(ctx, *one, by_use=True, to_load=self._loads) for one in given)


def _kept_values(ctx: FileContext, name: str, at: cst.CSTNode) -> list[cst.BaseExpression]:
    """The values that the class around a place gives to an attribute of its instance, or the file to an option."""
    owner = class_of(ctx, at)
    same = [one for one in attributes_named(ctx, name.rpartition(".")[2]) if dotted_name(one) == name]
    here = next((one for one in same if not name.startswith("self.") or class_of(ctx, one) is owner), None)
    return assigned_values(ctx, name, here) if here is not None else []
