"""Whether a property ``device`` of a class certainly is no device: None, or something else altogether."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from devlint.analysis.devices.device_values import device_value
from devlint.analysis.names.bindings import dotted_name
from devlint.analysis.names.classes import methods_named, self_name
from devlint.analysis.names.resolution import is_none
from devlint.syntax.file_context import FileContext

_LITERALS = (cst.BaseNumber, cst.BaseString, cst.Tuple, cst.List, cst.Dict, cst.Set)


def device_properties(ctx: FileContext, family: Iterable[cst.ClassDef]) -> list[cst.FunctionDef]:
    """The methods ``device`` of classes that are decorated, as properties are."""
    return [one for owner in family for one in methods_named(ctx, owner, "device") if one.decorators]


def may_give_device(ctx: FileContext, family: list[cst.ClassDef]) -> bool:
    """Whether reading ``self.device`` may give a GPU: it is a property, and nothing says that it is something else."""
    getters = [one for one in device_properties(ctx, family) if _is_getter(one)]
    if not getters or (is_set_by_property(ctx, family) and _is_given_another(ctx)):
        return False
    return all(_may_return_device(ctx, family, one) for one in getters)


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


def _is_getter(method: cst.FunctionDef) -> bool:
    return any(one.endswith("property") for one in _decorators(method))


def _is_given_another(ctx: FileContext) -> bool:
    """Whether the file gives a ``device`` of some object a value that is no GPU."""
    for one in ctx.tree.of_type(cst.Assign):
        targets = (target.target for target in one.targets)
        if any(isinstance(target, cst.Attribute) and target.attr.value == "device" for target in targets):
            if is_no_gpu(ctx, one.value):
                return True
    return False


def _may_return_device(ctx: FileContext, family: list[cst.ClassDef], getter: cst.FunctionDef) -> bool:
    """Whether nothing that a property returns is certainly no GPU; one that only fails is another class's to define."""
    inside = list(ctx.tree.below(getter.body))
    returned = [one.value for one in inside if isinstance(one, cst.Return)]
    if not returned:
        return "abstractmethod" in " ".join(_decorators(getter)) or any(isinstance(one, cst.Raise) for one in inside)
    if any(value is None or is_no_gpu(ctx, value) for value in returned):
        return False
    is_plain = len(returned) == 1 and not any(isinstance(one, (cst.If, cst.IfExp, cst.Assign)) for one in inside)
    kept = _attribute(returned[0], self_name(getter)) if is_plain else None
    return kept is None or not any(is_no_gpu(ctx, value) for value in _assigned(ctx, family, kept))


def _attribute(value: cst.BaseExpression | None, instance: str | None) -> str | None:
    """The name of an attribute of the instance: ``_device`` in ``self._device``."""
    is_own = isinstance(value, cst.Attribute) and dotted_name(value.value) == instance
    return value.attr.value if isinstance(value, cst.Attribute) and is_own else None


def _assigned(ctx: FileContext, family: list[cst.ClassDef], attribute: str) -> Iterator[cst.BaseExpression]:
    """Every value that classes, their methods included, give to an attribute of an instance."""
    for node in (node for owner in family for node in ctx.tree.below(owner.body)):
        targets = [one.target for one in node.targets] if isinstance(node, cst.Assign) else []
        targets += [node.target] if isinstance(node, cst.AnnAssign) else []
        if any((dotted_name(one) or "").rpartition(".")[2] == attribute for one in targets):
            if isinstance(node, (cst.Assign, cst.AnnAssign)) and node.value is not None:
                yield node.value
